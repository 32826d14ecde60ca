import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ABSENT, amount, bytes, count, duration, moment, onAxis, percent, plural } from './format.js';

test('bytes have three digits that matter and a binary unit', () => {
  const table = [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [104857600, '100 MiB'],
    [4 * 2 ** 30, '4 GiB'],
    [2.25 * 2 ** 40, '2.25 TiB'],
    [-3 * 2 ** 20, '-3 MiB'],
    [2 ** 62, '4096 PiB'],
  ];
  for (const [value, text] of table) assert.equal(bytes(value), text);
});

test('what is absent is a dash, in every unit', () => {
  for (const unit of ['bytes', 'count', 'percent']) {
    assert.equal(amount(unit, undefined), ABSENT);
    assert.equal(amount(unit, null), ABSENT);
  }
  assert.equal(duration(undefined), ABSENT);
  assert.equal(moment(undefined, 0), ABSENT);
});

test('counts are grouped, shares have a sign, an axis is short', () => {
  assert.equal(count(7864320), '7\u202f864\u202f320');
  assert.equal(percent(3.6), '3.6 %');
  assert.equal(percent(12.345), '12.3 %');
  assert.deepEqual(
    [999, 20000, 7500000].map((value) => onAxis('count', value)),
    ['999', '20k', '7.5M'],
  );
});

test('a length of time has at most two units', () => {
  const table = [
    [0, '0 s'],
    [-5, '0 s'],
    [340, '0.3 s'],
    [9960, '10 s'],
    [59400, '59 s'],
    [60000, '1 min'],
    [90000, '1 min 30 s'],
    [3600000, '1 h'],
    [7500000, '2 h 5 min'],
    [86400000 * 4 + 3600000 * 3, '4 d 3 h'],
  ];
  for (const [ms, text] of table) assert.equal(duration(ms), text);
});

test('one is singular', () => {
  assert.equal(plural(1, 'pod'), '1 pod');
  assert.equal(plural(2, 'pass', 'passes'), '2 passes');
});
