// ---- the spectrum ----

function densityCard(arms, meanings) {
  const measured = arms.filter((one) => curvesOf(one, 'curvature', 'density').length);
  if (!measured.length) return [];
  const figure = () => {
    const series = measured.flatMap((one) =>
      curvesOf(one, 'curvature', 'density').map((curve) =>
        probeLine(one, curve, {
          points: false,
          low: undefined,
          high: undefined,
          name:
            one.label +
            (curve.labels.seed && curvesOf(one, 'curvature', 'density').length > 1
              ? ', seed ' + curve.labels.seed
              : ''),
        }),
      ),
    );
    const [, peak] = extent(series.flatMap((one) => one.y));
    const verticals = measured
      .flatMap((one, row) =>
        [
          ['largest', 'λmax'],
          ['smallest', 'λmin'],
        ].map(([number, symbol]) => ({
          x: scalarOf(one, 'curvature', number),
          text: symbol + ' ' + short(scalarOf(one, 'curvature', number), 3),
          css: () => colourOf(one.style),
          row,
        })),
      )
      .filter((mark) => Number.isFinite(mark.x));
    return {x: {label: 'eigenvalue'}, y: {label: 'density', log: true, floor: peak * 1e-10}, series, verticals};
  };
  return [
    lineCard({
      id: 'probe.curvature.density',
      title: 'Hessian: density of eigenvalues',
      figure,
      wide: true,
      legend: true,
      note: capital(meanings.density || '') + '. Both ends are marked.',
    }),
  ];
}
