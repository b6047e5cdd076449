'use strict';
const assert = require('node:assert/strict');
const {test} = require('node:test');
const {load} = require('./parts.js');

const {num, isNumber, short, rate, large, duration, plural, extent, fitted, words, capital, unigramShare, unigramShares} =
  load(
    ['20_format.js'],
    ['num', 'isNumber', 'short', 'rate', 'large', 'duration', 'plural', 'extent', 'fitted', 'words', 'capital',
      'unigramShare', 'unigramShares'],
  );

test('numbers that are not finite are strings in the data', () => {
  assert.equal(num('Infinity'), Infinity);
  assert.equal(num('-Infinity'), -Infinity);
  assert.ok(Number.isNaN(num('NaN')));
  assert.ok(Number.isNaN(num('3')));
  assert.ok(isNumber('NaN') && isNumber(0) && !isNumber('3') && !isNumber(null));
});

test('a number has four digits, and a power of ten where it is far from one', () => {
  assert.deepEqual([0, 1, 0.0123, 1234.4, -1234.6, 3.14159].map((v) => short(v)),
    ['0', '1', '0.0123', '1,234', '−1,235', '3.142']);
  assert.deepEqual([1.2e-7, 1e8, -2.5e9, 1e-4].map((v) => short(v)), ['1.2×10⁻⁷', '10⁸', '−2.5×10⁹', '0.0001']);
  assert.deepEqual(['NaN', 'Infinity', '-Infinity'].map((v) => short(v)), ['NaN', '∞', '−∞']);
});

test('what is rounded up to the next power is written with it', () => {
  assert.equal(short(99999999), '10⁸');
  assert.equal(short(0.000099999), '0.0001');
  assert.equal(large(999999), '1 M');
});

test('rates, sizes and times are written as people write them', () => {
  assert.deepEqual([3e-4, 1e-3, 0.01, 0.5, 7.25e-4, 0].map((v) => rate(v)),
    ['3e-4', '1e-3', '0.01', '0.5', '7.25e-4', '0']);
  assert.deepEqual([999, 1000, 12345678, 2.5e9, 3e12].map(large), ['999', '1 k', '12.3 M', '2.5 G', '3 T']);
  assert.deepEqual([0, 59.4, 61, 3599, 3600, 90061].map(duration),
    ['0 s', '59 s', '1 min 01 s', '59 min 59 s', '1 h 00 min', '25 h 01 min']);
  assert.equal(duration('NaN'), '');
});

test('words', () => {
  assert.equal(plural(1, 'run'), '1 run');
  assert.equal(plural(1200, 'run'), '1,200 runs');
  assert.equal(plural(2, 'entry', 'entries'), '2 entries');
  assert.equal(words('post_ln_2'), 'post ln 2');
  assert.equal(capital('loss'), 'Loss');
  assert.equal(fitted('abcdef', 6), 'abcdef');
  assert.equal(fitted('abcdefgh', 5), 'ab…gh');
});

test('the extent of more values than a call takes arguments', () => {
  const many = Array.from({length: 300000}, (_, i) => (i * 7919) % 300007);
  assert.deepEqual(extent(many), [0, Math.max(...many.slice(0, 1000), ...[300006])]);
  assert.deepEqual(extent([]), [Infinity, -Infinity]);
});

test('a share of the unigram entropy is per cent, and nothing where it is not known', () => {
  assert.deepEqual([0.384, 1.006, 'Infinity', undefined].map(unigramShare), ['38 %', '101 %', '∞ %', '']);
  assert.equal(unigramShares([0.351, 'NaN', 0.384, undefined]), ' (35 to 38 % of unigram)');
  assert.equal(unigramShares([0.381, 0.384]), ' (38 % of unigram)');
  assert.equal(unigramShares([undefined, 'NaN']), '');
});
