// ---- building the page ----
// Everything that comes from a run is text: it enters the page through textContent and attributes, never as markup.

const byId = (id) => document.getElementById(id);

/** An element: h('button', {class: 'x', onclick: f}, 'text', child, [children]). */
function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function s(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/** Something to unfold. It stays as the reader left it when this part of the page is made anew. */
function unfolding(name, attributes, ...children) {
  const open = name in view.open ? view.open[name] : attributes.open;
  const details = h('details', {...attributes, open}, ...children);
  details.addEventListener('toggle', () => (view.open[name] = details.open));
  return details;
}

/** A file or record that is not what it should be costs its own place on the page, and not its neighbours. */
function orWhyNot(what, make, tell = (why) => h('p', {class: 'warning'}, why)) {
  try {
    return make();
  } catch (error) {
    return tell(what + ' cannot be drawn: ' + error.message);
  }
}

/** Calls many times in one frame become one. */
function oncePerFrame(action) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      action();
    });
  };
}

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
