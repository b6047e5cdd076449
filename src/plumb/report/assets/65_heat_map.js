// ---- a heat map: SVG on the screen and in the saved file ----
// figure: {title, x: {label, values, format}, y: {label, values}, cells: cells[row][column] (row 0 is drawn at the bottom), log, legend}

const heatSteps = 64;

/** What the colours stand for. Cells that are not finite take no part: they are drawn as crosses. */
function heatDomain(figure) {
  let low = Infinity,
    high = -Infinity;
  for (const row of figure.cells) {
    for (const value of row) {
      if (value === null || !usable(value, figure.log)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (figure.domain) [low, high] = [Math.min(low, figure.domain[0]), Math.max(high, figure.domain[1])];
  if (!(high >= low)) [low, high] = [figure.log ? 0.1 : 0, 1];
  if (low === high) [low, high] = figure.log ? [low / 1.5, high * 1.5] : [low - 0.5, high + 0.5];
  const f = figure.log ? Math.log10 : (v) => v;
  return {
    low,
    high,
    share: (value) => (f(value) - f(low)) / (f(high) - f(low)),
    at: (share) => (figure.log ? 10 ** (f(low) + share * (f(high) - f(low))) : low + share * (high - low)),
  };
}

/** Every k-th label, so that they do not touch. */
function sparse(count, room, size) {
  const step = Math.max(1, Math.ceil((count * size) / Math.max(1, room)));
  const nice = [1, 2, 3, 5, 6, 10, 12, 20, 25, 50, 100, 200].find((n) => n >= step) || step;
  return nice;
}

/** The labels of an axis. Its values stay what they are, for the file that they are saved in. */
const axisTexts = (axis) => axis.values.map((value) => (axis.format ? axis.format(value) : String(value)));

const longest = (texts) => texts.reduce((most, text) => Math.max(most, text.length), 2);

/** Where everything stands for a width. */
function heatLayout(figure, width, withTitle) {
  const rows = figure.cells.length,
    columns = figure.x.values.length;
  const left = 30 + Math.min(longest(axisTexts(figure.y)), 22) * 6.4,
    right = width < 420 ? 52 : 74,
    top = withTitle ? 42 : 10,
    bottom = 44;
  const wide = Math.max(60, width - left - right);
  const square = figure.square ? (wide / columns) * rows : clamp(rows * (figure.annotate ? 44 : 14), 120, 420);
  const tall = clamp(square, 60, figure.square ? 520 : 460);
  return {
    left,
    top,
    wide: figure.square ? Math.min(wide, (tall / rows) * columns) : wide,
    tall,
    width,
    height: top + tall + bottom,
    rows,
    columns,
  };
}

function svgHeatMap(figure, width, withTitle) {
  const colours = theme(),
    at = heatLayout(figure, width, withTitle),
    domain = heatDomain(figure);
  const svg = s('svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${at.width} ${at.height}`,
    width: at.width,
    height: at.height,
  });
  if (withTitle) {
    svg.append(s('rect', {width: at.width, height: at.height, fill: colours.paper}));
    svg.append(svgTitle(figure.title, at.left, 24, at.width - at.left - 10));
  }
  const cw = at.wide / at.columns,
    ch = at.tall / at.rows,
    round = (v) => Number(v.toFixed(2));
  const X = (column) => round(at.left + column * cw),
    Y = (row) => round(at.top + at.tall - (row + 1) * ch);
  svg.append(s('rect', {x: at.left, y: at.top, width: at.wide, height: at.tall, fill: colours.grid}));
  // One path for each colour: thousands of cells, at most 64 elements.
  const paths = new Map(),
    crosses = [],
    roomForWords = figure.annotate && cw > 34 && ch > 14;
  figure.cells.forEach((row, r) =>
    row.forEach((value, c) => {
      if (value === null || value === undefined) return;
      const box = `M${X(c)} ${Y(r)}h${round(cw + 0.3)}v${round(ch + 0.3)}h${round(-cw - 0.3)}z`;
      if (!Number.isFinite(value) && roomForWords) {
        svg.append(s('path', {d: box, fill: colours.bad, 'fill-opacity': 0.14}));
        return;
      }
      if (!Number.isFinite(value)) {
        crosses.push(`M${X(c)} ${Y(r)}l${round(cw)} ${round(ch)}m0 ${round(-ch)}l${round(-cw)} ${round(ch)}`);
        return;
      }
      const step = figure.log && !(value > 0) ? 0 : Math.round(clamp(domain.share(value), 0, 1) * (heatSteps - 1));
      paths.set(step, (paths.get(step) || '') + box);
    }),
  );
  for (const [step, d] of paths)
    svg.append(s('path', {d, fill: heat(step / (heatSteps - 1)), 'shape-rendering': 'crispEdges'}));
  if (crosses.length)
    svg.append(s('path', {d: crosses.join(''), stroke: colours.bad, 'stroke-width': 1, fill: 'none'}));
  if (roomForWords) annotate(svg, figure, domain, X, Y, cw, ch);

  const xTexts = axisTexts(figure.x),
    xStep = sparse(at.columns, at.wide, 7 * longest(xTexts) + 6);
  xTexts.forEach(
    (text, c) =>
      c % xStep === 0 &&
      svg.append(
        svgText(text, X(c) + cw / 2, at.top + at.tall + 16, {
          fill: colours.muted,
          'text-anchor': 'middle',
          'font-size': 11,
        }),
      ),
  );
  const yStep = sparse(at.rows, at.tall, 14);
  axisTexts(figure.y).forEach(
    (text, r) =>
      r % yStep === 0 &&
      svg.append(
        svgText(fitted(text, 22), at.left - 6, Y(r) + ch / 2 + 4, {
          fill: colours.muted,
          'text-anchor': 'end',
          'font-size': 11,
        }),
      ),
  );
  svg.append(
    svgText(figure.x.label, at.left + at.wide / 2, at.top + at.tall + 36, {
      fill: colours.muted,
      'text-anchor': 'middle',
    }),
  );
  const middle = at.top + at.tall / 2;
  svg.append(
    svgText(figure.y.label, 13, middle, {
      fill: colours.muted,
      'text-anchor': 'middle',
      transform: `rotate(-90 13 ${middle})`,
    }),
  );
  heatScale(svg, figure, at, domain, colours);
  return {svg, at, domain};
}

/** Numbers in the cells, where there is room for them. */
function annotate(svg, figure, domain, X, Y, cw, ch) {
  figure.cells.forEach((row, r) =>
    row.forEach((value, c) => {
      if (value === null || value === undefined) return;
      const light = Number.isFinite(value) && domain.share(value) > 0.6;
      svg.append(
        svgText(figure.words ? figure.words(value, r, c) : short(value, 3), X(c) + cw / 2, Y(r) + ch / 2 + 4, {
          'text-anchor': 'middle',
          'font-size': 11,
          fill: !Number.isFinite(value) ? theme().bad : light ? '#1c2430' : '#ffffff',
        }),
      );
    }),
  );
}

function heatScale(svg, figure, at, domain, colours) {
  const x = at.left + at.wide + 14,
    tall = Math.min(at.tall, 180),
    top = at.top,
    steps = 32;
  for (let i = 0; i < steps; ++i) {
    svg.append(
      s('rect', {
        x,
        y: top + tall - ((i + 1) * tall) / steps,
        width: 12,
        height: tall / steps + 0.4,
        fill: heat(i / (steps - 1)),
        'shape-rendering': 'crispEdges',
      }),
    );
  }
  const places = figure.log ? logTicks(domain.low, domain.high, 5) : linearTicks(domain.low, domain.high, 5);
  for (const place of places) {
    const y = top + tall - domain.share(place) * tall;
    svg.append(svgText(short(place, 3), x + 16, y + 4, {fill: colours.muted, 'font-size': 11}));
  }
}

class HeatMap {
  constructor(id, figureOf) {
    this.id = id;
    this.figureOf = figureOf;
    this.cell = null;
    this.element = h('div', {class: 'plot heat', tabindex: 0, role: 'img'});
    this.element.addEventListener('pointermove', (event) => this.point(event));
    this.element.addEventListener('click', (event) => this.point(event)); // a finger that taps has left by then
    this.element.addEventListener('pointerleave', () => this.leave());
    this.element.addEventListener('blur', () => this.leave());
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.sizes = new ResizeObserver(() => this.width !== this.element.clientWidth && this.refreshSoon());
    this.sizes.observe(this.element);
    this.refreshSoon = drawWhenNear(this.element, () => this.refresh());
  }

  destroy() {
    this.sizes.disconnect();
    forgetDrawing(this.element);
  }

  refresh() {
    if (!this.element.dataset.near || !this.element.clientWidth) return;
    this.current = this.figureOf();
    this.width = this.element.clientWidth;
    this.element.setAttribute('aria-label', this.current.title + '. Arrow keys read cells.');
    const {svg, at} = svgHeatMap(this.current, this.width, false);
    this.at = at;
    this.marker = s('rect', {fill: 'none', stroke: theme().ink, 'stroke-width': 1.5, visibility: 'hidden'});
    svg.append(this.marker);
    this.element.replaceChildren(svg);
  }

  point(event) {
    if (!this.at) return;
    const box = this.element.firstChild.getBoundingClientRect(),
      at = this.at;
    const column = Math.floor(((event.clientX - box.left - at.left) / at.wide) * at.columns);
    const row = Math.floor(((at.top + at.tall - (event.clientY - box.top)) / at.tall) * at.rows);
    this.show(row, column, event);
  }

  show(row, column, place) {
    const {at, current} = this;
    if (row < 0 || column < 0 || row >= at.rows || column >= at.columns) return this.leave();
    this.cell = [row, column];
    const cw = at.wide / at.columns,
      ch = at.tall / at.rows;
    for (const [name, value] of Object.entries({
      x: at.left + column * cw,
      y: at.top + at.tall - (row + 1) * ch,
      width: cw,
      height: ch,
      visibility: 'visible',
    })) {
      this.marker.setAttribute(name, value);
    }
    const value = current.cells[row][column];
    const box = this.element.firstChild.getBoundingClientRect();
    const where = place || {
      clientX: box.left + at.left + (column + 1) * cw,
      clientY: box.top + at.top + at.tall - (row + 0.5) * ch,
    };
    showTip(
      where,
      h(
        'b',
        {},
        value === null || value === undefined
          ? 'nothing measured'
          : (current.legend || 'value') + ' ' + (current.words ? current.words(value, row, column) : short(value)),
      ),
      h('p', {}, current.y.label + ' ' + axisTexts(current.y)[row]),
      h('p', {}, current.x.label + ' ' + axisTexts(current.x)[column]),
    );
  }

  leave() {
    hideTip();
    if (this.marker) this.marker.setAttribute('visibility', 'hidden');
  }

  key(event) {
    const steps = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0]};
    if (!steps[event.key] || !this.at) return;
    event.preventDefault();
    const [row, column] = this.cell || [0, 0],
      [up, along] = steps[event.key];
    this.show(clamp(row + up, 0, this.at.rows - 1), clamp(column + along, 0, this.at.columns - 1), null);
  }
}
