// ---- how each run was made ----

/** The keys of a config.toml as it is written by a run: one line each. */
function settingsOf(text) {
  const settings = new Map();
  let part = '';
  for (const line of text.split('\n')) {
    const head = /^\[([^\]]+)\]\s*$/.exec(line),
      pair = /^([A-Za-z0-9_.-]+)\s*=\s*(.*)$/.exec(line);
    if (head) part = head[1] + '.';
    else if (pair) settings.set(part + pair[1], pair[2]);
  }
  return settings;
}

function differencesTable() {
  const runs = data.runs.filter((run) => run.config);
  if (runs.length < 2) return null;
  const all = runs.map((run) => settingsOf(run.config)),
    keys = [...new Set(all.flatMap((settings) => [...settings.keys()]))];
  const different = keys.filter((key) => new Set(all.map((settings) => settings.get(key))).size > 1);
  if (!different.length) return h('p', {class: 'lead'}, 'All runs have the same configuration.');
  return h(
    'div',
    {
      class: 'scroll' + (runs.length > 25 ? ' tall' : ''),
      tabindex: 0,
      role: 'region',
      'aria-label': 'keys that differ',
    },
    h(
      'table',
      {class: 'plain differences'},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', {scope: 'col'}, 'run'),
          different.map((key) => h('th', {scope: 'col'}, h('code', {}, key))),
        ),
      ),
      h(
        'tbody',
        {},
        runs.map((run, i) =>
          h(
            'tr',
            {},
            h('th', {scope: 'row'}, swatch(seriesLook(runStyle(run))), ' ', run.name),
            different.map((key) => h('td', {}, all[i].get(key) ?? '–')),
          ),
        ),
      ),
    ),
  );
}

function copyButton(text) {
  const button = h(
    'button',
    {
      type: 'button',
      class: 'tool',
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = 'copied';
        } catch (error) {
          button.textContent = 'select it by hand';
        }
        setTimeout(() => (button.textContent = 'copy'), 1500);
      },
    },
    'copy',
  );
  return button;
}

const notRecorded = (run) =>
  'not recorded by this run' + (run.config ? '; plumb train ' + run.folder + '/config.toml repeats it' : '');

function eventLines(run) {
  const lines = run.events.map((event) =>
    h(
      'li',
      {},
      h('small', {}, 'update ' + short(event.update)),
      ' ' + [event.event, event.outcome, event.reason, event.tap].filter(Boolean).join(': '),
    ),
  );
  const out = run.events_left_out;
  if (out) lines.splice(out.after, 0, h('li', {}, '… ' + plural(out.count, 'event') + ' left out; log.jsonl has them'));
  return lines;
}

/** The list of a run's events, which grows while the rest stays: whoever reads or copies that is not disturbed. */
function eventsOf(name) {
  const heading = h('h4', {}, 'Events'),
    list = h('ul', {class: 'events'});
  let shown = '';
  const show = () => {
    const run = data.runs.find((one) => one.name === name),
      now = run ? JSON.stringify([run.events, run.events_left_out]) : shown;
    if (now === shown) return;
    shown = now;
    heading.hidden = !run.events.length;
    list.replaceChildren(...eventLines(run));
  };
  on('data', show);
  show();
  return [heading, list];
}

function configsSection() {
  if (!data.runs.length) return null;
  const one = (run) =>
    unfolding(
      'config of ' + run.name,
      {class: 'config'},
      h('summary', {}, swatch(seriesLook(runStyle(run))), ' ', h('b', {}, run.name), ' ', h('small', {}, run.folder)),
      h('h4', {}, 'Command ', run.command ? copyButton(run.command) : null),
      h('pre', {}, run.command || notRecorded(run)),
      h('h4', {}, 'Effective configuration ', run.config ? copyButton(run.config) : null),
      h('pre', {}, run.config || 'there is none'),
      eventsOf(run.name),
    );
  return section(
    'configs',
    'Configurations',
    data.runs.length > 1 ? 'The keys in which the runs differ, then everything about each.' : null,
    differencesTable(),
    h('div', {class: 'configs'}, data.runs.map(one)),
  );
}
