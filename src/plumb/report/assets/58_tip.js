// ---- the box beside the pointer ----

const tip = () => byId('tip');

function showTip(event, ...content) {
  const box = tip();
  box.replaceChildren(...content);
  box.hidden = false;
  const {width, height} = box.getBoundingClientRect();
  const left = event.clientX + 16 + width > innerWidth ? event.clientX - 16 - width : event.clientX + 16;
  const top = clamp(event.clientY - height / 2, 6, innerHeight - height - 6);
  box.style.left = Math.max(6, left) + 'px';
  box.style.top = top + 'px';
}

const hideTip = () => (tip().hidden = true);

// A finger that scrolls moves the page away from under the box.
addEventListener('pointercancel', hideTip);
