// ---- charts are drawn when they are near the screen, and all of them for printing ----

const onPage = new Map(); // element -> {draw, near, stale}
const nearby = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const one = onPage.get(entry.target);
      if (!one) continue;
      one.near = entry.isIntersecting;
      if (one.near && one.stale) drawNow(one);
    }
  },
  {rootMargin: '400px'},
);

/** Draws now if the element is near the screen, or else when it comes there. */
function drawWhenNear(element, draw) {
  onPage.set(element, {element, draw, near: false, stale: true});
  nearby.observe(element);
  return oncePerFrame(() => {
    const one = onPage.get(element);
    if (!one) return;
    one.stale = true;
    if (one.near) drawNow(one);
  });
}

function drawNow(one) {
  one.stale = false;
  one.element.dataset.near = 'yes';
  one.draw();
  const card = one.element.closest('.card');
  if (card) card.style.minHeight = ''; // the room that was kept for it
}

function forgetDrawing(element) {
  nearby.unobserve(element);
  onPage.delete(element);
}

addEventListener('beforeprint', () => onPage.forEach((one) => one.stale && drawNow(one)));
