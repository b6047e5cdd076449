// ---- a line chart on the screen: uPlot gives axes, cursor and the drag that zooms; the lines are drawn here ----
// uPlot wants one x for all lines. Runs log at their own updates, so its own data is only the corners of the figure. It
// also draws no axis for numbers of 18 digits, so that its corners are 0 and 1, and where a value lies is said here.

class LineChart {
  /** `figureOf` makes the figure of the moment; charts of one `group` zoom together. */
  constructor(id, figureOf, group) {
    this.id = id;
    this.group = group || id;
    this.figureOf = figureOf;
    this.plot = null;
    this.near = null;
    this.readAt = NaN; // the x of which values were read last
    this.scrolling = false; // with a finger
    this.element = h('div', {class: 'plot', tabindex: 0, role: 'img'});
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('mouseleave', () => this.leave());
    this.element.addEventListener('touchmove', (event) => this.touch(event), {passive: true});
    this.element.addEventListener('touchstart', (event) => this.touch(event), {passive: true});
    this.element.addEventListener('pointerdown', () => (this.scrolling = false), true);
    this.element.addEventListener('pointercancel', () => this.scroll());
    // Not at once: uPlot forgets a redraw that is asked for while it draws.
    this.redrawSoon = oncePerFrame(() => this.plot && this.plot.redraw(false));
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.element);
    this.refreshSoon = drawWhenNear(this.element, () => {
      this.refresh();
      if (this.drawn) this.drawn();
    });
  }

  /** uPlot listens to the window: a chart that only left the page would live on. */
  destroy() {
    this.sizes.disconnect();
    forgetDrawing(this.element);
    if (this.plot) this.plot.destroy();
    this.plot = null;
  }

  get zoom() {
    return view.zoom[this.group] || null;
  }

  setZoom(zoom) {
    if (zoom) view.zoom[this.group] = zoom;
    else delete view.zoom[this.group];
    emit('zoom:' + this.group);
  }

  figure() {
    const figure = this.figureOf();
    const log = view.log[this.id] || {};
    figure.x.log = log.x !== undefined ? log.x : !!figure.x.log;
    figure.y.log = log.y !== undefined ? log.y : !!figure.y.log;
    return figure;
  }

  /** Draws anew if the chart has come near the screen; before that nothing is computed. */
  refresh() {
    if (!this.element.dataset.near) return;
    const figure = this.figure(),
      range = rangesOf(figure, this.zoom);
    const shape = [figure.x.log, figure.y.log, themeName()].join();
    this.current = figure;
    this.range = range;
    this.element.setAttribute(
      'aria-label',
      figure.title +
        ', ' +
        plural(figure.series.length, 'line') +
        '. Arrow keys read values, plus and minus zoom, 0 shows all.',
    );
    if (!this.plot || this.shape !== shape) {
      this.shape = shape;
      this.make();
    } else {
      this.plot.redraw(false, true);
    }
  }

  /** The style sheet gives the element the same shape. */
  size() {
    const width = Math.max(200, this.element.clientWidth);
    return {width, height: clamp(Math.round(width * 0.52), 220, 380)};
  }

  resize() {
    if (!this.plot) return;
    const {width, height} = this.size();
    if (width !== this.plot.width || height !== this.plot.height) this.plot.setSize({width, height});
  }

  make() {
    if (this.plot) this.plot.destroy();
    const colours = theme();
    const ticks = {};
    const axis = (which, extra) => ({
      stroke: colours.muted,
      font: '11.5px ' + fontStack,
      grid: {stroke: colours.grid, width: 1},
      ticks: {stroke: colours.line, width: 1, size: 4},
      label: this.current[which].label,
      labelFont: '12px ' + fontStack,
      labelSize: 20,
      labelGap: 0,
      gap: 5,
      splits: (u) => {
        ticks[which] = ticksOf(this.current[which], ...this.range[which], Math.max(2, Math.floor(extra.room(u))));
        return ticks[which].map((tick) => fractionOf(this.current[which], this.range[which], tick));
      },
      values: () => tickLabels(this.current[which], ticks[which]),
      filter: (u, places) => places,
      ...extra.options,
    });
    const pass = (u, low, high) => [low, high];
    const {width, height} = this.size();
    this.plot = new uPlot(
      {
        width,
        height,
        padding: [12, 22, 0, 0],
        legend: {show: false},
        scales: {
          x: {time: false, range: pass},
          y: {range: pass},
        },
        axes: [
          axis('x', {room: (u) => u.width / 95, options: {size: 30}}),
          axis('y', {
            room: (u) => u.height / 46,
            options: {size: (u, labels) => 14 + 6.6 * Math.max(3, ...(labels || []).map((l) => l.length))},
          }),
        ],
        series: [{}, {paths: () => null, points: {show: false}}],
        cursor: {
          points: {show: false},
          y: false,
          drag: {x: true, y: false, setScale: false, dist: 6},
          bind: {dblclick: () => () => this.setZoom(null)},
        },
        hooks: {
          draw: [() => this.draw()],
          setCursor: [(u) => this.hover(u)],
          setSelect: [(u) => this.select(u)],
        },
      },
      [
        [0, 1],
        [0, 1],
      ],
      this.element,
    );
  }

  /** Where a value lies in the picture. */
  place(which, value, onCanvas) {
    return this.plot.valToPos(fractionOf(this.current[which], this.range[which], value), which, onCanvas);
  }

  /** The x that lies there. */
  xAt(place) {
    return valueAt(this.current.x, this.range.x, this.plot.posToVal(place, 'x'));
  }

  select(u) {
    const {left, width} = u.select;
    if (width < 6) return;
    const from = this.xAt(left),
      to = this.xAt(left + width);
    u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
    if (to > from) this.setZoom([from, to]);
  }

  // ---- drawing ----

  draw() {
    const u = this.plot || null,
      figure = this.current;
    if (!u) return this.redrawSoon();
    const context = u.ctx,
      {left, top, width, height} = u.bbox,
      scale = devicePixelRatio || 1;
    const X = (value) => this.place('x', value, true),
      Y = (value) => this.place('y', value, true);
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.lineJoin = 'round';
    context.textAlign = 'left';
    context.textBaseline = 'alphabetic';
    const rule = (x0, y0, x1, y1, colour, dash) => {
      context.beginPath();
      context.setLineDash(dash.map((d) => d * scale));
      context.strokeStyle = colour;
      context.lineWidth = scale;
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      context.stroke();
    };
    context.font = 11 * scale + 'px ' + fontStack;
    for (const line of verticalsOf(figure)) {
      const colour = line.css ? line.css() : theme().muted,
        x = X(line.x);
      rule(x, top, x, top + height, colour, [5, 3]);
      const wide = context.measureText(line.text).width,
        before = x + wide + 8 * scale > left + width;
      context.fillStyle = colour;
      context.fillText(
        line.text,
        before ? x - wide - 4 * scale : x + 4 * scale,
        top + (13 + 14 * (line.row || 0)) * scale,
      );
    }
    const many = figure.series.length > 24;
    // Behind all others: where there are many, what was logged would hide what was made of it.
    for (const one of figure.series.filter((any) => any.raw))
      strokeLine(context, rawLine(one), figure, X, Y, {css: one.css(), opacity: 0.22, width: scale, dash: []});
    for (const one of figure.series) this.drawSeries(context, one, figure, X, Y, scale, many && one.key !== this.near);
    const near = figure.series.find((one) => one.key === this.near);
    if (near) this.drawSeries(context, {...near, width: (near.width || 1.8) + 1.4}, figure, X, Y, scale, false);
    for (const one of figure.series) this.drawMarks(context, one, figure, X, {left, top, width, height}, scale, rule);
    context.restore();
  }

  drawSeries(context, one, figure, X, Y, scale, thin) {
    if (one.low && (figure.series.length <= 8 || one.key === this.near)) {
      context.globalAlpha = 0.14;
      context.fillStyle = one.css();
      context.fill(new Path2D(bandPath(one, figure, X, Y)));
    }
    strokeLine(context, one, figure, X, Y, {
      css: one.css(),
      opacity: thin ? 0.75 : 1,
      width: scale * (thin ? 1.1 : one.width || 1.8),
      dash: (one.dash || []).map((d) => d * scale),
    });
    context.globalAlpha = 1;
    context.setLineDash([]);
    if (hasDots(one)) {
      context.fillStyle = one.css();
      eachDrawn(one, figure, (x, y) => {
        context.beginPath();
        context.arc(X(x), Y(y), 3 * scale, 0, 2 * Math.PI);
        context.fill();
      });
    }
  }

  /** Crosses at the top for what is not finite, and a line with words where a run ended. */
  drawMarks(context, one, figure, X, box, scale, rule) {
    for (const mark of marksOf(one, figure)) {
      const x = X(mark.x),
        size = 4 * scale,
        y = box.top + 9 * scale;
      if (mark.ends) {
        rule(x, box.top, x, box.top + box.height, one.css(), [2, 3]);
        const wide = context.measureText(mark.text).width,
          before = x - wide - 9 * scale > box.left;
        context.fillStyle = one.css();
        context.fillText(
          mark.text,
          before ? x - wide - 8 * scale : x + 8 * scale,
          y + 4 * scale + 14 * scale * (mark.row || 0),
        );
      }
      context.setLineDash([]);
      context.lineWidth = 2 * scale;
      context.strokeStyle = one.css();
      context.beginPath();
      context.moveTo(x - size, y - size);
      context.lineTo(x + size, y + size);
      context.moveTo(x + size, y - size);
      context.lineTo(x - size, y + size);
      context.stroke();
    }
  }

  // ---- reading values ----

  hover(u) {
    const {left, top} = u.cursor;
    if (left === undefined || left === null || left < 0 || !this.current) return this.leave();
    const at = (this.readAt = this.xAt(left));
    const readings = this.readings(at, (value) => Math.abs(this.place('y', value) - top));
    const near = readings.length ? readings.reduce((a, b) => (a.distance <= b.distance ? a : b)) : null;
    const key = near && near.distance < 60 ? near.one.key : null;
    if (key !== this.near) {
      this.near = key;
      this.redrawSoon();
    }
    const box = u.over.getBoundingClientRect();
    this.tell({clientX: box.left + left, clientY: box.top + top}, at, readings);
  }

  /** The value of each line nearest to x = at, largest first. */
  readings(at, distance) {
    const figure = this.current,
      found = [];
    const far = (value) => Math.abs(figure.x.log ? Math.log(value / at) : value - at);
    for (const one of figure.series) {
      if (!one.x.length || one.silent) continue;
      const i = nearest(one.x, at, far);
      const beyond = at > one.x[one.x.length - 1] || at < one.x[0];
      found.push({
        one,
        x: one.x[i],
        y: one.y[i],
        raw: one.raw ? one.raw.y[nearest(one.raw.x, at, far)] : null,
        low: one.low && one.low[i],
        high: one.high && one.high[i],
        beyond,
        distance: usable(one.y[i], figure.y.log) ? distance(one.y[i]) : Infinity,
      });
    }
    return found.sort((a, b) => b.y - a.y);
  }

  tell(place, at, readings) {
    const figure = this.current,
      most = 14;
    let shown = readings;
    if (readings.length > most) {
      const nearest = new Set([...readings].sort((a, b) => a.distance - b.distance).slice(0, most));
      shown = readings.filter((reading) => nearest.has(reading));
    }
    const rows = shown.map((reading) =>
      h(
        'tr',
        {class: reading.one.key === this.near ? 'near' : null},
        h('td', {}, swatch(reading.one)),
        h('td', {}, reading.one.name),
        h(
          'td',
          {class: 'number'},
          short(reading.y),
          reading.raw !== null && reading.raw !== reading.y ? h('small', {}, ' (' + short(reading.raw) + ')') : null,
          reading.low !== undefined
            ? h('small', {}, ' [' + short(reading.low, 3) + ', ' + short(reading.high, 3) + ']')
            : null,
        ),
        h(
          'td',
          {class: 'number'},
          h('small', {}, (reading.beyond ? 'at ' : '') + (figure.x.format || short)(reading.x)),
        ),
      ),
    );
    const marks = figure.series.flatMap((one) =>
      marksOf(one, figure)
        .filter((mark) => Math.abs(this.place('x', mark.x) - this.place('x', at)) < 8)
        .map((mark) => h('p', {}, swatch(one), ' ', one.name + ': ' + mark.text)),
    );
    const hiddenOnes = readings.length - shown.length;
    this.telling = true;
    showTip(
      place,
      h(
        'b',
        {},
        figure.x.label + ' ' + (figure.x.format || ((v) => short(v, 5)))(figure.x.whole ? Math.round(at) : at),
      ),
      h('table', {}, rows),
      hiddenOnes > 0 ? h('p', {}, 'and ' + plural(hiddenOnes, 'line') + ' farther away') : '',
      ...marks,
    );
  }

  /** Also called by every redraw without a cursor: the box may be another chart's. */
  leave() {
    if (this.telling) hideTip();
    this.telling = false;
    if (this.near === null) return;
    this.near = null;
    this.redrawSoon();
  }

  touch(event) {
    if (!this.plot || this.scrolling || event.touches.length !== 1) return;
    const box = this.plot.over.getBoundingClientRect();
    this.plot.setCursor({left: event.touches[0].clientX - box.left, top: event.touches[0].clientY - box.top});
  }

  /** The finger moves the page, and does not read. */
  scroll() {
    this.scrolling = true;
    if (this.plot) this.plot.setCursor({left: -10, top: -10});
  }

  /** Around the cursor, or what was read last: a finger has to leave the chart for the button. */
  zoomBy(factor) {
    if (!this.plot) return;
    const u = this.plot,
      wide = u.over.clientWidth,
      last = this.place('x', this.readAt);
    const at = u.cursor.left >= 0 ? u.cursor.left : last >= 0 && last <= wide ? last : wide / 2;
    this.setZoom([this.xAt(at - at * factor), this.xAt(at + (wide - at) * factor)]);
  }

  key(event) {
    if (!this.plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const u = this.plot,
      wide = u.over.clientWidth,
      [x0, x1] = this.range.x;
    const at = u.cursor.left >= 0 ? u.cursor.left : wide / 2,
      step = event.shiftKey ? 40 : 8;
    const actions = {
      ArrowLeft: () => this.cursorTo(clamp(at - step, 0, wide)),
      ArrowRight: () => this.cursorTo(clamp(at + step, 0, wide)),
      '+': () => this.zoomBy(0.6),
      '=': () => this.zoomBy(0.6),
      '-': () => (this.zoom ? this.zoomBy(1 / 0.6) : null),
      0: () => this.setZoom(null),
      Escape: () => {
        this.setZoom(null);
        this.leave();
      },
    };
    if (!actions[event.key] || !(x1 > x0)) return;
    event.preventDefault();
    actions[event.key]();
  }

  cursorTo(left) {
    this.plot.setCursor({left, top: this.plot.over.clientHeight / 2});
  }
}

function strokeLine(context, line, figure, X, Y, look) {
  context.globalAlpha = look.opacity;
  context.lineWidth = look.width;
  context.setLineDash(look.dash);
  context.strokeStyle = look.css;
  context.beginPath();
  eachPoint(
    line,
    figure,
    (x, y) => context.moveTo(X(x), Y(y)),
    (x, y) => context.lineTo(X(x), Y(y)),
  );
  context.stroke();
}

function eachDrawn(one, figure, action) {
  eachPoint(one, figure, action, action);
}

/** A little line in the colour and dash of its curve. */
function swatch(one) {
  return s(
    'svg',
    {class: 'swatch', width: 20, height: 10, viewBox: '0 0 20 10', 'aria-hidden': 'true'},
    s('line', {
      x1: 1,
      x2: 19,
      y1: 5,
      y2: 5,
      stroke: one.css(),
      'stroke-width': 2.6,
      'stroke-dasharray': (one.dash || []).map((d) => d * 0.7).join(' ') || null,
    }),
  );
}
