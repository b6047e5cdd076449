// ---- a line chart as SVG, for saving: the figure that is on the screen, with its zoom and axes ----

const fontStack =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif';

function svgText(text, x, y, attributes) {
  return s('text', {x, y, 'font-family': fontStack, 'font-size': 12, ...attributes}, text);
}

/** The title of a picture: smaller where it says much. */
function svgTitle(text, x, y, room) {
  const size = clamp(room / (0.6 * text.length), 9, 16);
  const shown = fitted(text, Math.floor(room / (0.6 * size)));
  return svgText(shown, x, y, {fill: theme().ink, 'font-size': size, 'font-weight': 600});
}

/** Names of lines below a picture, in as many rows as they need. */
function svgLegend(series, x, y, width, colours) {
  const group = s('g', {});
  let at = 0,
    row = 0;
  for (const one of series) {
    const name = fitted(one.name, Math.floor((width - 34) / 6.7)),
      size = 34 + name.length * 6.7;
    if (at > 0 && at + size > width) {
      at = 0;
      ++row;
    }
    group.append(
      s('line', {
        x1: x + at,
        x2: x + at + 18,
        y1: y + row * 18,
        y2: y + row * 18,
        stroke: one.css(),
        'stroke-width': 2,
        'stroke-dasharray': (one.dash || []).join(' ') || null,
      }),
    );
    group.append(svgText(name, x + at + 23, y + row * 18 + 4, {fill: colours.ink}));
    at += size;
  }
  return {group, height: (row + 1) * 18};
}

function svgLines(figure, zoom) {
  const colours = theme(),
    width = 860,
    plot = {left: 72, top: 46, width: 764, height: 380};
  const range = rangesOf(figure, zoom);
  const X = (value) => Number((plot.left + fractionOf(figure.x, range.x, value) * plot.width).toFixed(2));
  const Y = (value) => Number((plot.top + (1 - fractionOf(figure.y, range.y, value)) * plot.height).toFixed(2));
  const legend = svgLegend(figure.series, plot.left, plot.top + plot.height + 62, plot.width, colours);
  const height = plot.top + plot.height + 62 + legend.height;
  const svg = s('svg', {xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height});
  svg.append(s('rect', {width, height, fill: colours.paper}));
  svg.append(svgTitle(figure.title, plot.left, 26, plot.width));

  const xTicks = ticksOf(figure.x, ...range.x, 8),
    yTicks = ticksOf(figure.y, ...range.y, 6);
  const xLabels = tickLabels(figure.x, xTicks),
    yLabels = tickLabels(figure.y, yTicks);
  xTicks.forEach((tick, i) => {
    svg.append(s('line', {x1: X(tick), x2: X(tick), y1: plot.top, y2: plot.top + plot.height, stroke: colours.grid}));
    svg.append(
      svgText(xLabels[i], X(tick), plot.top + plot.height + 18, {fill: colours.muted, 'text-anchor': 'middle'}),
    );
  });
  yTicks.forEach((tick, i) => {
    svg.append(s('line', {x1: plot.left, x2: plot.left + plot.width, y1: Y(tick), y2: Y(tick), stroke: colours.grid}));
    svg.append(svgText(yLabels[i], plot.left - 8, Y(tick) + 4, {fill: colours.muted, 'text-anchor': 'end'}));
  });
  svg.append(
    svgText(figure.x.label, plot.left + plot.width / 2, plot.top + plot.height + 38, {
      fill: colours.muted,
      'text-anchor': 'middle',
    }),
  );
  const middle = plot.top + plot.height / 2;
  svg.append(
    svgText(figure.y.label, 16, middle, {
      fill: colours.muted,
      'text-anchor': 'middle',
      transform: `rotate(-90 16 ${middle})`,
    }),
  );

  const inside = s('svg', {
    x: plot.left,
    y: plot.top,
    width: plot.width,
    height: plot.height,
    overflow: 'hidden',
    viewBox: `${plot.left} ${plot.top} ${plot.width} ${plot.height}`,
  });
  for (const line of verticalsOf(figure)) {
    const before = X(line.x) + 8 + wordsWidth(line.text) > plot.left + plot.width;
    inside.append(...svgVertical(line, X(line.x), before ? -4 : 4, line.css ? line.css() : colours.muted, '5 3', plot));
  }
  const path = (line) => linePath(line, figure, X, Y);
  for (const one of figure.series.filter((any) => any.raw))
    inside.append(s('path', {d: path(rawLine(one)), fill: 'none', stroke: one.css(), 'stroke-opacity': 0.25}));
  for (const one of figure.series) {
    if (one.low && figure.series.length <= 8)
      inside.append(s('path', {d: bandPath(one, figure, X, Y), fill: one.css(), 'fill-opacity': 0.14}));
    inside.append(
      s('path', {
        d: path(one),
        fill: 'none',
        stroke: one.css(),
        'stroke-width': one.width || 1.8,
        'stroke-linejoin': 'round',
        'stroke-dasharray': (one.dash || []).join(' ') || null,
      }),
    );
    if (hasDots(one))
      eachDrawn(one, figure, (x, y) => inside.append(s('circle', {cx: X(x), cy: Y(y), r: 3, fill: one.css()})));
    for (const mark of marksOf(one, figure)) {
      const x = X(mark.x),
        before = x - wordsWidth(mark.text) - 9 > plot.left;
      inside.append(s('path', {d: `M${x - 4} ${plot.top + 5}l8 8m0 -8l-8 8`, stroke: one.css(), 'stroke-width': 2}));
      if (mark.ends) inside.append(...svgVertical(mark, x, before ? -7 : 7, one.css(), '2 3', plot));
    }
  }
  svg.append(
    inside,
    s('rect', {x: plot.left, y: plot.top, width: plot.width, height: plot.height, fill: 'none', stroke: colours.line}),
    legend.group,
  );
  return svg;
}

