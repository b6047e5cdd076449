// ---- numbers in words ----

/** A number of the data: those that are not finite are strings there. */
function num(value) {
  if (typeof value === 'number') return value;
  if (value === 'Infinity') return Infinity;
  if (value === '-Infinity') return -Infinity;
  return NaN;
}

const isNumber = (value) =>
  typeof value === 'number' || value === 'NaN' || value === 'Infinity' || value === '-Infinity';

const trimZeros = (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** To so many digits, before anything is asked about its size: 999,999 is a million then. */
const roundedTo = (value, digits) => Number(value.toPrecision(digits));

const superscript = (n) => String(n).replace(/./g, (c) => '⁰¹²³⁴⁵⁶⁷⁸⁹'['0123456789'.indexOf(c)] || '⁻');

/** 4 digits for reading: 1,234, 0.0123, 1.2×10⁻⁷. */
function short(value, digits = 4) {
  const v = num(value);
  if (Number.isNaN(v)) return 'NaN';
  if (!Number.isFinite(v)) return v > 0 ? '∞' : '−∞';
  if (v === 0) return '0';
  const few = Math.max(1, digits - 1),
    outside = (size) => size >= 1e7 || size < 1e-4;
  const size = outside(Math.abs(v)) ? roundedTo(Math.abs(v), few) : Math.abs(v);
  if (outside(size)) {
    const exponent = Math.floor(Math.log10(size) + 1e-12);
    const mantissa = trimZeros((size / 10 ** exponent).toPrecision(few));
    const power = '10' + superscript(exponent);
    return (v < 0 ? '−' : '') + (mantissa === '1' ? power : mantissa + '×' + power);
  }
  if (size >= 1000) return (v < 0 ? '−' : '') + Math.round(size).toLocaleString('en-US');
  return (v < 0 ? '−' : '') + trimZeros(size.toPrecision(digits));
}

/** A learning rate as people write it: 3e-4. */
function rate(value, digits = 3) {
  if (!(num(value) > 0) || !Number.isFinite(num(value))) return short(value);
  const v = roundedTo(num(value), digits),
    exponent = Math.floor(Math.log10(v) + 1e-12);
  if (exponent >= -2 && exponent < 6) return String(v);
  return trimZeros((v / 10 ** exponent).toPrecision(digits)) + 'e' + exponent;
}

/** 12.3M parameters. */
function large(value) {
  if (!(num(value) >= 1e3) || num(value) >= 1e15) return short(value);
  const v = roundedTo(num(value), 3);
  const [size, letter] = [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ].find(([least]) => v >= least);
  return roundedTo(v / size, 3) + ' ' + letter;
}

function duration(seconds) {
  const v = Math.round(num(seconds));
  if (!Number.isFinite(v)) return '';
  if (v < 60) return v + ' s';
  if (v < 3600) return Math.floor(v / 60) + ' min ' + String(v % 60).padStart(2, '0') + ' s';
  return Math.floor(v / 3600) + ' h ' + String(Math.floor((v % 3600) / 60)).padStart(2, '0') + ' min';
}

const plural = (count, one, many) => count.toLocaleString('en-US') + ' ' + (count === 1 ? one : many || one + 's');

const grouped = (value) => value.toLocaleString('en-US');

/** The lowest and the highest of a list: with thousands of values, each as an argument of Math.min, the stack overflows. */
function extent(values) {
  let low = Infinity,
    high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** A share of the unigram entropy in per cent, '' if it is not known: "38 %". */
const unigramShare = (share) => (isNumber(share) ? short(Math.round(100 * num(share))) + ' %' : '');

/** Of several runs: " (35 to 38 % of unigram)", '' if none is known. */
function unigramShares(shares) {
  const known = shares.filter((share) => Number.isFinite(num(share))).map((share) => Math.round(100 * num(share)));
  if (!known.length) return '';
  const [low, high] = extent(known);
  return ' (' + (low === high ? short(low) : short(low) + ' to ' + short(high)) + ' % of unigram)';
}

/** Without its middle where it is too long: names often differ only at their ends. */
function fitted(text, most) {
  if (text.length <= most) return text;
  const half = Math.max(1, Math.floor((most - 1) / 2));
  return text.slice(0, half) + '…' + text.slice(-half);
}

const words = (name) => String(name).replaceAll('_', ' ');

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
