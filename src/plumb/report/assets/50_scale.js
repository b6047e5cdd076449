// ---- axes: the same ticks on the screen and in saved pictures ----

/** Round places between low and high, about `count` of them. */
function linearTicks(low, high, count) {
  if (!(high > low) || !Number.isFinite(high - low)) return [low];
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((m) => m * power >= rough * 0.999) * power;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && ticks.length < 100; ++i)
    ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/** Powers of ten; with 2 and 5 between them where there is room, and round numbers within less than a decade. */
function logTicks(low, high, count) {
  if (!(low > 0) || !(high > low) || !Number.isFinite(high)) return [];
  const from = Math.log10(low),
    to = Math.log10(high);
  if (to - from < 0.7) return linearTicks(low, high, count).filter((tick) => tick > 0);
  const factors = (to - from) * 3 <= count * 1.6 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil((to - from) / Math.max(1, count)));
  const ticks = [];
  for (let exponent = Math.floor(from); exponent <= Math.ceil(to); ++exponent) {
    if (factors.length === 1 && ((exponent % every) + every) % every !== 0) continue;
    for (const factor of factors) {
      const tick = factor * 10 ** exponent;
      if (tick >= low * 0.999999 && tick <= high * 1.000001) ticks.push(Number(tick.toPrecision(12)));
    }
  }
  return ticks;
}

/** A count has no place between two whole numbers. */
function ticksOf(axis, low, high, count) {
  const ticks = axis.log ? logTicks(low, high, count) : linearTicks(low, high, count);
  return axis.whole ? ticks.filter(Number.isInteger) : ticks;
}

const straight = (value) => value;

/** Where a value lies between the ends of an axis: 0 at the low one, 1 at the high one. */
function fractionOf(axis, [low, high], value) {
  const f = axis.log ? Math.log10 : straight;
  return (f(value) - f(low)) / (f(high) - f(low));
}

/** The value at such a place. */
function valueAt(axis, [low, high], fraction) {
  const [f, back] = axis.log ? [Math.log10, (v) => 10 ** v] : [straight, straight];
  return back(f(low) + (f(high) - f(low)) * fraction);
}

/** Labels of ticks: as many digits as tell them apart. */
function tickLabels(axis, ticks) {
  if (axis.format) return apart(ticks, axis.format);
  if (axis.log) return ticks.map((tick) => short(tick, 3));
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(ticks[0] || 1);
  const largest = Math.max(...ticks.map(Math.abs));
  if (largest >= 1e7 || (largest > 0 && largest < 1e-3)) return apart(ticks, short);
  const digits = clamp(Math.ceil(-Math.log10(step) - 1e-9), 0, 6);
  return ticks.map(
    (tick) =>
      (tick < 0 ? '−' : '') +
      Math.abs(tick).toLocaleString('en-US', {minimumFractionDigits: digits, maximumFractionDigits: digits}),
  );
}

function apart(ticks, format) {
  for (let digits = 3; ; ++digits) {
    const labels = ticks.map((tick) => format(tick, digits));
    if (digits === 9 || new Set(labels).size === labels.length) return labels;
  }
}

const usable = (value, log) => Number.isFinite(value) && (!log || value > 0);