/** About as wide as a text of 11 px is. */
const wordsWidth = (text) => 6 * text.length;

/** A line from top to bottom with words beside it: before it if `away` is negative. Words of others have other rows. */
function svgVertical({text, row}, x, away, colour, dash, plot) {
  return [
    s('line', {x1: x, x2: x, y1: plot.top, y2: plot.top + plot.height, stroke: colour, 'stroke-dasharray': dash}),
    svgText(text, x + away, plot.top + 14 + 14 * (row || 0), {
      fill: colour,
      'font-size': 11,
      'text-anchor': away < 0 ? 'end' : 'start',
    }),
  ];
}

// A logarithmic axis has no place for what is not above zero.
const hasPlace = (figure) => (mark) => usable(mark.x, figure.x.log);
const verticalsOf = (figure) => (figure.verticals || []).filter(hasPlace(figure));

/** Where a line has something that cannot be drawn as a point. */
function marksOf(one, figure) {
  const gaps = (one.gaps || []).map((gap) => ({x: gap.from, text: gapInWords(gap)}));
  return [...gaps, ...(one.marks || []).map((mark) => ({...mark, ends: true}))].filter(hasPlace(figure));
}

/** A single point is no line: without a dot it could not be seen. */
const hasDots = (one) => one.points || one.x.length === 1;

function gapInWords(gap) {
  const at = gap.from === gap.to ? 'at ' + short(gap.from) : 'from ' + short(gap.from) + ' to ' + short(gap.to);
  return short(gap.value) + ' ' + at + (gap.count > 1 ? ' (' + gap.count + ' values)' : '');
}

/** What was logged, behind its smoothed line. */
const rawLine = (one) => ({...one.raw, gaps: one.gaps});

/** Calls back for every stretch of neighbours that can be joined: nothing that is not finite lies between them. */
function eachPoint({x, y, gaps: all}, figure, move, line) {
  const gaps = all || [];
  let next = 0,
    joined = false;
  for (let i = 0; i < x.length; ++i) {
    while (next < gaps.length && gaps[next].from < x[i]) {
      joined = false;
      ++next;
    }
    if (!usable(y[i], figure.y.log) || !usable(x[i], figure.x.log)) {
      joined = false;
      continue;
    }
    (joined ? line : move)(x[i], y[i], i);
    joined = true;
  }
}

function linePath(line, figure, X, Y) {
  const parts = [];
  eachPoint(
    line,
    figure,
    (x, y) => parts.push('M' + X(x) + ' ' + Y(y)),
    (x, y) => parts.push('L' + X(x) + ' ' + Y(y)),
  );
  return parts.join('') || 'M0 0';
}

function bandPath(one, figure, X, Y) {
  const floor = rangesOf(figure, null).y[0];
  const points = [];
  one.x.forEach((x, i) => {
    if (!usable(x, figure.x.log) || !usable(one.high[i], figure.y.log)) return;
    const low = usable(one.low[i], figure.y.log) ? one.low[i] : floor;
    points.push(X(x) + ' ' + Y(one.high[i]));
    points.unshift(X(x) + ' ' + Y(low)); // there along the upper end, back along the lower
  });
  return 'M' + (points.join('L') || '0 0') + 'Z';
}
