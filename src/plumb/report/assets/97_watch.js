// ---- following runs: a page that plumb watch serves asks it for newer data ----

const watchEvery = 3000;

/** {fresh, tag} if there is newer data, {} if there is none; null if nobody answers, or only half. */
async function askForNews(tag) {
  try {
    const answer = await fetch('/data.json', {cache: 'no-store', headers: tag ? {'If-None-Match': tag} : {}});
    return answer.status === 200 ? {fresh: await answer.json(), tag: answer.headers.get('ETag') || ''} : {};
  } catch (error) {
    return null;
  }
}

async function watch() {
  const say = (text, look) => Object.assign(byId('live'), {textContent: text, className: look});
  let tag = '';
  for (;;) {
    await new Promise((done) => setTimeout(done, watchEvery));
    if (document.hidden) continue;
    const news = await askForNews(tag);
    if (!news) {
      say('plumb watch has ended', 'ended');
      continue;
    }
    try {
      if (news.fresh) {
        refreshWith(news.fresh);
        tag = news.tag; // only now: what could not be shown is asked for again
      }
      say('live', 'live');
    } catch (error) {
      say('newer data cannot be shown: ' + error.message, 'ended');
    }
  }
}

/** New lines in the same charts keep zoom and choices; where there are new runs or probes, their part is made anew. */
function refreshWith(fresh) {
  takeData(fresh);
  keepingPlace(() => {
    build();
    emit('data');
  });
}

/** Does something to the page so that what stands at the top of the screen stays there, and tables stay scrolled. */
function keepingPlace(action) {
  const anchor = atTheTop(),
    before = anchor && anchor.getBoundingClientRect().top;
  const scrolled = new Map(scrolledBoxes().map(([name, box]) => [name, [box.scrollLeft, box.scrollTop]]));
  action();
  for (const [name, box] of scrolledBoxes()) if (scrolled.has(name)) box.scrollTo(...scrolled.get(name));
  const again = anchor && (anchor.isConnected ? anchor : sameAs(anchor));
  // At once: the page scrolls smoothly where a reader follows a link.
  if (again) scrollBy({top: again.getBoundingClientRect().top - before, behavior: 'instant'});
}

const landmarks = '#main > section, #main [data-chart]';

/** The last landmark that begins above the upper edge, below the header that stays there. */
function atTheTop() {
  const above = [...document.querySelectorAll(landmarks)].filter((one) => one.getBoundingClientRect().top <= 80);
  return above.reduce((a, b) => (a && a.getBoundingClientRect().top > b.getBoundingClientRect().top ? a : b), null);
}

const sameAs = (gone) =>
  [...document.querySelectorAll(landmarks)].find(
    (one) => one.id === gone.id && one.dataset.chart === gone.dataset.chart,
  );

function scrolledBoxes() {
  return [...document.querySelectorAll('#main > section')].flatMap((part) =>
    [...part.querySelectorAll('.scroll')].map((box, i) => [part.id + i, box]),
  );
}
