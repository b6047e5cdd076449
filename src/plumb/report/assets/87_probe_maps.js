// ---- matrices ----

/** One map for each stack and wiring, all with the same colours. Labels number the columns: from 0 to the largest. */
function matrixCards(arms, probe, number, fromLabel, wording, domain) {
  const all = arms.flatMap((one) => curvesOf(one, probe, number));
  const values = all.flatMap((curve) => curve.mean.map(num)).filter(Number.isFinite);
  const shared = values.length ? extent([...(domain || [0, 0]), ...values]) : undefined;
  const stacks = [...new Set(all.map((curve) => curve.labels.stack || ''))];
  return stacks
    .flatMap((stack) =>
      arms.map((one) => ({
        one,
        stack,
        mine: curvesOf(one, probe, number).filter((curve) => (curve.labels.stack || '') === stack),
      })),
    )
    .filter(({mine}) => mine.length)
    .map(({one, stack, mine}) => {
      const along = [...new Set(mine.flatMap((curve) => curve.at.map(num)))].sort((a, b) => a - b);
      const froms = [...new Set(mine.map((curve) => Number(curve.labels[fromLabel])))].sort((a, b) => a - b);
      const value = new Map(
        mine.flatMap((curve) => curve.at.map((at, i) => [num(at) + '|' + curve.labels[fromLabel], num(curve.mean[i])])),
      );
      return heatCard({
        id: 'probe.' + probe + '.' + number + '.' + one.label + '.' + stack,
        title: wording.title + ', ' + one.label + (stack ? ', ' + stack : ''),
        small: true,
        figure: () => ({
          x: {label: wording.x, values: froms},
          y: {label: wording.y, values: along},
          square: true,
          domain: shared,
          legend: wording.legend,
          cells: along.map((at) => froms.map((from) => value.get(at + '|' + from) ?? null)),
        }),
      });
    });
}

/** "decoder 3 cross out" for {stack: decoder, layer: 3, matrix: encoder_attn.out_proj}. */
function matrixName(labels) {
  const {stack, layer, ...others} = labels;
  const rest = Object.values(others).map((name) =>
    name.replace('encoder_attn', 'cross').replace('self_attn', 'self').replace('_proj', '').replaceAll('.', ' '),
  );
  return [stack, layer, ...rest].filter((part) => part !== undefined).join(' ');
}

/** Many curves along the updates of a run: rows of a heat map. */
function overUpdates(arms, probe, number, meaning) {
  return arms
    .filter((one) => curvesOf(one, probe, number).some((curve) => curve.axis))
    .map((one) => {
      const mine = curvesOf(one, probe, number).filter((curve) => curve.axis);
      const updates = [...new Set(mine.flatMap((curve) => curve.at.map(num)))].sort((a, b) => a - b);
      return heatCard({
        id: 'probe.' + probe + '.' + number + '.' + one.label,
        title: capital(words(probe) + ': ' + words(number)) + ', ' + one.label,
        note: meaning && capital(meaning) + '.',
        wide: true,
        figure: () => ({
          x: {label: 'update', values: updates, format: grouped},
          y: {label: 'matrix', values: mine.map((curve) => matrixName(curve.labels))},
          log: true,
          legend: words(number),
          cells: mine.map((curve) =>
            updates.map((update) => {
              const i = curve.at.indexOf(update);
              return i < 0 ? null : num(curve.mean[i]);
            }),
          ),
        }),
      });
    });
}
