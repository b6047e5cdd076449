// ---- sweeps: every arm, failures counted, and a grid as a heat map for each of its other settings ----

/** Rows and columns: the keys that the sweep names, or the last two of its grid that have several values. */
function heatKeys(sweep) {
  const several = sweep.grid.filter((axis) => axis.values.length > 1).map((axis) => axis.key);
  const named = (sweep.heatmap || []).filter((key) => sweep.grid.some((axis) => axis.key === key));
  return named.length === 2 ? named : several.length >= 2 ? several.slice(-2) : null;
}

/** A number for a mean, NaN where runs failed, null where they are not done. */
function armCell(arm) {
  if (!arm) return null;
  if (arm.failed > 0) return NaN;
  return arm.mean === null || arm.mean === undefined ? null : num(arm.mean);
}

const armInWords = (arm) =>
  !arm
    ? ''
    : arm.failed > 0
      ? 'failed ' + arm.failed + ' of ' + (arm.failed + arm.finished + arm.unfinished)
      : short(arm.mean);

function sweepHeatCards(one) {
  const {sweep} = one,
    keys = heatKeys(sweep);
  if (!keys) return [];
  const valuesOf = (key) => sweep.grid.find((axis) => axis.key === key).values;
  const [rows, columns] = [valuesOf(keys[0]), valuesOf(keys[1])];
  const rest = (arm) =>
    [
      arm.listed,
      ...Object.entries(arm.point)
        .filter(([key]) => !keys.includes(key))
        .map(([key, value]) => key.split('.').pop() + ' ' + value),
    ]
      .filter(Boolean)
      .join(', ');
  const means = sweep.arms.map(armCell).filter((value) => Number.isFinite(value));
  const domain = means.length ? extent(means) : undefined; // one scale, so that colours can be compared
  return [...new Set(sweep.arms.map(rest))].map((group) => {
    const at = (row, column) =>
      sweep.arms.find((arm) => rest(arm) === group && arm.point[keys[0]] === row && arm.point[keys[1]] === column);
    return heatCard({
      id: 'sweep.' + one.name + '.' + group,
      title: capital(sweep.metric) + (group ? ', ' + group : '') + ' (' + (sweep.name || one.name) + ')',
      figure: () => ({
        x: {label: keys[1], values: columns},
        y: {label: keys[0], values: rows},
        legend: sweep.metric,
        domain,
        annotate: true,
        cells: rows.map((row) => columns.map((column) => armCell(at(row, column)))),
        words: (value, r, c) => armInWords(at(rows[r], columns[c])),
      }),
    });
  });
}

const signed = (value, digits) => (num(value) > 0 ? '+' : '') + short(value, digits);

/** "2 diverged at updates 40 to 55, 1 finished (38 % of unigram)": where failures happened is as much a result as a loss. */
function outcomesInWords(arm, runs) {
  const parts = Object.entries(arm.outcomes || {}).map(([outcome, count]) => {
    const those = runs.filter((run) => run.outcome === outcome),
      places = those.map((run) => run.failed_at).filter(isNumber);
    const [low, high] = extent(places);
    const where = !places.length
      ? ''
      : low === high
        ? ' at update ' + short(low)
        : ' at updates ' + short(low) + ' to ' + short(high);
    return count + ' ' + outcome + where + unigramShares(those.map((run) => run.unigram_share));
  });
  return parts.join(', ');
}

/** The median, as the terminal has it, and the time of all runs together. */
function speedAndTime(runs) {
  const numbers = (key) => runs.map((run) => run[key]).filter(Number.isFinite);
  const rates = numbers('tokens_per_second').sort((a, b) => a - b),
    median = (rates[(rates.length - 1) >> 1] + rates[rates.length >> 1]) / 2,
    seconds = numbers('seconds').reduce((a, b) => a + b, 0);
  return [rates.length ? short(median) : '–', seconds > 0 ? duration(seconds) : '–'];
}

/** A table of plain rows. Columns: [name, whether it holds numbers]. */
function plainTable(label, columns, rows) {
  const cell = (content, i) =>
    h(i ? 'td' : 'th', {scope: i ? null : 'row', class: columns[i][1] ? 'number' : null}, content);
  return h(
    'div',
    {class: 'scroll' + (rows.length > 25 ? ' tall' : ''), tabindex: 0, role: 'region', 'aria-label': label},
    h(
      'table',
      {class: 'plain'},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          columns.map(([name, isNumeric]) => h('th', {scope: 'col', class: isNumeric ? 'number' : null}, name)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) => h('tr', {}, row.map(cell))),
      ),
    ),
  );
}

