// ---- the verdict ----

function verdictSection() {
  const judged = armList((arm) => arm.verdict);
  if (!judged.length) return null;
  return section(
    'verdict',
    'Verdict',
    'What follows from the measurements, each sentence with its rule and what the rule rests on.',
    h(
      'div',
      {class: 'grid'},
      judged.map((one) => orWhyNot('The verdict on ' + one.label, () => verdictCard(one))),
    ),
  );
}

function verdictCard({arm, label, style}) {
  const verdict = arm.verdict,
    sentences = Array.isArray(verdict.sentences) ? verdict.sentences : [];
  const fact = (name, value) => h('div', {}, h('dt', {}, name), h('dd', {}, value));
  return h(
    'article',
    {class: 'card verdict'},
    h(
      'header',
      {},
      h('h3', {}, swatch(seriesLook(style)), ' ', label),
      h(
        'span',
        {class: 'badge ' + (verdict.will_train ? 'finished' : 'diverged')},
        verdict.will_train ? 'will train' : 'will not train',
      ),
    ),
    h(
      'dl',
      {class: 'facts'},
      fact('warm-up', verdict.needs_warmup ? 'needed' : 'not needed'),
      fact('strain', short(verdict.strain, 3) + ' of ' + short(verdict.limit, 3)),
      isNumber(verdict.largest_rate) ? fact('largest rate without warm-up', rate(verdict.largest_rate)) : null,
    ),
    h(
      'ul',
      {class: 'sentences'},
      sentences.map((one) =>
        h(
          'li',
          {},
          h('p', {}, String(one.says || '')),
          h('p', {class: 'rule'}, h('span', {class: 'ground'}, String(one.ground || '')), ' ' + String(one.rule || '')),
        ),
      ),
    ),
  );
}
