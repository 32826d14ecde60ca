import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Series, columns, thinned, ticks, topOf } from './series.js';

test('what is seen is put behind what the agent remembers', () => {
  const series = new Series();
  series.add('a', 30000, 3);
  series.merge({
    a: [
      [10000, 1],
      [20000, 2],
    ],
  });
  series.add('a', 32000, 4);
  assert.deepEqual(series.points('a'), [
    [10000, 1],
    [20000, 2],
    [30000, 3],
    [32000, 4],
  ]);
  assert.equal(series.oldest(), 10000);
});

test('what is remembered of a time that was missed fills the gap, nothing is there twice', () => {
  const series = new Series();
  for (const at of [10000, 12000, 50000]) series.add('a', at, at);
  series.merge({
    a: [
      [10020, 1],
      [30000, 3],
      [49980, 5],
    ],
  });
  series.merge({
    a: [
      [30000, 3],
      [49980, 5],
    ],
  });
  assert.deepEqual(
    series.points('a').map(([at]) => at),
    [10000, 12000, 30000, 49980],
  );
});

test('points close together are one, an hour is kept', () => {
  const series = new Series();
  series.add('a', 0, 1);
  series.add('a', 40, 2);
  series.add('a', 3600500, 3);
  assert.deepEqual(series.points('a'), [[3600500, 3]]);
});

test('after the clock was set back points are added at once', () => {
  const series = new Series();
  for (const at of [10000, 12000, 14000, 14500]) series.add('a', at, at);
  series.add('a', 12500, 1);
  series.add('a', 12480, 2);
  series.add('a', 14500, 3);
  assert.deepEqual(series.points('a'), [
    [10000, 10000],
    [12000, 12000],
    [12500, 1],
    [14500, 3],
  ]);
});

test('an unknown figure is a gap and not a zero', () => {
  const series = new Series();
  series.add('a', 1000, undefined);
  assert.deepEqual(series.points('a'), [[1000, null]]);
  assert.deepEqual(series.points('b'), []);
});

test('a plot begins with the point before its left edge, and has gaps where nothing was known', () => {
  const points = [
    [0, 1],
    [10000, 2],
    [20000, 3],
    [80000, 4],
    [90000, 5],
  ];
  assert.deepEqual(columns(points, 15000, 85000), [
    [10, 20, 50, 80],
    [2, 3, null, 4],
  ]);
  assert.deepEqual(columns([], 0, 1), [[], []]);
  assert.deepEqual(columns(points, 100000, 110000), [[90], [5]]);
});

test('a table has the first, the last and some points between', () => {
  const points = Array.from({ length: 100 }, (_, index) => [index, index]);
  const few = thinned(points, 10);
  assert.equal(few.length, 10);
  assert.deepEqual(
    [few[0], few.at(-1)],
    [
      [0, 0],
      [99, 99],
    ],
  );
  assert.deepEqual(thinned(points.slice(0, 3), 10), points.slice(0, 3));
});

test('an axis shows the figures and the lines', () => {
  assert.ok(topOf([1, null, 5], [100]) > 100);
  assert.ok(topOf([], []) > 0);
  assert.ok(topOf([0], []) > 0);
});

test('ticks are round in the unit of the signal', () => {
  assert.deepEqual(
    ticks(0, 3.7 * 2 ** 30, 'bytes'),
    [0, 1, 2, 3].map((factor) => factor * 2 ** 30),
  );
  assert.deepEqual(ticks(0, 112, 'percent'), [0, 50, 100]);
  for (const high of [1, 3, 999, 1025, 5e6, 7e11]) {
    const found = ticks(0, high, 'bytes').length;
    assert.ok(found >= 2 && found <= 6, `${found} ticks up to ${high}`);
  }
});
