'use strict';
const assert = require('node:assert/strict');
const {test} = require('node:test');
const {load} = require('./parts.js');

const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const lineStyle = (index) => ({colour: index % 8, dash: dashes[Math.floor(index / 8) % dashes.length]});
const view = {hidden: new Set()};
const page = load(
  ['20_format.js', '40_data.js'],
  ['takeData', 'smoothed', 'sums', 'lineOf', 'runStyle', 'failureInWords', 'stateOf'],
  {dashes, lineStyle, view},
);

const run = (name, variant, summary = {}) => ({name, summary: {variant, ...summary}, curves: {}, samples: []});

test('curves come as steps and are unpacked once', () => {
  const curve = {dx: [5, 5, 10], y: [3, 2, 1], gaps: [[25, 30, 'NaN', 2]], means: {dx: [10, 10], y: [2.5, 1], counts: [2, 1]}};
  page.takeData({runs: [{...run('a', 'post_ln'), curves: {'train.loss': curve}}], probes: []});
  assert.deepEqual(curve.x, [5, 10, 20]);
  assert.deepEqual(curve.means.x, [10, 20]);
  assert.equal(curve.gaps[0].count, 2);
  assert.ok(Number.isNaN(curve.gaps[0].value));
});

test('smoothing is the unbiased exponential mean, written out', () => {
  const y = [4, 2, 8, 1, 1];
  for (const weight of [0.5, 0.9, 0.99]) {
    const {y: got} = page.smoothed({x: [1, 2, 3, 4, 5], y}, weight);
    y.forEach((_, i) => {
      let sum = 0,
        total = 0;
      for (let k = 0; k <= i; ++k) {
        sum += weight ** (i - k) * y[k];
        total += weight ** (i - k);
      }
      assert.ok(Math.abs(got[i] - sum / total) < 1e-12, `${weight} ${i}`);
    });
  }
});

test('a bucket of n equal values smooths as n values do', () => {
  const plain = page.smoothed({x: [1, 2, 3, 4], y: [6, 6, 6, 2]}, 0.8).y;
  const bucket = page.smoothed({means: {x: [3, 4], y: [6, 2], counts: [3, 1]}}, 0.8).y;
  assert.ok(Math.abs(plain[3] - bucket[1]) < 1e-12);
});

test('what is not finite becomes a gap', () => {
  const line = page.lineOf([[1, 2], [2, NaN], [3, Infinity], [4, 5]]);
  assert.deepEqual(line.x, [1, 4]);
  assert.deepEqual(line.gaps.map((gap) => gap.from), [2, 3]);
});

test('colour says the variant where there are several; dashes part runs of one', () => {
  const runs = [run('a', 'post_ln'), run('b', 'pre_ln'), run('c', 'post_ln')];
  page.takeData({runs, probes: []});
  const [a, b, c] = runs.map(page.runStyle);
  assert.equal(a.colour, c.colour);
  assert.notEqual(a.colour, b.colour);
  assert.notDeepEqual(a.dash, c.dash);
});

test('a sample without a source has that of the one before', () => {
  const one = {...run('a', 'b2t'), samples: [{update: 1, source: ['s'], output: ['x']}, {update: 2, output: ['y']}]};
  page.takeData({runs: [one], probes: []});
  assert.deepEqual(one.samples[1], {update: 2, source: ['s'], output: ['y']});
});

test('a failure in words', () => {
  const failed = run('a', 'post_ln', {state: 'diverged', failure: {update: 1812, reason: 'NaN', tap: 'encoder.1.ffn.sum'}});
  assert.equal(page.failureInWords(failed), 'diverged at update 1,812: NaN (first at encoder.1.ffn.sum)');
  assert.equal(page.failureInWords(run('b', 'pre_ln')), null);
  assert.equal(page.stateOf(run('b', 'pre_ln')), 'unfinished');
});
