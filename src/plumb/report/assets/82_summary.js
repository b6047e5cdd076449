// ---- what the runs come to, in a sentence ----

function summarySentences() {
  const counts = new Map();
  for (const run of data.runs) counts.set(stateOf(run), (counts.get(stateOf(run)) || 0) + 1);
  const order = ['finished', 'diverged', 'stuck', 'interrupted', 'unfinished', 'not started'];
  const parts = order.filter((state) => counts.has(state)).map((state) => counts.get(state) + ' ' + state);
  const sentences = [];
  if (data.runs.length) sentences.push(plural(data.runs.length, 'run') + ': ' + parts.join(', ') + '.');
  const judged = data.runs.filter((run) => run.summary.best && Number.isFinite(num(run.summary.best.loss)));
  if (judged.length > 1) {
    const best = judged.reduce((a, b) => (num(a.summary.best.loss) <= num(b.summary.best.loss) ? a : b));
    sentences.push(
      'Lowest validation loss: ' +
        short(best.summary.best.loss) +
        ' by ' +
        best.name +
        ' at update ' +
        short(best.summary.best.update) +
        '.',
    );
  }
  for (const name of scoreNames().slice(0, 2)) {
    const scored = data.runs.filter((run) => run.summary.best_scores && run.summary.best_scores[name]);
    if (new Set(scored.map((run) => run.summary.best_scores[name].value)).size < 2) continue;
    const value = (run) => num(run.summary.best_scores[name].value) * (lowerIsBetter(name) ? -1 : 1);
    const best = scored.reduce((a, b) => (value(a) >= value(b) ? a : b));
    sentences.push(
      'Best ' + words(name) + ': ' + short(best.summary.best_scores[name].value) + ' by ' + best.name + '.',
    );
  }
  return sentences.join(' ');
}

function failureList() {
  const failed = data.runs.filter((run) => failureInWords(run));
  const lines = failed
    .slice(0, 12)
    .map((run) => h('li', {}, swatch(seriesLook(runStyle(run))), ' ', h('b', {}, run.name), ' ' + failureInWords(run)));
  if (failed.length > 12) lines.push(h('li', {}, 'and ' + (failed.length - 12) + ' more'));
  const problems = problemList().map(({name, problem}) => h('li', {}, h('b', {}, name), ' ' + problem));
  if (problems.length > 12)
    problems.splice(12, problems.length, h('li', {}, 'and ' + (problems.length - 12) + ' more'));
  return lines.length + problems.length ? h('ul', {class: 'failures'}, lines, problems) : null;
}

/** Files that could not be read, or not whole. */
const problemList = () =>
  [...data.runs, ...data.probes, ...data.sweeps].flatMap(({name, problems}) =>
    (problems || []).map((problem) => ({name, problem})),
  );
