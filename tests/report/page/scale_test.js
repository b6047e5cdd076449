'use strict';
const assert = require('node:assert/strict');
const {test} = require('node:test');
const {load} = require('./parts.js');

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const {linearTicks, logTicks, ticksOf, fractionOf, valueAt, tickLabels, lowerBound, nearest, rangesOf, padded} = load(
  ['20_format.js', '50_scale.js'],
  ['linearTicks', 'logTicks', 'ticksOf', 'fractionOf', 'valueAt', 'tickLabels', 'lowerBound', 'nearest', 'rangesOf',
    'padded'],
  {clamp},
);

test('linear ticks are round, inside, and about as many as asked for', () => {
  assert.deepEqual(linearTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(linearTicks(-0.3, 0.3, 6), [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]);
  for (const [low, high] of [[3, 7], [-1e6, 2e9], [1e-9, 4e-9], [0.1234, 0.1239]]) {
    const ticks = linearTicks(low, high, 6);
    assert.ok(ticks.length >= 3 && ticks.length <= 13, `${low} ${high}: ${ticks}`);
    const room = (high - low) * 1e-6;
    for (const tick of ticks) assert.ok(tick >= low - room && tick <= high + room, `${tick} in ${low} to ${high}`);
  }
  assert.deepEqual(linearTicks(5, 5, 4), [5]);
});

test('logarithmic ticks are powers of ten, with 2 and 5 where there is room', () => {
  assert.deepEqual(logTicks(1, 100, 12), [1, 2, 5, 10, 20, 50, 100]);
  assert.deepEqual(logTicks(1, 1e6, 4).filter((t) => Math.log10(t) % 1 !== 0), []);
  assert.deepEqual(logTicks(0, 10, 5), []);
  assert.deepEqual(logTicks(2, 4, 4), linearTicks(2, 4, 4));
});

test('counts have whole ticks', () => {
  assert.deepEqual(ticksOf({whole: true}, 0, 2, 8), [0, 1, 2]);
});

test('a value and its place belong together on both kinds of axis', () => {
  for (const axis of [{log: false}, {log: true}]) {
    for (const value of [0.01, 0.3, 1, 57, 100]) {
      const place = fractionOf(axis, [0.01, 100], value);
      assert.ok(Math.abs(valueAt(axis, [0.01, 100], place) - value) < 1e-9 * value + 1e-12);
    }
  }
  assert.equal(fractionOf({log: true}, [1, 100], 10), 0.5);
});

test('labels tell ticks apart', () => {
  assert.deepEqual(tickLabels({}, [0, 0.5, 1]), ['0.0', '0.5', '1.0']);
  assert.deepEqual(tickLabels({}, [-1000, 0, 1000]), ['−1,000', '0', '1,000']);
  const close = [10000001, 10000002, 10000003];
  assert.equal(new Set(tickLabels({}, close)).size, 3);
});

test('search in ascending numbers', () => {
  const x = [1, 3, 3, 7];
  assert.deepEqual([0, 1, 2, 3, 4, 7, 8].map((v) => lowerBound(x, v)), [0, 0, 1, 1, 3, 3, 4]);
  const far = (at) => (v) => Math.abs(v - at);
  assert.deepEqual([0, 2.9, 4, 6, 100].map((at) => x[nearest(x, at, far(at))]), [1, 3, 3, 7, 7]);
});

const figure = (series, more = {}) => ({x: {log: false}, y: {log: false}, series, ...more});

test('a figure covers what is drawn, gaps and marks too', () => {
  const {x, y} = rangesOf(figure([{x: [1, 2, 3], y: [5, -5, 0], gaps: [{from: 4, to: 9}]}]), null);
  assert.deepEqual(x, [1, 9]);
  assert.deepEqual(y, [-5.5, 5.5]);
});

test('zoom leaves y to what is seen, and a logarithm takes no zero', () => {
  const line = {x: [0, 10, 20, 30, 40, 50, 60], y: [1000, 1, 2, 3, 2, 1, 1000]};
  const {y} = rangesOf(figure([line]), [15, 45]);
  assert.ok(y[1] < 4, String(y));
  const log = rangesOf({x: {log: false}, y: {log: true}, series: [{x: [1, 2, 3], y: [0, 0.5, 2]}]}, null);
  assert.ok(log.y[0] > 0.4 && log.y[0] < 0.5, String(log.y));
});

test('nothing to draw has axes all the same', () => {
  assert.deepEqual(rangesOf(figure([]), null).x, [0, 1]);
  assert.deepEqual(padded(0, 0, false), [0, 1]);
  assert.ok(padded(Number.MIN_VALUE, Number.MAX_VALUE, true).every((v) => Number.isFinite(v) && v > 0));
});