/** The first index with x[index] >= value. */
function lowerBound(x, value) {
  let low = 0,
    high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the value that is nearest to `at`, as `far` measures it. */
function nearest(x, at, far) {
  const after = lowerBound(x, at);
  return after === x.length || (after > 0 && far(x[after - 1]) < far(x[after])) ? after - 1 : after;
}

/** What a figure covers: x of everything drawn (marks too), or the zoom; y of what is drawn within that. */
function rangesOf(figure, zoom) {
  let x0 = Infinity,
    x1 = -Infinity;
  const seeX = (value) => {
    if (!usable(value, figure.x.log)) return;
    x0 = Math.min(x0, value);
    x1 = Math.max(x1, value);
  };
  for (const one of figure.series) {
    const first = figure.x.log ? one.x.find((value) => value > 0) : one.x[0];
    if (one.x.length) (seeX(first), seeX(one.x[one.x.length - 1]));
    for (const gap of one.gaps || []) (seeX(gap.from), seeX(gap.to));
    for (const mark of one.marks || []) seeX(mark.x);
  }
  for (const mark of figure.verticals || []) seeX(mark.x);
  if (!(x1 >= x0)) [x0, x1] = figure.x.log ? [1, 10] : [0, 1];
  if (x0 === x1) [x0, x1] = figure.x.log ? [x0 / 2, x1 * 2] : [x0 - 1, x1 + 1];
  if (!zoom && figure.series.some((one) => one.points || (one.marks || []).length)) {
    // dots and crosses at the ends are whole
    [x0, x1] = figure.x.log
      ? [x0 / (x1 / x0) ** 0.02, x1 * (x1 / x0) ** 0.02]
      : [x0 - (x1 - x0) * 0.02, x1 + (x1 - x0) * 0.02];
  }
  if (zoom) [x0, x1] = zoomed(zoom, figure.x.log);

  let y0 = Infinity,
    y1 = -Infinity;
  const seeY = (value) => {
    if (!usable(value, figure.y.log)) return;
    if (value < y0) y0 = value;
    if (value > y1) y1 = value;
  };
  for (const {x, y} of figure.series
    .filter((any) => !any.silent)
    .flatMap((one) => (one.raw ? [one, one.raw] : [one]))) {
    const from = Math.max(0, lowerBound(x, x0) - 1),
      to = Math.min(x.length, lowerBound(x, x1) + 1);
    for (let i = from; i < to; ++i) seeY(y[i]);
  }
  [y0, y1] = withBands(figure, y0, y1);
  if (figure.y.from !== undefined) seeY(figure.y.from);
  if (!(y1 >= y0)) [y0, y1] = figure.y.log ? [0.1, 10] : [0, 1];
  if (figure.y.floor !== undefined && figure.y.log) y0 = Math.max(y0, figure.y.floor);
  return {x: [x0, x1], y: padded(y0, y1, figure.y.log)};
}

/** A chart with another axis may have been zoomed to a place that a logarithm does not have. */
function zoomed([from, to], log) {
  if (!log || from > 0) return [from, to];
  return to > 0 ? [Math.min(1, to / 10), to] : [0.1, 1];
}

/** Intervals of two seeds can be wider than all that was measured: they get at most as much room as the means have. */
function withBands(figure, y0, y1) {
  let low = y0,
    high = y1;
  for (const one of figure.series) {
    for (let i = 0; one.low && i < one.x.length; ++i) {
      if (usable(one.low[i], figure.y.log)) low = Math.min(low, one.low[i]);
      if (usable(one.high[i], figure.y.log)) high = Math.max(high, one.high[i]);
    }
  }
  if (!(y1 >= y0) || (low === y0 && high === y1)) return [y0, y1];
  const [f, back] = figure.y.log ? [Math.log10, (v) => 10 ** v] : [straight, straight];
  const room = Math.max((f(y1) - f(y0)) * 0.6, Math.abs(f(y1)) * 0.05);
  const floor = y0 >= 0 && !figure.y.log ? 0 : -Infinity;
  return [Math.max(low, back(f(y0) - room), floor), Math.min(high, back(f(y1) + room))];
}

function padded(low, high, log) {
  if (log) {
    const room = Math.max((Math.log10(high) - Math.log10(low)) * 0.05, 0.02);
    return [Math.max(low / 10 ** room, Number.MIN_VALUE), Math.min(high * 10 ** room, Number.MAX_VALUE)];
  }
  if (low === 0 && high === 0) return [0, 1];
  const room = (high - low) * 0.05 || Math.abs(high) * 0.05;
  return [low - room, high + room];
}
