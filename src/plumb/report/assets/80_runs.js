// ---- the table of runs ----

const seriesLook = (style) => ({css: () => colourOf(style), dash: style.dash});

function badge(state) {
  return h('span', {class: 'badge ' + state.replaceAll(' ', '-')}, state);
}

function depthOf(summary) {
  return [summary.encoder_layers, summary.decoder_layers].filter((layers) => layers > 0).join('–') || '–';
}

/** A setting in words; a dash where the config could not be read, so that nobody takes it for a zero. */
const settingCell = (key, inWords) => (run) => (isNumber(run.summary[key]) ? inWords(run.summary[key]) : '–');

/** The scores that validations of any run have: bleu, wer, accuracy... */
function scoreNames() {
  const names = new Set();
  for (const run of data.runs) Object.keys(run.summary.best_scores || {}).forEach((name) => names.add(name));
  return [...names].sort();
}

/** What is no metric of the catalogue is a loss of a kind: perplexities, bits per byte. */
const lowerIsBetter = (name) => !data.higher_is_better.includes(name.split('.')[0]);

/** Columns: text of a cell, and what it sorts by. A column that says nothing about any run is left out. */
function runColumns() {
  const of = (key) => (run) => run.summary[key];
  const best = (run) => (run.summary.best ? num(run.summary.best.loss) : NaN);
  const columns = [
    {name: 'outcome', value: stateOf, cell: (run) => badge(stateOf(run)), text: true},
    {
      name: 'of unigram',
      value: (run) => num(run.summary.unigram_share),
      cell: (run) => unigramShare(run.summary.unigram_share) || '–',
    },
    {name: 'variant', value: of('variant'), cell: (run) => run.summary.variant || '–', text: true},
    {
      name: 'depth',
      value: (run) => run.summary.encoder_layers * 1000 + run.summary.decoder_layers,
      cell: (run) => depthOf(run.summary),
    },
    {name: 'width', value: of('width'), cell: settingCell('width', short)},
    {
      name: 'size',
      value: of('parameters'),
      cell: (run) => (run.summary.parameters > 0 ? large(run.summary.parameters) : '–'),
    },
    {name: 'lr', value: of('lr'), cell: settingCell('lr', rate)},
    {name: 'warm-up', value: of('warmup_updates'), cell: settingCell('warmup_updates', short)},
    {name: 'seed', value: of('seed'), cell: settingCell('seed', String), onlyIfDifferent: true},
    {name: 'updates', value: of('update'), cell: (run) => short(run.summary.update)},
    {
      name: 'best loss',
      value: best,
      best: 'low',
      cell: (run) =>
        run.summary.best ? [short(best(run)), h('small', {}, ' at ' + short(run.summary.best.update))] : '–',
    },
  ];
  for (const name of scoreNames()) {
    const value = (run) =>
      run.summary.best_scores && run.summary.best_scores[name] ? num(run.summary.best_scores[name].value) : NaN;
    columns.push({
      name: words(name),
      value,
      best: lowerIsBetter(name) ? 'low' : 'high',
      cell: (run) => (Number.isNaN(value(run)) ? '–' : short(value(run))),
    });
  }
  columns.push({
    name: 'tokens/s',
    value: of('tokens_per_second'),
    cell: (run) => (isNumber(run.summary.tokens_per_second) ? short(run.summary.tokens_per_second) : '–'),
  });
  columns.push({
    name: 'time',
    value: of('seconds'),
    cell: (run) => (isNumber(run.summary.seconds) ? duration(run.summary.seconds) : '–'),
  });
  const differs = (column) => new Set(data.runs.map(column.value).filter((value) => value !== undefined)).size > 1;
  return columns.filter((column) => !column.onlyIfDifferent || differs(column));
}

function compareCells(a, b) {
  const missing = (v) => v === undefined || v === null || v === '' || Number.isNaN(v);
  if (missing(a) || missing(b)) return missing(a) - missing(b) || 0;
  return typeof a === 'string' ? a.localeCompare(b, 'en', {numeric: true}) : a - b;
}

