// ---- outputs side by side ----

/** Marks the words of an output that stand in the reference, in their order (longest common subsequence). */
function compared(output, reference) {
  const a = output.split(/\s+/).filter(Boolean),
    b = reference.split(/\s+/).filter(Boolean);
  if (a.length > 400 || b.length > 400) return [output];
  const length = Array.from({length: a.length + 1}, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j)
      length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  }
  const parts = [];
  for (let i = 0, j = 0; i < a.length; ++i) {
    while (j < b.length && a[i] !== b[j] && length[i][j + 1] >= length[i + 1][j]) ++j;
    const same = j < b.length && a[i] === b[j];
    if (same) ++j;
    parts.push(same ? h('span', {}, a[i]) : h('mark', {}, a[i]), ' ');
  }
  return parts.length ? parts : [h('i', {}, 'empty')];
}

const mostSamples = 24; // lines: runs on other data have other ones

const runsWithSamples = () => data.runs.filter((run) => run.samples.length);

function samplesTables() {
  const runs = runsWithSamples().filter(isShown);
  if (!runs.length) return [h('p', {class: 'lead'}, 'The runs that logged outputs are hidden.')];
  const share = Number(view.choice['samples.time'] ?? 1);
  const chosen = runs.map((run) => ({run, sample: run.samples[Math.round(share * (run.samples.length - 1))]}));
  const sources = new Map(); // runs on other data have other lines
  for (const {run, sample} of chosen) {
    sample.source.forEach((source, i) => {
      const key = JSON.stringify([source, sample.reference[i]]);
      if (!sources.has(key)) sources.set(key, {source, reference: sample.reference[i] || '', outputs: []});
      sources.get(key).outputs.push({run, update: sample.update, text: sample.output[i] || ''});
    });
  }
  const tables = [...sources.values()].slice(0, mostSamples).map(sampleTable),
    more = sources.size - tables.length;
  return more > 0 ? [...tables, h('p', {class: 'lead'}, 'and ' + plural(more, 'line') + ' more')] : tables;
}

function sampleTable({source, reference, outputs}) {
  return h(
    'article',
    {class: 'card sample'},
    h(
      'table',
      {class: 'plain'},
      h(
        'tbody',
        {},
        h('tr', {}, h('th', {scope: 'row'}, 'source'), h('td', {}, source)),
        h('tr', {class: 'reference'}, h('th', {scope: 'row'}, 'reference'), h('td', {}, reference)),
        outputs.map(({run, update, text}) =>
          h(
            'tr',
            {},
            h(
              'th',
              {scope: 'row'},
              swatch(seriesLook(runStyle(run))),
              ' ',
              run.name,
              h('small', {}, ' at ' + short(update)),
            ),
            h('td', {}, compared(text, reference)),
          ),
        ),
      ),
    ),
  );
}

function samplesSection() {
  if (!runsWithSamples().length) return null;
  const box = h('div', {class: 'samples'});
  const show = () => box.replaceChildren(...samplesTables());
  const slider = h('input', {
    type: 'range',
    id: 'samples-time',
    min: 0,
    max: 1,
    step: 0.01,
    value: view.choice['samples.time'] ?? 1,
    oninput: () => {
      view.choice['samples.time'] = slider.value;
      show();
    },
  });
  on('runs', oncePerFrame(show));
  on('theme', show);
  on('data', show);
  show();
  return section(
    'samples',
    'Outputs',
    'The first lines of the validation set. Marked: words that the reference does not have there.',
    runsWithSamples().some((run) => run.samples.length > 1)
      ? h('div', {class: 'controls'}, h('label', {class: 'menu', for: 'samples-time'}, 'early ', slider, ' late'))
      : null,
    box,
  );
}
