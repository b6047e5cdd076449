// ---- the data of the page ----

let data = null;
const styles = {runs: new Map(), variants: new Map()};

/** Takes new data in: unpacked, every run and wiring with its own line. What cannot be read changes nothing. */
function takeData(fresh) {
  for (const run of fresh.runs) {
    for (const curve of Object.values(run.curves)) unpack(curve);
    // A sample without a source or reference has those of the one before.
    run.samples = run.samples.reduce((all, sample) => [...all, {...all[all.length - 1], ...sample}], []);
  }
  data = fresh;
  chooseStyles();
}

function unpack(curve) {
  curve.x = sums(curve.dx);
  curve.gaps = (curve.gaps || []).map(([from, to, value, count]) => ({from, to, value: num(value), count}));
  if (curve.means) curve.means = {...curve.means, x: sums(curve.means.dx)};
}

function sums(steps) {
  let at = 0;
  return steps.map((step) => (at += step));
}

/** The line of points [x, y]. What is not finite becomes a gap, as in the curves of training. */
function lineOf(points) {
  const finite = points.filter(([, y]) => Number.isFinite(y)),
    others = points.filter(([, y]) => !Number.isFinite(y));
  return {
    x: finite.map(([x]) => x),
    y: finite.map(([, y]) => y),
    gaps: others.map(([x, value]) => ({from: x, to: x, value, count: 1})),
  };
}

/** Where runs are of several wirings, colour says which, in curves and probes; else each run has its own. */
function chooseStyles() {
  styles.runs.clear();
  styles.variants.clear();
  const variantOf = (run) => run.summary.variant || run.name;
  const arms = data.probes.flatMap((probe) => probe.arms.map((arm) => arm.variant));
  for (const variant of [...data.runs.map(variantOf), ...arms]) {
    if (!styles.variants.has(variant)) styles.variants.set(variant, lineStyle(styles.variants.size));
  }
  const kinds = new Set(data.runs.map(variantOf)).size;
  const used = new Map();
  data.runs.forEach((run, index) => {
    const variant = variantOf(run);
    const before = used.get(variant) || 0;
    used.set(variant, before + 1);
    styles.runs.set(run.name, kinds > 1 ? styleOfNth(variant, before) : lineStyle(index));
  });
}

/** Dashes part what is of one wiring, unless they part the wirings already: then all of it looks the same. */
function styleOfNth(variant, before) {
  const style = variantStyle(variant);
  return before > 0 && styles.variants.size <= 8 ? {...style, dash: dashes[before % dashes.length]} : style;
}

const runStyle = (run) => styles.runs.get(run.name) || lineStyle(0);
const variantStyle = (variant) => styles.variants.get(variant) || lineStyle(0);
const isShown = (run) => !view.hidden.has(run.name);

/** How a run ended, in one word that the page has a colour for. */
const stateOf = (run) => run.summary.state || 'unfinished';

/** "diverged at update 812: the loss was not finite for 10 updates", or null. */
function failureInWords(run) {
  const failure = run.summary.failure;
  if (!failure) return null;
  const where = failure.tap || failure.parameter || failure.gradient_tap;
  return (
    stateOf(run) +
    ' at update ' +
    failure.update.toLocaleString('en-US') +
    (failure.reason ? ': ' + failure.reason : '') +
    (where ? ' (first at ' + where + ')' : '')
  );
}

/**
 * The same exponential mean as in other tools: the first values are not drawn towards zero. The points of a reduced
 * curve are extremes, so the means of its buckets take their place, and a bucket of n values is as much as n steps.
 */
function smoothed(curve, weight) {
  const {x, y, counts} = curve.means || curve;
  let sum = 0,
    total = 0;
  const means = y.map((value, i) => {
    const past = weight ** (counts ? counts[i] : 1);
    sum = sum * past + value * (1 - past);
    total = total * past + (1 - past);
    return sum / total;
  });
  return {x, y: means};
}
