// ---- everything that probes measured, in the order of their table ----

// No prototype: a probe may have any name.
const special = {
  __proto__: null,
  dependency: (arms) =>
    matrixCards(arms, 'dependency', 'beta', 'from', {
      title: 'Dependency β',
      x: 'branch j (0: embedding)',
      y: 'sub-layer i',
      legend: 'βij',
    }),
  similarity: (arms) =>
    matrixCards(
      arms,
      'similarity',
      'cosine',
      'of',
      {title: 'Similarity', x: 'layer', y: 'layer', legend: 'cosine'},
      [0, 1],
    ),
  amplification: amplificationCards,
  curvature: densityCard,
  update: (arms, meanings) =>
    ['gradient', 'update'].flatMap((number) => overUpdates(arms, 'update', number, meanings[number])),
};
// Drawn by the cards above, or parts of another chart.
const drawnElsewhere = {
  __proto__: null,
  dependency: ['beta'],
  similarity: ['cosine'],
  amplification: ['random', 'adam', 'adam_relative'],
  curvature: ['density', 'nodes', 'weights'],
  update: ['gradient', 'update'],
  hidden_state: ['low', 'high'],
};

function probesSection() {
  const arms = armList();
  if (!arms.length) return null;
  const found = new Set(arms.flatMap(({arm}) => arm.curves.map((curve) => curve.probe)));
  const rows = [
    ...data.catalogue,
    ...[...found]
      .filter((name) => !data.catalogue.some((row) => row.name === name))
      .map((name) => ({name, paper: '', summary: '', numbers: {}})),
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
    .filter((number) => !(drawnElsewhere[row.name] || []).includes(number))
    .flatMap((number) => lineFamily(mine, row.name, number, row.numbers[number]));
  const cards = [...(special[row.name] ? special[row.name](mine, row.numbers) : []), ...lines];
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
