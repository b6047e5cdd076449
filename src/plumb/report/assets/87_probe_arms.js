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
    return {
      arm,
      label: alone ? arm.variant : arm.variant + ' (' + probe.name + ')',
      style: {...variantStyle(arm.variant), ...(before ? {dash: dashes[before % dashes.length]} : {})},
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

/** All numbers as one line of a chart. What is not finite becomes a gap, as in the curves of training. */
function probeLine(one, curve, extra) {
  const line = {
    key: one.label + '|' + JSON.stringify(curve.labels) + curve.number,
    name: one.label,
    ...seriesLook(one.style),
    x: [],
    y: [],
    gaps: [],
    points: curve.at.length <= 60,
  };
  const low = curve.low && [],
    high = curve.high && [];
  curve.at.forEach((at, i) => {
    const value = num(curve.mean[i]);
    if (!Number.isFinite(value)) return line.gaps.push({from: num(at), to: num(at), value, count: 1});
    line.x.push(num(at));
    line.y.push(value);
    if (low) (low.push(num(curve.low[i])), high.push(num(curve.high[i])));
  });
  if (low) Object.assign(line, {low, high});
  return Object.assign(line, extra);
}

function wantsLog(series) {
  let low = Infinity,
    high = -Infinity;
  for (const one of series) for (const value of one.y) ((low = Math.min(low, value)), (high = Math.max(high, value)));
  return low > 0 && high / low > 20;
}
