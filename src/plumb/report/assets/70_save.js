// ---- saving a chart as SVG, PNG or CSV ----

function download(name, blob) {
  const link = h('a', {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const fileName = (title, ending) =>
  (title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '') || 'chart') +
  '.' +
  ending;

const svgBlob = (svg) => new Blob([new XMLSerializer().serializeToString(svg)], {type: 'image/svg+xml'});

function saveSvg(title, svg) {
  download(fileName(title, 'svg'), svgBlob(svg));
}

/** At twice its size, for slides and screens with fine pixels. */
function savePng(title, svg) {
  const url = URL.createObjectURL(svgBlob(svg)),
    image = new Image();
  image.onload = () => {
    const canvas = h('canvas', {width: image.width * 2, height: image.height * 2});
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(fileName(title, 'png'), blob), 'image/png');
    URL.revokeObjectURL(url);
  };
  image.src = url;
}

/** One cell. A text that a spreadsheet would take for a formula gets an apostrophe in front. */
function csvCell(value) {
  if (typeof value === 'number')
    return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  let text = value === null || value === undefined ? '' : String(value);
  if (/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text)) text = "'" + text;
  return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

const csv = (rows) => rows.map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';

/** Lines that begin with # say what was done to the numbers. No text of a run gets out of its line, or begins a cell. */
const csvNotes = (notes) => notes.map((note) => '# ' + note.replace(/[\s,;"]+/g, ' ') + '\r\n').join('');

function saveCsv(title, text) {
  download(fileName(title, 'csv'), new Blob([text], {type: 'text/csv'}));
}

/** One row for each point within the zoom, and for each stretch that is not finite and reaches into it. */
function lineCsv(figure, zoom) {
  const band = figure.series.some((one) => one.low),
    smooth = figure.series.some((one) => one.raw),
    seen = (from, to) => !zoom || (from <= zoom[1] && to >= zoom[0]);
  const columns = smooth ? [figure.y.label + ' (smoothed)', figure.y.label] : [figure.y.label];
  const rows = [['line', figure.x.label, ...columns, ...(band ? ['low', 'high'] : [])]];
  for (const one of figure.series) {
    const points = (smooth ? smoothedPoints(one) : plainPoints(one, band)).filter(([x]) => seen(x, x));
    for (const {from, to, value, inLine} of one.gaps || [])
      if (!inLine && seen(from, to)) points.push(smooth ? [from, '', value] : [from, value]);
    points.sort((a, b) => a[0] - b[0]);
    for (const point of points) rows.push([one.name, ...point]);
  }
  return csvNotes(lineNotes(figure, zoom, seen)) + csv(rows);
}

const plainPoints = (one, band) =>
  one.x.map((x, i) => [x, one.y[i], ...(band ? [one.low ? one.low[i] : '', one.high ? one.high[i] : ''] : [])]);

/** Both lines, which have points of their own where the curve is reduced: a cell without a value is empty. */
function smoothedPoints(one) {
  const points = new Map(one.raw.x.map((x, i) => [x, [x, '', one.raw.y[i]]]));
  one.x.forEach((x, i) => points.set(x, [x, one.y[i], points.has(x) ? points.get(x)[2] : '']));
  return [...points.values()];
}

/** What was done to the numbers of a line chart before they came here. */
function lineNotes(figure, zoom, seen) {
  const notes = [figure.title, 'numbers have six digits'];
  if (zoom) notes.push('zoom: only what lies from ' + zoom[0] + ' to ' + zoom[1]);
  const smooth = figure.series.find((one) => one.raw);
  if (smooth)
    notes.push(
      'smoothed: exponential mean in which the past keeps a weight of ' +
        smooth.weight +
        ' at each logged value - of a reduced line it is that of the means of its buckets and one of n values counts n times',
    );
  const kept = (one) => (one.raw || one).x.length,
    cut = figure.series.filter((one) => one.logged > kept(one));
  if (cut.length)
    notes.push(
      'reduced: of each bucket of logged values the lowest and the highest are kept - all of them are in log.jsonl',
    );
  for (const one of cut)
    notes.push('reduced: ' + one.name + ' has ' + kept(one) + ' of ' + one.logged + ' logged values');
  const joined = figure.series.flatMap((one) =>
    (one.gaps || [])
      .filter((gap) => gap.count > 1 && seen(gap.from, gap.to))
      .map((gap) => one.name + ' has ' + gap.count + ' values that are not finite from ' + gap.from + ' to ' + gap.to),
  );
  for (const words of joined) notes.push('reduced: ' + words + ' - only the first is here');
  if (!cut.length && !joined.length)
    notes.push('not reduced: every logged value ' + (zoom ? 'of the zoom ' : '') + 'is here');
  return notes;
}

function heatCsv(figure) {
  const rows = [[figure.y.label, figure.x.label, figure.legend || 'value']];
  figure.cells.forEach((row, r) =>
    row.forEach((value, c) => {
      if (value !== null && value !== undefined) rows.push([figure.y.values[r], figure.x.values[c], value]);
    }),
  );
  const columns = figure.x.values.length;
  const notes = [
    figure.title,
    'numbers have six digits',
    figure.logged > columns
      ? 'reduced: ' + columns + ' of ' + figure.logged + ' logged columns'
      : 'not reduced: every logged value is here',
  ];
  return csvNotes(notes) + csv(rows);
}
