// ---- gradient norms per layer, over a run ----

const runsWithGradients = () => data.runs.filter((run) => run.gradients);

/** "encoder.layers.3.ffn" is what the log says, "encoder 4 ffn" what a reader wants: the first layer is 1 in every chart. */
const sublayerName = (name) =>
  name
    .replace(/\.layers\.(\d+)/, (all, layer) => ' ' + (Number(layer) + 1))
    .replace('encoder_attn', 'cross attn')
    .replaceAll(/[._]/g, ' ');
const stackOf = (name) => name.split('.')[0];
const kindOf = (name) => name.split('.').pop();
const layerOf = (name) => Number(/\.layers\.(\d+)/.exec(name)?.[1] ?? 0) + 1;

const chosenRun = (id) => runsWithGradients().find((run) => run.name === view.choice[id]) || runsWithGradients()[0];

function gradientHeatFigure(id) {
  const run = chosenRun(id),
    kept = view.choice[id + '.part'] || 'all';
  const {names, updates, norms, logged} = run.gradients;
  const chosen = names
    .map((name, index) => ({name, index}))
    .filter(({name}) => kept === 'all' || stackOf(name) === kept || kindOf(name) === kept);
  return {
    title: ['Gradient norm per sub-layer', run.name, ...(kept === 'all' ? [] : [words(kept)])].join(', '),
    x: {label: 'update', values: updates, format: grouped},
    y: {label: 'sub-layer', values: chosen.map(({name}) => sublayerName(name))},
    cells: chosen.map(({index}) => norms.map((column) => (column[index] === null ? null : num(column[index])))),
    log: true,
    legend: 'gradient norm',
    logged,
  };
}

/** How far a run is at the moment that the reader has chosen: the place of the column. */
const columnOf = (run, id) => Math.round(Number(view.choice[id + '.time'] ?? 1) * (run.gradients.updates.length - 1));

/** "update 300", or of runs that logged at others "update 300 to 1,000". */
function momentInWords(id) {
  const updates = runsWithGradients()
    .filter(isShown)
    .map((run) => run.gradients.updates[columnOf(run, id)]);
  if (!updates.length) return 'no run is shown';
  const [low, high] = extent(updates);
  return 'update ' + (low === high ? grouped(low) : grouped(low) + ' to ' + grouped(high));
}

/** For each run that is shown, the norms of one kind of sub-layer along its layers, at one moment of its training. */
function profileSeries(stack, id) {
  const kind = view.choice[id + '.kind'],
    series = [];
  for (const run of runsWithGradients().filter(isShown)) {
    const {names, norms} = run.gradients,
      column = norms[columnOf(run, id)];
    const layers = names
      .map((name, index) => ({name, index}))
      .filter(({name}) => stackOf(name) === stack && kindOf(name) === kind);
    if (!layers.length) continue;
    const measured = layers.map(({name, index}) => [layerOf(name), column[index]]).filter(([, norm]) => norm !== null);
    series.push({
      key: run.name,
      name: run.name,
      ...seriesLook(runStyle(run)),
      points: true,
      ...lineOf(measured.map(([layer, norm]) => [layer, num(norm)])),
    });
  }
  return series;
}

function layersSection() {
  const runs = runsWithGradients();
  if (!runs.length) return null;
  const id = 'gradients';
  const all = [...new Set(runs.flatMap((run) => run.gradients.names))];
  const stacks = [...new Set(all.map(stackOf))],
    kinds = [...new Set(all.map(kindOf))];
  if (!kinds.includes(view.choice[id + '.kind'])) view.choice[id + '.kind'] = kinds.includes('ffn') ? 'ffn' : kinds[0];
  const update = (which) => () => charts.get(which).update();
  const parts = [
    ['all', 'all sub-layers'],
    ...stacks.map((stack) => [stack, stack]),
    ...kinds.map((kind) => [kind, words(kind)]),
  ];
  const heatMap = heatCard({
    id: id + '.heat',
    title: 'Gradient norm per sub-layer',
    wide: true,
    figure: () => gradientHeatFigure(id),
    note: 'Colour is the logarithm of the norm of a sub-layer’s gradient. A dark floor or ceiling is a layer that learns nothing.',
    menus: [
      menu(
        id,
        'run',
        runs.map((run) => [run.name, run.name]),
        update(id + '.heat'),
      ),
      menu(id + '.part', 'part', parts, update(id + '.heat')),
    ],
  });
  const profiles = stacks.map((stack) =>
    lineCard({
      id: id + '.' + stack,
      title: 'Gradient profile, ' + stack,
      axes: ['y'],
      legend: true,
      figure: () => ({
        title: ['Gradient profile', stack, words(view.choice[id + '.kind']), momentInWords(id)].join(', '),
        x: {label: 'layer', whole: true},
        y: {label: 'gradient norm', log: true},
        series: profileSeries(stack, id),
      }),
    }),
  );
  const profilesUpdate = () => stacks.forEach((stack) => charts.get(id + '.' + stack).update());
  const said = h('output', {for: 'moment'}, momentInWords(id));
  const tell = () => (said.textContent = momentInWords(id));
  const slider = h('input', {
    type: 'range',
    id: 'moment',
    min: 0,
    max: 1,
    step: 0.005,
    value: view.choice[id + '.time'] ?? 1,
    oninput: () => {
      view.choice[id + '.time'] = slider.value;
      tell();
      profilesUpdate();
    },
  });
  on('data', tell);
  on('runs', tell);
  return section(
    'layers',
    'Layers',
    'How the gradient is spread over depth while a run trains (train.gradient_interval).',
    h('div', {class: 'grid'}, heatMap),
    h(
      'div',
      {class: 'controls'},
      menu(
        id + '.kind',
        'sub-layer',
        kinds.map((kind) => [kind, words(kind)]),
        profilesUpdate,
      ),
      h('label', {class: 'menu', for: 'moment'}, 'moment ', slider, said),
    ),
    h('div', {class: 'grid'}, profiles),
  );
}
