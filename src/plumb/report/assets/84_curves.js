// ---- curves of training ----

/** Lines of one logged number, of the runs that are shown. */
function curveSeries(key, transform, smooth) {
  const series = [];
  for (const run of data.runs) {
    const curve = run.curves[key];
    if (!curve || !isShown(run)) continue;
    const weight = smooth ? view.smoothing : 0;
    const asShown = (line) => ({x: line.x, y: transform ? line.y.map(transform) : line.y});
    const raw = asShown(curve);
    series.push({
      key: run.name,
      name: run.name,
      ...seriesLook(runStyle(run)),
      ...(weight > 0 ? asShown(smoothed(curve, weight)) : raw),
      raw: weight > 0 ? raw : null,
      weight,
      gaps: transform ? [...curve.gaps, ...overflown(raw)].sort((a, b) => a.from - b.from) : curve.gaps,
      logged: curve.logged,
      marks: endMarks(run),
      points: curve.x.length <= 40 && !smooth,
    });
  }
  // Words of runs that ended near each other stand below each other.
  let row = 0;
  for (const one of series) one.marks.forEach((mark) => (mark.row = row++ % 12));
  return series;
}

/**
 * Stretches of a curve that are finite in the log and no longer as they are shown: a perplexity is an exponential. Unlike
 * those of other gaps, their values are points of the line.
 */
function overflown({x, y}) {
  const gaps = [];
  let inside = false;
  y.forEach((value, i) => {
    const lost = value === Infinity;
    if (lost && inside) gaps[gaps.length - 1].to = x[i];
    if (lost && !inside) gaps.push({from: x[i], to: x[i], value, count: 1, inLine: true});
    inside = lost;
  });
  return gaps;
}

/** Where a run went wrong. */
function endMarks(run) {
  const failure = run.summary.failure;
  return failure ? [{x: failure.update, text: stateOf(run) + ' at ' + failure.update.toLocaleString('en-US')}] : [];
}

const curveCharts = () => {
  const has = (key) => data.runs.some((run) => run.curves[key]);
  const cards = [
    {
      key: 'train.loss',
      title: 'Training loss',
      y: 'loss (nats per token)',
      smooth: true,
      log: false,
      note: 'Label-smoothed loss, mean over the updates since the last record.',
    },
    {key: 'valid.loss', title: 'Validation loss', y: 'loss (nats per token)'},
    {key: 'valid.ppl', title: 'Validation perplexity', y: 'perplexity', log: true},
    {
      key: 'train.nll',
      title: 'Training perplexity',
      y: 'perplexity',
      log: true,
      smooth: true,
      transform: Math.exp,
      note: 'exp of the negative log-likelihood per token; it is that which is smoothed.',
    },
    {key: 'train.lr', title: 'Learning rate', y: 'learning rate', format: rate},
    {key: 'train.gnorm', title: 'Gradient norm', y: 'norm before clipping', log: true, smooth: true},
    {key: 'train.wps', title: 'Speed', y: 'target tokens per second', from: 0, smooth: true},
  ];
  const known = new Set([...cards.map((card) => card.key), 'valid.nll']);
  const scores = new Set(
    data.runs.flatMap((run) => Object.keys(run.curves)).filter((key) => key.startsWith('valid.') && !known.has(key)),
  );
  const scoreCards = [...scores]
    .sort()
    .map((key) => ({key, title: 'Validation ' + words(key.slice(6)), y: words(key.slice(6))}));
  cards.splice(3, 0, ...scoreCards);
  return cards.filter((card) => has(card.key));
};

function curveCard(card) {
  return lineCard({
    id: 'curve.' + card.key,
    title: card.title,
    note: card.note,
    group: 'updates',
    figure: () => ({
      x: {label: 'update', whole: true},
      y: {label: card.y, log: card.log, format: card.format, from: card.from},
      series: curveSeries(card.key, card.transform, card.smooth),
    }),
  });
}

function curvesSection() {
  if (!data.runs.length) return null;
  const cards = curveCharts();
  if (!cards.length) return null;
  return section(
    'curves',
    'Curves',
    'Drag to zoom all of them, double click to see everything again. Click a run to hide it, shift-click to see it alone.',
    legend(),
    h('div', {class: 'grid'}, cards.map(curveCard)),
  );
}

/** A part of the page with a heading that the menu at the top leads to. */
function section(id, title, lead, ...content) {
  return h(
    'section',
    {id, 'data-title': title, 'aria-labelledby': id + '-title'},
    h('h2', {id: id + '-title'}, title),
    lead ? h('p', {class: 'lead'}, lead) : null,
    content,
  );
}
