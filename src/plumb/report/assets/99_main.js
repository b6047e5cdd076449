// ---- the page ----

const namesAnd = (more) => data.runs.map((run) => [run.name, more(run)]);
const probesAndColours = () => [data.probes, [...styles.variants]];

/** In their order. As long as `shape` is the same, newer data only moves what a part has; else it is made anew. */
const parts = [
  {name: 'overview', make: overviewSection, shape: () => [data.runs.length > 0, problemList().length > 0]},
  {name: 'sweeps', make: sweepsSection, shape: () => data.sweeps},
  {name: 'curves', make: curvesSection, shape: () => namesAnd((run) => Object.keys(run.curves))},
  {name: 'layers', make: layersSection, shape: () => namesAnd((run) => run.gradients && run.gradients.names)},
  {name: 'verdict', make: verdictSection, shape: () => [themeName(), probesAndColours()]},
  {name: 'probes', make: probesSection, shape: probesAndColours},
  {name: 'samples', make: samplesSection, shape: () => namesAnd((run) => Math.min(2, run.samples.length))},
  {
    name: 'configs',
    make: configsSection,
    shape: () => [themeName(), namesAnd((run) => [run.folder, run.command, run.config, runStyle(run)])],
  },
];

function overviewSection() {
  const title = data.runs.length ? 'Runs' : 'Problems';
  if (!data.runs.length && !problemList().length) return null;
  const box = h('section', {id: 'runs', 'data-title': title, 'aria-labelledby': 'runs-title'});
  const show = () =>
    box.replaceChildren(
      ...[
        h('h2', {id: 'runs-title'}, title),
        data.runs.length ? h('p', {class: 'summary'}, summarySentences()) : null,
        failureList(),
        data.runs.length ? runsTable() : null,
      ].filter(Boolean),
    );
  on('table', show);
  on('runs', () => markRuns(box));
  on('theme', show);
  on('data', show);
  show();
  return box;
}

/** "3 runs, 1 probe". */
const contents = () =>
  [
    data.runs.length && plural(data.runs.length, 'run'),
    data.probes.length && plural(data.probes.length, 'probe'),
    data.sweeps.length && plural(data.sweeps.length, 'sweep'),
  ]
    .filter(Boolean)
    .join(', ');

function headline() {
  const otherTheme = () => (themeName() === 'dark' ? 'light' : 'dark');
  const themeButton = h(
    'button',
    {type: 'button', class: 'tool', id: 'theme', onclick: () => setTheme(otherTheme())},
    otherTheme(),
  );
  on('theme', () => (themeButton.textContent = otherTheme()));
  const made = h('p', {id: 'made'}),
    links = h('nav', {'aria-label': 'parts of the page'});
  const show = () => {
    made.textContent = contents() + ' · ' + data.made;
    document.title = 'Plumb: ' + contents();
    const now = [...document.querySelectorAll('main > section')].map((one) =>
      h('a', {href: '#' + one.id}, one.dataset.title),
    );
    const same = now.length === links.children.length && now.every((link, i) => link.isEqualNode(links.children[i]));
    if (!same) links.replaceChildren(...now); // else the one with the focus keeps it
  };
  on('data', show);
  show();
  byId('top').replaceChildren(
    h('div', {class: 'title'}, h('h1', {}, 'Plumb'), made),
    links,
    h('div', {class: 'tools'}, h('span', {id: 'live', role: 'status'}), themeButton),
  );
  byId('foot').replaceChildren(
    'Made by plumb ' + data.plumb + '. Charts: uPlot 1.6.32 (MIT). This page loads nothing and sends nothing.',
  );
}

/** Makes the parts that are not there yet, or no longer what they were. The others are not touched. */
function build() {
  let next = null;
  for (const part of [...parts].reverse()) {
    const shape = JSON.stringify(part.shape());
    if (shape !== part.made) makeAnew(part);
    part.made = shape;
    if (!part.node) continue;
    if (!part.node.isConnected) byId('main').insertBefore(part.node, next);
    next = part.node;
  }
}

function makeAnew(part) {
  stopListening(part.name);
  const heights = removeCharts(part.name);
  if (part.node) part.node.remove();
  hideTip(); // it may speak of a chart that is gone
  partInTheMaking = part.name;
  part.node = orWhyNot('This part', part.make, (why) => section(part.name, capital(part.name), why));
  partInTheMaking = 'page';
  keepRoom(heights);
}

const stored = recall('theme');
if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored;
const first = JSON.parse(byId('data').textContent);
takeData(first);
build();
headline();
on('theme', build);
for (const event of ['runs', 'curves', 'theme', 'data']) on(event, () => charts.forEach((card) => card.update()));
if (document.body.dataset.kind === 'served') watch();

// For tests, and for the curious at the console.
globalThis.plumbReport = {view, charts, data: () => data, drawings: () => onPage.size};