function sortedRuns(columns) {
  const column = columns.find((one) => one.name === view.sort.column);
  const value = column ? column.value : view.sort.column === 'run' ? (run) => run.name : null;
  if (!value) return data.runs;
  const missing = (run) => {
    const v = value(run);
    return v === undefined || v === null || v === '' || Number.isNaN(v);
  };
  return [...data.runs].sort((a, b) =>
    missing(a) || missing(b) ? missing(a) - missing(b) : (view.sort.down ? -1 : 1) * compareCells(value(a), value(b)),
  );
}

function runsTable() {
  const columns = runColumns();
  const bests = new Map(
    columns
      .filter((column) => column.best && data.runs.length > 1)
      .map((column) => {
        const values = data.runs.map(column.value).filter(Number.isFinite);
        const [low, high] = extent(values);
        return [column.name, !(low < high) ? NaN : column.best === 'low' ? low : high];
      }),
  );
  const header = (name, text) => {
    const active = view.sort.column === name;
    const sort = () => {
      view.sort = {column: name, down: active && !view.sort.down};
      emit('table');
      const again = [...document.querySelectorAll('table.runs thead button')].find(
        (button) => button.dataset.column === name,
      );
      if (again) again.focus();
    };
    return h(
      'th',
      {
        scope: 'col',
        class: text ? null : 'number',
        'aria-sort': active ? (view.sort.down ? 'descending' : 'ascending') : 'none',
      },
      h(
        'button',
        {type: 'button', 'data-column': name, onclick: sort},
        name,
        h('span', {class: 'arrow', 'aria-hidden': 'true'}, active ? (view.sort.down ? '▼' : '▲') : '↕'),
      ),
    );
  };
  const row = (run) =>
    h(
      'tr',
      {class: isShown(run) ? null : 'off'},
      h('th', {scope: 'row'}, runToggle(run)),
      columns.map((column) =>
        h(
          'td',
          {
            class:
              (column.text ? '' : 'number') +
              (bests.has(column.name) && column.value(run) === bests.get(column.name) ? ' best' : ''),
          },
          column.cell(run),
        ),
      ),
    );
  return h(
    'div',
    {
      class: 'scroll' + (data.runs.length > 25 ? ' tall' : ''),
      tabindex: 0,
      role: 'region',
      'aria-label': 'table of runs',
    },
    h(
      'table',
      {class: 'runs'},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          header('run', true),
          columns.map((column) => header(column.name, column.text)),
        ),
      ),
      h('tbody', {}, sortedRuns(columns).map(row)),
    ),
  );
}

function runToggle(run) {
  return h(
    'button',
    {
      type: 'button',
      class: 'run',
      'aria-pressed': String(isShown(run)),
      title: run.folder,
      'data-run': run.name,
      onclick: (event) => toggleRun(run, event),
    },
    swatch(seriesLook(runStyle(run))),
    h('span', {}, run.name),
  );
}

/** Which runs are shown; the buttons stay the same, so that the one with the focus keeps it. */
function markRuns(root) {
  for (const button of root.querySelectorAll('[data-run]')) {
    const shown = !view.hidden.has(button.dataset.run),
      row = button.closest('tr');
    button.setAttribute('aria-pressed', String(shown));
    if (row) row.classList.toggle('off', !shown);
  }
}

/** A click hides or shows a run; with shift or alt it is the only one, and again all are shown. */
function toggleRun(run, event) {
  if (event && (event.shiftKey || event.altKey)) {
    const alone = isShown(run) && data.runs.filter(isShown).length === 1;
    view.hidden = new Set(alone ? [] : data.runs.filter((one) => one !== run).map((one) => one.name));
  } else if (!view.hidden.delete(run.name)) {
    view.hidden.add(run.name);
  }
  emit('runs');
}
