// ---- what probes measured ----

/** Every wiring of which something was measured, with a name that no other of them has. */
function armList(counts) {
  const all = data.probes
    .flatMap((probe) => probe.arms.map((arm) => ({arm, probe})))
    .filter(({arm}) => !counts || counts(arm));
  const uses = new Map();
  for (const {arm} of all) uses.set(arm.variant, (uses.get(arm.variant) || 0) + 1);
  const seen = new Map();
  return all.map(({arm, probe}) => {
    const alone = uses.get(arm.variant) === 1,
      before = seen.get(arm.variant) || 0;
    seen.set(arm.variant, before + 1);
    const inProbe = probe.arms.filter((other) => other.variant === arm.variant),
      place = inProbe.length > 1 ? ', ' + (inProbe.indexOf(arm) + 1) : '';
    return {
      arm,
      label: alone ? arm.variant : arm.variant + ' (' + probe.name + place + ')',
      style: styleOfNth(arm.variant, before),
    };
  });
}

const curvesOf = (one, probe, number) =>
  one.arm.curves.filter((curve) => curve.probe === probe && curve.number === number);
const scalarOf = (one, probe, number, labels) => {
  const found = curvesOf(one, probe, number).find(
    (curve) => !curve.axis && Object.entries(labels || {}).every(([key, value]) => curve.labels[key] === value),
  );
  return found && found.mean.length ? num(found.mean[0]) : NaN;
};

/** All numbers as one line of a chart. */
function probeLine(one, curve, extra) {
  const mean = curve.at.map((at, i) => num(curve.mean[i])),
    bound = (values) => values && values.map(num).filter((value, i) => Number.isFinite(mean[i]));
  return {
    key: one.label + '|' + JSON.stringify(curve.labels) + curve.number,
    name: one.label,
    ...seriesLook(one.style),
    ...lineOf(curve.at.map((at, i) => [num(at), mean[i]])),
    low: bound(curve.low),
    high: bound(curve.high),
    points: curve.at.length <= 60,
    ...extra,
  };
}

function wantsLog(series) {
  let low = Infinity,
    high = -Infinity;
  for (const one of series) for (const value of one.y) ((low = Math.min(low, value)), (high = Math.max(high, value)));
  return low > 0 && high / low > 20;
}
