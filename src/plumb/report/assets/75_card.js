// ---- a card: title, tools, chart, what it says ----

function toolButton(text, label, action, pressed) {
  return h(
    'button',
    {type: 'button', class: 'tool', 'aria-label': label, title: label, 'aria-pressed': pressed, onclick: action},
    text,
  );
}

const charts = new Map(); // by id, of those on the page

/** Takes the charts of a part off the page, and says how high each stood there. */
function removeCharts(part) {
  const heights = new Map();
  for (const [id, one] of charts) {
    if (one.part !== part) continue;
    if (one.chart.element.dataset.near) heights.set(id, one.card.offsetHeight);
    one.chart.destroy();
    charts.delete(id);
  }
  return heights;
}

/** Charts are drawn when they come near: until then they take the room that they had, so that nothing below them moves. */
function keepRoom(heights) {
  for (const [id, height] of heights) if (charts.has(id)) charts.get(id).card.style.minHeight = height + 'px';
}

/** {id, title, note, figure: () => figure, group, axes: which can be logarithmic, menus: [menu]} */
function lineCard(options) {
  const chart = new LineChart(options.id, () => ({title: options.title, ...options.figure()}), options.group);
  const notes = h('div', {class: 'notes'});
  const toggles = (options.axes || ['y', 'x']).map((which) => {
    const button = toolButton('log ' + which, 'logarithmic ' + which + ' axis', () => {
      const figure = chart.figure();
      view.log[options.id] = {x: figure.x.log, y: figure.y.log, [which]: !figure[which].log};
      chart.refresh();
      show();
    });
    button.which = which;
    return button;
  });
  const closer = toolButton('+', 'zoom in, around the place that was read last', () => chart.zoomBy(0.6));
  closer.classList.add('closer');
  const reset = toolButton('all', 'show all, as before the zoom (double click)', () => chart.setZoom(null));
  reset.classList.add('reset');
  const show = () => {
    const figure = chart.figure();
    for (const button of toggles) button.setAttribute('aria-pressed', String(figure[button.which].log));
    reset.hidden = !chart.zoom;
    notes.replaceChildren(...(options.legend ? [namesOf(figure)] : []), ...noteLines(figure));
  };
  chart.drawn = show;
  on('zoom:' + chart.group, chart.refreshSoon);
  return makeCard(options, chart, {
    tools: [...toggles, closer, reset],
    notes,
    figure: () => chart.figure(),
    svg: (figure) => svgLines(figure, chart.zoom),
    csv: (figure) => lineCsv(figure, chart.zoom),
  });
}

/** The names of lines below a chart that has no legend of its own above it. */
function namesOf(figure) {
  const named = figure.series.filter((one) => !one.silent);
  return h(
    'p',
    {class: 'names'},
    named.slice(0, 24).map((one) => h('span', {class: 'arm'}, swatch(one), ' ' + one.name)),
    named.length > 24 ? ' and ' + (named.length - 24) + ' more' : null,
  );
}

/** How many points of a line are finite and yet have no place on the axes. */
function placeless(one, figure) {
  if (!(figure.x.log || figure.y.log) || figure.y.floor !== undefined) return 0; // where there is a floor, zeros lie on it
  return one.x.filter(
    (x, i) =>
      Number.isFinite(x) && Number.isFinite(one.y[i]) && !(usable(x, figure.x.log) && usable(one.y[i], figure.y.log)),
  ).length;
}

/** What happened to lines that could not be drawn to their end. */
function noteLines(figure) {
  const lines = [];
  for (const one of figure.series) {
    const lost = placeless(one, figure);
    if (lost > 0)
      lines.push(
        h(
          'p',
          {class: 'warning'},
          swatch(one),
          ` ${one.name}: ${plural(lost, 'value')} not above 0, for which a logarithmic axis has no place`,
        ),
      );
    for (const mark of one.marks || [])
      lines.push(h('p', {class: 'warning'}, swatch(one), ' ' + one.name + ' ' + mark.text));
    const gaps = one.gaps || [];
    if (gaps.length) {
      lines.push(
        h(
          'p',
          {class: 'warning'},
          swatch(one),
          ' ' +
            one.name +
            ': not finite: ' +
            gaps.slice(0, 3).map(gapInWords).join(', ') +
            (gaps.length > 3 ? ' and ' + (gaps.length - 3) + ' more' : ''),
        ),
      );
    }
  }
  const shown = lines.slice(0, 8);
  if (lines.length > 8) shown.push(h('p', {class: 'warning'}, 'and ' + (lines.length - 8) + ' more'));
  return shown;
}

function heatCard(options) {
  const figure = () => ({title: options.title, ...options.figure()});
  return makeCard(options, new HeatMap(options.id, figure), {
    figure,
    svg: (one) => svgHeatMap(one, 860, true).svg,
    csv: heatCsv,
  });
}

/** What is saved has the title of the figure, which says what was chosen in the menus. */
function makeCard(options, chart, {tools, notes, figure, svg, csv}) {
  const title = options.title,
    saved = (save, make) => () => {
      const now = figure();
      save(now.title, make(now));
    };
  const save = h(
    'span',
    {class: 'save', role: 'group', 'aria-label': 'save'},
    toolButton('SVG', 'save ' + title + ' as SVG', saved(saveSvg, svg)),
    toolButton('PNG', 'save ' + title + ' as PNG', saved(savePng, svg)),
    toolButton('CSV', 'save the numbers of ' + title + ' as CSV', saved(saveCsv, csv)),
  );
  const card = h(
    'article',
    {class: 'card' + (options.wide ? ' wide' : '') + (options.small ? ' small' : ''), 'data-chart': options.id},
    h('header', {}, h('h3', {}, title), h('div', {class: 'tools'}, options.menus || [], tools, save)),
    options.note ? h('p', {class: 'note'}, options.note) : null,
    chart.element,
    notes,
  );
  charts.set(options.id, {
    chart,
    card,
    update: chart.refreshSoon,
    svg: () => svg(figure()),
    csv: () => csv(figure()),
    part: partInTheMaking,
  });
  return card;
}

/** A choice whose answer outlives a refresh: options are [value, text]. */
function menu(id, label, options, changed) {
  if (!options.some(([value]) => value === view.choice[id])) view.choice[id] = options[0][0];
  const select = h(
    'select',
    {
      'aria-label': label,
      onchange: () => {
        view.choice[id] = select.value;
        changed();
      },
    },
    options.map(([value, text]) => h('option', {value, selected: value === view.choice[id]}, text)),
  );
  return h('label', {class: 'menu'}, label + ' ', select);
}
