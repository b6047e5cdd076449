// ---- lines: one card for each number and stack; other labels are a menu ----

const firstChoice = {matrix: 'fc2', sublayer: 'ffn', point: '5'};

function lineFamily(arms, probe, number, meaning) {
  const curves = arms.flatMap((one) =>
    curvesOf(one, probe, number)
      .filter((curve) => curve.axis)
      .map((curve) => ({one, curve})),
  );
  if (!curves.length) return [];
  const stacks = [...new Set(curves.map(({curve}) => curve.labels.stack || ''))];
  return stacks.map((stack) => {
    const id = 'probe.' + probe + '.' + number + '.' + stack;
    const mine = curves.filter(({curve}) => (curve.labels.stack || '') === stack);
    const keys = [...new Set(mine.flatMap(({curve}) => Object.keys(curve.labels)))].filter(
      (key) => key !== 'stack' && key !== 'seed',
    );
    const valuesOf = (key) => [...new Set(mine.map(({curve}) => curve.labels[key] || ''))];
    const several = keys.filter((key) => valuesOf(key).length > 1);
    const choiceOf = (key) => view.choice[id + '.' + key];
    const menus = several.map((key) => {
      const values = valuesOf(key),
        first =
          values.length * arms.length <= 8
            ? 'all'
            : values.find((value) => value.endsWith(firstChoice[key] || '\u0000')) || values[values.length - 1];
      return menu(
        id + '.' + key,
        words(key),
        [first, ...[...values, 'all'].filter((value) => value !== first)].map((value) => [value, value]),
        () => charts.get(id).update(),
      );
    });
    const title = capital(words(probe) + ': ' + words(number)) + (stack ? ', ' + stack : '');
    const figure = () => {
      const parts = several.filter((key) => choiceOf(key) === 'all'),
        fixed = several.filter((key) => choiceOf(key) !== 'all');
      const chosen = mine.filter(({curve}) => fixed.every((key) => curve.labels[key] === choiceOf(key)));
      const series = chosen.map(({one, curve}) => {
        const name = [one.label, ...parts.map((key) => words(curve.labels[key] || ''))].join(', ');
        const dash = parts.length
          ? dashes[valuesOf(parts[0]).indexOf(curve.labels[parts[0]] || '') % dashes.length]
          : one.style.dash;
        return probeLine(one, curve, {name, dash});
      });
      const axis = mine[0].curve.axis;
      return {
        title: [title, ...fixed.map((key) => words(key) + ' ' + words(choiceOf(key)))].join(', '),
        x: {
          label: words(axis),
          whole: ['layer', 'sublayer', 'depth', 'update'].includes(axis),
          log: axis === 'rate' || axis === 'fraction' || axis === 'depth',
        },
        y: {label: words(number), log: wantsLog(series)},
        series: [...series, ...boundLines(arms, probe, number, stack)],
      };
    };
    return lineCard({
      id,
      title,
      note: meaning && capital(meaning) + '.',
      figure,
      menus,
      legend: true,
    });
  });
}

/** What the catalogue knows to bound a number, for the first wiring that it was measured for. */
function boundLines(arms, probe, number, stack) {
  const row = data.catalogue.find((one) => one.name === probe);
  const bounds = (row ? row.charts : []).filter((chart) => chart.kind === 'bound' && chart.of === number);
  const one = arms.find((arm) => bounds.some((bound) => curvesOf(arm, probe, bound.number).length));
  if (!one) return [];
  return bounds.flatMap((bound) =>
    curvesOf(one, probe, bound.number)
      .filter((curve) => (curve.labels.stack || '') === stack)
      .map((curve) =>
        probeLine(one, curve, {
          name: bound.legend,
          css: () => theme().muted,
          dash: [3, 4],
          width: 1.2,
          points: false,
        }),
      ),
  );
}
