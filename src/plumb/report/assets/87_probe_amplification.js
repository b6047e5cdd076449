// ---- amplification and its two laws ----

/** Least squares of y = a + b f(x). */
function fitLine(x, y, f) {
  const u = x.map(f),
    n = u.length,
    meanU = u.reduce((a, b) => a + b, 0) / n,
    meanY = y.reduce((a, b) => a + b, 0) / n;
  let over = 0,
    under = 0;
  for (let i = 0; i < n; ++i) ((over += (u[i] - meanU) * (y[i] - meanY)), (under += (u[i] - meanU) ** 2));
  const slope = under > 0 ? over / under : 0;
  return (value) => meanY + slope * (f(value) - meanU);
}

function growthCards(arms, probe, number, meaning) {
  const cards = [];
  const stacks = [
    ...new Set(arms.flatMap((one) => curvesOf(one, probe, number).map((curve) => curve.labels.stack || ''))),
  ];
  for (const stack of stacks) {
    const mine = arms.flatMap((one) =>
      curvesOf(one, probe, number)
        .filter((curve) => (curve.labels.stack || '') === stack && curve.axis)
        .map((curve) => ({one, curve})),
    );
    if (!mine.length) continue;
    const figure = () => {
      const series = [];
      for (const {one, curve} of mine) {
        const line = probeLine(one, curve);
        series.push(line);
        if (line.x.length < 3) continue;
        const low = line.x[0],
          high = line.x[line.x.length - 1],
          x = Array.from({length: 41}, (_, i) => low + ((high - low) * i) / 40);
        const labels = {by: number, stack};
        for (const [law, f, dash, r2] of [
          ['a + b N', (v) => v, [7, 4], 'r2_linear'],
          ['a + b ln N', Math.log, [2, 3], 'r2_log'],
        ]) {
          const fit = fitLine(line.x, line.y, f),
            explained = scalarOf(one, probe, r2, labels);
          series.push({
            key: line.key + law,
            name: one.label + ': ' + law + (Number.isFinite(explained) ? ' (R² ' + explained.toFixed(3) + ')' : ''),
            ...seriesLook(one.style),
            dash,
            width: 1.2,
            x,
            y: x.map(fit),
            gaps: [],
            silent: true,
          });
        }
      }
      return {x: {label: 'sub-layers N', whole: true}, y: {label: 'output shift', log: false}, series};
    };
    const laws = mine
      .map(({one}) => {
        const labels = {by: number, stack},
          linear = scalarOf(one, probe, 'r2_linear', labels),
          log = scalarOf(one, probe, 'r2_log', labels);
        return Number.isFinite(linear - log) ? one.label + ' ' + (linear > log ? 'O(N)' : 'O(log N)') : '';
      })
      .filter(Boolean);
    cards.push(
      lineCard({
        id: 'probe.' + probe + '.' + number + '.' + stack,
        title:
          'Amplification, ' + (number === 'adam' ? 'one Adam step' : 'random change') + (stack ? ', ' + stack : ''),
        figure,
        note:
          capital(String(meaning || '').replace('the same', 'output shift')) +
          '. Dashed: a + b N; dotted: a + b ln N. ' +
          (laws.length ? 'Fits better: ' + laws.join(', ') + '.' : ''),
        legend: true,
      }),
    );
  }
  return cards;
}
