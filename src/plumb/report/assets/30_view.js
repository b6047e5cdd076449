// ---- what the reader has chosen: it outlives a refresh of the data ----

let listeners = [];
let partInTheMaking = 'page'; // what listens and draws goes when its part of the page goes
const on = (event, action) => listeners.push({event, action, part: partInTheMaking});
const emit = (event) => listeners.filter((one) => one.event === event).forEach((one) => one.action());
const stopListening = (part) => (listeners = listeners.filter((one) => one.part !== part));

const view = {
  hidden: new Set(), // names of runs
  smoothing: 0, // 0 to 0.99: weight of the past
  filter: '',
  sort: {column: null, down: false},
  zoom: {}, // by group of charts: [from, to]
  log: {}, // by chart: {x, y}
  choice: {}, // by menu: what was chosen
  open: {}, // by name of what can be unfolded: whether it is
};

// ---- light and dark ----

const themes = {
  light: {
    ink: '#1c2430',
    muted: '#5d6878',
    line: '#d9dee6',
    grid: '#e9ecf1',
    paper: '#ffffff',
    accent: '#0b62a8',
    bad: '#b3261e',
    runs: ['#0072b2', '#d55e00', '#00875f', '#b0458b', '#4b5563', '#3793cf', '#b07a00', '#6f4fa8'],
  },
  dark: {
    ink: '#e6eaf0',
    muted: '#9aa6b5',
    line: '#38414d',
    grid: '#29313b',
    paper: '#161b22',
    accent: '#6cb6ff',
    bad: '#ff8a80',
    runs: ['#56a9e8', '#ff8f50', '#35c79b', '#ea9bcb', '#c3ccd6', '#9ad5f7', '#e8b63a', '#b9a0ea'],
  },
};
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

function themeName() {
  const chosen = document.documentElement.dataset.theme;
  return chosen || (prefersDark.matches ? 'dark' : 'light');
}

const theme = () => themes[themeName()];

function remember(key, value) {
  try {
    localStorage.setItem('plumb.' + key, value);
  } catch (error) {
    /* a file may not be allowed to */
  }
}

function recall(key) {
  try {
    return localStorage.getItem('plumb.' + key);
  } catch (error) {
    return null;
  }
}

function setTheme(name) {
  if (name === 'light' || name === 'dark') document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
  remember('theme', name || '');
  emit('theme');
}

prefersDark.addEventListener('change', () => emit('theme'));

// ---- colours of runs and wirings ----

const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

/** A place in the palette and a dash; beyond the palette dashes tell lines apart. */
const lineStyle = (index) => ({colour: index % 8, dash: dashes[Math.floor(index / 8) % dashes.length]});

const colourOf = (style) => theme().runs[style.colour];

// Viridis: even steps of lightness, the same to colour-blind eyes and in grey.
const viridis = [
  [68, 1, 84],
  [72, 35, 116],
  [64, 67, 135],
  [52, 94, 141],
  [41, 120, 142],
  [32, 144, 140],
  [34, 167, 132],
  [68, 190, 112],
  [121, 209, 81],
  [189, 222, 38],
  [253, 231, 37],
];

/** The colour of a share between 0 and 1. */
function heat(share) {
  const at = clamp(share, 0, 1) * (viridis.length - 1);
  const i = Math.min(Math.floor(at), viridis.length - 2);
  const mix = viridis[i].map((low, k) => Math.round(low + (viridis[i + 1][k] - low) * (at - i)));
  return 'rgb(' + mix.join(',') + ')';
}
