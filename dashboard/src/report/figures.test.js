import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundsOf, columnsOf, harmOf, lackText, placeOf, policiesOf, sorted, trustOf, utc, utcOnAxis } from './figures.js';

const policy = (name, evictionCount, more = {}) => ({
  name,
  evictionCount,
  oomKillCount: 0,
  keptFreeGibHours: 1,
  conditionSeconds: { MemoryPressure: 2, DiskPressure: 0 },
  podSecondsLost: 3,
  evictions: [],
  ...more,
});

test('a policy costs what it costs on all nodes together', () => {
  const data = {
    recordings: [
      { policies: [policy('in force', 1), policy('other', 2)] },
      { policies: [policy('in force', 10), policy('other', 20, { evictions: undefined })] },
    ],
  };
  const [inForce, other] = policiesOf(data);
  assert.equal(inForce.evictions, 11);
  assert.equal(inForce.keptFree, 2);
  assert.equal(inForce.lostMs, 6000);
  assert.equal(inForce.price, undefined);
  assert.equal(other.evictions, 22);
  assert.ok(inForce.isTold);
  assert.ok(!other.isTold);
  assert.equal(placeOf(inForce), 'in force');
});

test('a recommendation says what each policy is', () => {
  const recommendation = { chosen: 1, front: [1, 2], policies: [{ price: 3 }, { price: 1 }, { price: 2 }] };
  const recordings = [{ policies: [policy('in force', 1), policy('a', 1), policy('b', 1)] }];
  const all = policiesOf({ recordings, recommendation });
  assert.deepEqual(all.map(placeOf), ['in force', 'recommended', 'on the front']);
  assert.equal(all[2].price, 2);
  const kept = policiesOf({ recordings, recommendation: { ...recommendation, chosen: 0 } });
  assert.equal(placeOf(kept[0]), 'kept');
});

test('stretches become columns, with a gap where nothing is known for long', () => {
  const signal = {
    from: 1_000_000,
    width: 1000,
    points: [
      [0, 1, 2],
      [1, 3, 4],
      [60, 5, 6],
    ],
  };
  assert.deepEqual(columnsOf(signal, 1000), [
    [1000, 1001, 1030.5, 1060],
    [1, 3, null, 5],
    [2, 4, null, 6],
  ]);
  assert.equal(columnsOf(signal, 60_000)[0].length, 3);
});

test('what is absent is sorted last, in either direction', () => {
  const rows = [{ v: 2 }, { v: null }, { v: 3 }, { v: 1 }];
  const values = (descending) => sorted(rows, (row) => row.v, descending).map((row) => row.v);
  assert.deepEqual(values(false), [1, 2, 3, null]);
  assert.deepEqual(values(true), [3, 2, 1, null]);
  assert.deepEqual(rows[0], { v: 2 });
});

test('evictions and OOM kills stand in the order of time', () => {
  const harm = harmOf({
    evictions: [{ at: '2026-01-01T00:00:05Z' }, { at: '2026-01-01T00:00:01Z' }],
    oomKills: [{ at: '2026-01-01T00:00:03Z', why: 'node' }],
  });
  assert.deepEqual(
    harm.map((each) => each.kind),
    ['eviction', 'OOM kill', 'eviction'],
  );
  assert.equal(harm[1].why, 'the node has nothing left');
  assert.deepEqual(harmOf({}), []);
});

test('times are UTC, and as short as an axis needs them', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5);
  assert.equal(utc(at), '2026-01-02 03:04:05');
  assert.equal(utcOnAxis(at, 10), '03:04:05');
  assert.equal(utcOnAxis(at, 600), '03:04');
  assert.equal(utcOnAxis(at, 86400), '01-02');
});

test('a calibration without evictions says so', () => {
  const calibration = { evictions: 0, foretold: 0, found: 0 };
  assert.equal(trustOf({ calibration }), 'no eviction to compare');
  assert.match(trustOf({ calibration: { evictions: 3, foretold: 2, found: 2 } }), /2 of 3 found/);
});

test('bounds have the day of an end that is on another day', () => {
  const at = Date.UTC(2026, 0, 31, 23, 59, 50);
  assert.equal(boundsOf({ at, earliest: at - 10000, latest: at + 5000 }), '23:59:40 to 23:59:55');
  assert.equal(boundsOf({ at, earliest: at - 10000, latest: at + 80000 }), '23:59:40 to 2026-02-01 00:01:10');
  assert.equal(
    boundsOf({ at: at + 20000, earliest: at, latest: at + 20000 }),
    '2026-01-31 23:59:50 to 00:00:10',
  );
});

test('what the report lacks is said', () => {
  const detailed = { detailed: true };
  assert.equal(lackText(detailed, policy('a', 1), 1), '');
  assert.equal(lackText(detailed, policy('a', 600), 500), 'The first 500 are here.');
  assert.match(lackText(detailed, policy('a', 1, { evictions: undefined }), 0), /policies on the front alone/);
  const other = lackText({ detailed: false }, policy('a', 0, { evictions: undefined }), 0);
  assert.match(other, /nodes with the most evictions alone/);
});
