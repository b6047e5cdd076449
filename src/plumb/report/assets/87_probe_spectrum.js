// ---- the spectrum ----

function densityCard(arms, probe, number, meaning) {
  const measured = arms.filter((one) => curvesOf(one, probe, number).length);
  if (!measured.length) return [];
  const figure = () => {
    const series = measured.flatMap((one) =>
      curvesOf(one, probe, number).map((curve) =>
        probeLine(one, curve, {
          points: false,
          low: undefined,
          high: undefined,
          name:
            one.label +
            (curve.labels.seed && curvesOf(one, probe, number).length > 1 ? ', seed ' + curve.labels.seed : ''),
        }),
      ),
    );
    const [, peak] = extent(series.flatMap((one) => one.y));
    const verticals = measured
      .flatMap((one, row) =>
        [
          ['largest', 'λmax'],
          ['smallest', 'λmin'],
        ].map(([end, symbol]) => ({
          x: scalarOf(one, probe, end),
          text: symbol + ' ' + short(scalarOf(one, probe, end), 3),
          css: () => colourOf(one.style),
          row,
        })),
      )
      .filter((mark) => Number.isFinite(mark.x));
    return {x: {label: 'eigenvalue'}, y: {label: 'density', log: true, floor: peak * 1e-10}, series, verticals};
  };
  return [
    lineCard({
      id: 'probe.' + probe + '.' + number,
      title: 'Hessian: density of eigenvalues',
      figure,
      wide: true,
      legend: true,
      note: capital(meaning || '') + '. Both ends are marked.',
    }),
  ];
}
