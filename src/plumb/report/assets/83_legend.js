// ---- the legend of all curves ----

function legend() {
  const bar = h('div', {class: 'legend', role: 'group', 'aria-label': 'runs in the charts'});
  const matches = (run) => run.name.toLowerCase().includes(view.filter.toLowerCase());
  const chips = h('div', {class: 'chips'});
  const fillChips = () =>
    chips.replaceChildren(
      ...data.runs.filter(matches).map((run) => {
        const chip = runToggle(run);
        chip.classList.add('chip');
        return chip;
      }),
    );
  const only = (keep) => {
    view.hidden = new Set(data.runs.filter((run) => !keep(run)).map((run) => run.name));
    emit('runs');
  };
  const slider = h('input', {
    type: 'range',
    id: 'smoothing',
    min: 0,
    max: 0.99,
    step: 0.01,
    value: view.smoothing,
    oninput: () => {
      view.smoothing = Number(slider.value);
      amount.textContent = view.smoothing.toFixed(2);
      emit('curves');
    },
  });
  const amount = h('output', {for: 'smoothing'}, view.smoothing.toFixed(2));
  const all = h('button', {type: 'button', class: 'tool', onclick: () => only(matches)});
  const nameAll = () => (all.textContent = view.filter ? 'only these' : 'all');
  const tools = [
    all,
    h('button', {type: 'button', class: 'tool', onclick: () => only(() => false)}, 'none'),
  ];
  if (data.runs.length > 12) {
    tools.unshift(
      h('input', {
        type: 'search',
        placeholder: 'filter ' + data.runs.length + ' runs',
        'aria-label': 'filter runs by name',
        value: view.filter,
        oninput: (event) => {
          view.filter = event.target.value;
          nameAll();
          fillChips();
        },
      }),
    );
  }
  nameAll();
  fillChips();
  on('runs', () => markRuns(chips));
  on('theme', fillChips);
  on('data', fillChips);
  bar.append(
    chips,
    h(
      'div',
      {class: 'legend-tools'},
      tools,
      h('label', {class: 'menu', for: 'smoothing'}, 'smoothing ', slider, amount),
    ),
  );
  return bar;
}
