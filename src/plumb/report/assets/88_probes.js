// ---- everything that probes measured, in the order of their table ----

// How the numbers of a probe are drawn that are not drawn as lines; the catalogue says which these are.
const chartCards = {
  map: (arms, probe, {number, of, domain, ...wording}) => matrixCards(arms, probe, number, of, wording, domain),
  growth: (arms, probe, {number}, meaning) => growthCards(arms, probe, number, meaning),
  density: (arms, probe, {number}, meaning) => densityCard(arms, probe, number, meaning),
  updates: (arms, probe, {number}, meaning) => overUpdates(arms, probe, number, meaning),
  bound: () => [], // stands in the chart of the number that it bounds
  part: () => [],
};

function probesSection() {
  const arms = armList();
  if (!arms.length) return null;
  const found = new Set(arms.flatMap(({arm}) => arm.curves.map((curve) => curve.probe)));
  const rows = [
    ...data.catalogue,
    ...[...found]
      .filter((name) => !data.catalogue.some((row) => row.name === name))
      .map((name) => ({name, paper: '', summary: '', numbers: {}, charts: []})),
  ];
  const blocks = rows
    .filter((row) => found.has(row.name))
    .map((row) => orWhyNot('The probe ' + row.name, () => probeBlock(row)));
  const samples = [...new Set(arms.map(({arm}) => arm.sample).filter(Boolean))];
  return section(
    'probes',
    'Probes',
    'Measured on ' + samples.join('; ') + '. Shaded: 95 % interval over seeds, where there are several.',
    blocks,
  );
}

function probeBlock(row) {
  const mine = armList((arm) => arm.curves.some((curve) => curve.probe === row.name));
  const numbers = [
    ...new Set(
      mine.flatMap(({arm}) =>
        arm.curves.filter((curve) => curve.probe === row.name && curve.axis).map((curve) => curve.number),
      ),
    ),
  ];
  const lines = numbers
    .filter((number) => !row.charts.some((chart) => chart.number === number))
    .flatMap((number) => lineFamily(mine, row.name, number, row.numbers[number]));
  const drawn = row.charts.flatMap((chart) => chartCards[chart.kind](mine, row.name, chart, row.numbers[chart.number]));
  const cards = [...drawn, ...lines];
  return h(
    'section',
    {class: 'probe', 'data-probe': row.name},
    h('h3', {class: 'probe-title'}, capital(words(row.name))),
    h('p', {class: 'lead'}, capital(row.summary || ''), row.paper ? h('cite', {}, ' ' + row.paper) : null),
    h(
      'div',
      {class: 'grid maps'},
      cards.filter((card) => card.classList.contains('small')),
    ),
    h(
      'div',
      {class: 'grid'},
      cards.filter((card) => !card.classList.contains('small')),
    ),
    scalarTable(mine, row.name, row.numbers),
  );
}