function armTable({sweep}) {
  const [lowest, highest] = extent(sweep.arms.map(armCell).filter(Number.isFinite)),
    best = sweep.higher_is_better ? highest : lowest;
  const row = (arm) => {
    const runs = (sweep.runs || []).filter((run) => run.arm === arm.name),
      all = arm.finished + arm.failed + arm.unfinished,
      mean = armCell(arm) === null ? arm.unfinished + ' of ' + all + ' to do' : armInWords(arm);
    return [
      arm.name,
      arm.failed ? h('span', {class: 'badge failed'}, mean) : armCell(arm) === best ? h('b', {}, mean) : mean,
      isNumber(arm.deviation) && !arm.failed ? short(arm.deviation, 3) : '–',
      arm.finished + ' of ' + all,
      ...speedAndTime(runs),
      outcomesInWords(arm, runs),
    ];
  };
  const columns = [
    ['arm'],
    [sweep.metric, true],
    ['deviation', true],
    ['finished', true],
    ['tokens/s', true],
    ['time', true],
    ['outcomes'],
  ];
  return plainTable('arms', columns, sweep.arms.map(row));
}

// ---- against the baseline ----

function intervalInWords(pair) {
  if (!(pair.seeds > 0)) return '–';
  if (!Array.isArray(pair.interval)) return 'one seed: no interval';
  return signed(pair.interval[0]) + ' to ' + signed(pair.interval[1]);
}

function betterInWords(pair, higherIsBetter) {
  if (!(pair.seeds > 0)) return '–';
  if (!pair.above && !pair.below) return 'equal in ' + pair.seeds + ' of ' + pair.seeds;
  return (higherIsBetter ? pair.above : pair.below) + ' of ' + pair.seeds;
}

/** Why an arm can be compared, or not. */
function stateInWords(arm) {
  if (!arm) return '';
  if (arm.failed > 0) return armInWords(arm);
  return arm.unfinished > 0 ? arm.unfinished + ' to do' : 'finished';
}

function comparisonTable({sweep}) {
  const pairs = sweep.comparisons || [];
  if (!pairs.length) return null;
  const arms = new Map(sweep.arms.map((arm) => [arm.name, arm]));
  const columns = [
    ['against the baseline'],
    ['difference', true],
    ['95 % interval', true],
    ['seeds', true],
    ['better in', true],
    ['its runs'],
    ['baseline'],
    ['its runs'],
  ];
  const rows = pairs.map((pair) => [
    pair.arm,
    isNumber(pair.difference) ? signed(pair.difference) : '–',
    intervalInWords(pair),
    pair.seeds,
    betterInWords(pair, sweep.higher_is_better),
    stateInWords(arms.get(pair.arm)),
    pair.baseline,
    stateInWords(arms.get(pair.baseline)),
  ]);
  const coverages = pairs
    .filter((pair) => pair.seeds > 1 && Number.isFinite(pair.coverage))
    .map((pair) => pair.coverage);
  const [coverage] = extent(coverages);
  return [
    plainTable('differences from the baseline', columns, rows),
    coverage < 0.95
      ? h(
          'p',
          {class: 'lead'},
          'With so few seeds an interval is too narrow: it holds the true difference in at most ' +
            Math.round(100 * coverage) +
            ' % of cases.',
        )
      : null,
  ];
}

/** Sentence by sentence, where the sweep has outputs of the test set. */
function testTable({sweep}) {
  const tested = (sweep.comparisons || []).filter((pair) => pair.test);
  if (!tested.length) return null;
  const columns = [
    ['on the test set'],
    ['metric'],
    ['score', true],
    ['baseline', true],
    ['difference', true],
    ['p', true],
    ['sentences', true],
    ['seeds', true],
  ];
  const rows = tested.map(({arm, test}) => [
    arm,
    test.metric,
    short(test.score),
    short(test.baseline),
    signed(num(test.score) - num(test.baseline)),
    num(test.p_value).toFixed(4),
    short(test.sentences),
    test.seeds,
  ]);
  return [
    plainTable('scores on the test set', columns, rows),
    h(
      'p',
      {class: 'lead'},
      'p: how often luck in the choice of sentences alone makes such a difference (paired bootstrap).',
    ),
  ];
}

/** Runs that the engine could not do. */
function errorLines({sweep}) {
  const lines = (sweep.runs || [])
    .filter((run) => run.error)
    .map((run) => h('li', {}, h('b', {}, run.arm), ', seed ' + run.seed + ' could not be done: ' + run.error));
  return lines.length ? h('ul', {class: 'failures'}, lines) : null;
}

function sweepsSection() {
  const whole = data.sweeps.filter((one) => one.sweep);
  if (!whole.length) return null;
  return section(
    'sweeps',
    'Sweeps',
    'A mean stands only where every run finished: failures are counted, never left out.',
    whole.map((one) => orWhyNot('The sweep ' + one.folder, () => sweepBlock(one))),
  );
}

function sweepBlock(one) {
  return [
    h(
      'h3',
      {class: 'probe-title'},
      one.sweep.name || one.name,
      ' ',
      h(
        'small',
        {},
        plural(one.sweep.arms.length, 'arm') +
          ', ' +
          plural((one.sweep.seeds || []).length, 'seed') +
          (one.sweep.complete ? '' : ', not complete'),
      ),
    ),
    errorLines(one),
    h('div', {class: 'grid'}, sweepHeatCards(one)),
    armTable(one),
    comparisonTable(one),
    testTable(one),
  ];
}
