// ---- numbers without an axis ----

function scalarTable(arms, probe, meanings) {
  const keys = new Map();
  for (const one of arms) {
    for (const curve of one.arm.curves) {
      if (curve.probe !== probe || curve.axis) continue;
      keys.set(JSON.stringify([curve.number, curve.labels]), {number: curve.number, labels: curve.labels});
    }
  }
  if (!keys.size) return null;
  const cell = (one, key) => {
    const curve = one.arm.curves.find(
      (c) => c.probe === probe && !c.axis && JSON.stringify([c.number, c.labels]) === key,
    );
    if (!curve || !curve.mean.length) return '';
    return [
      short(num(curve.mean[0])),
      curve.low ? h('small', {}, ' [' + short(num(curve.low[0]), 3) + ', ' + short(num(curve.high[0]), 3) + ']') : null,
    ];
  };
  return unfolding(
    'numbers of ' + probe,
    {class: 'numbers', open: keys.size <= 8},
    h('summary', {}, plural(keys.size, 'number')),
    h(
      'div',
      {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'numbers of ' + words(probe)},
      h(
        'table',
        {class: 'plain'},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', {scope: 'col'}, 'number'),
            arms.map((one) => h('th', {scope: 'col', class: 'number'}, one.label)),
            h('th', {scope: 'col'}, 'meaning'),
          ),
        ),
        h(
          'tbody',
          {},
          [...keys].map(([key, {number, labels}]) =>
            h(
              'tr',
              {},
              h('th', {scope: 'row'}, words(number), ' ', h('small', {}, Object.values(labels).join(', '))),
              arms.map((one) => h('td', {class: 'number'}, cell(one, key))),
              h('td', {class: 'meaning'}, meanings[number] || ''),
            ),
          ),
        ),
      ),
    ),
  );
}
