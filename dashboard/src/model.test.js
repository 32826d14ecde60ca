import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evictionsFrom, historyFrom, overviewFrom, pointsOf, resourceOf, shadowFrom } from './model.js';

const BARE = {
  at: '2026-01-02T03:04:05Z',
  node: 'n',
  conditions: [],
  taints: [],
  signals: [],
  pods: [],
  events: [],
  passes: 0,
};

function signalOf(json) {
  return overviewFrom({ ...BARE, signals: [json] }).signals[0];
}

test('times are milliseconds, absent ones stay absent', () => {
  const overview = overviewFrom(BARE);
  assert.equal(overview.at, Date.UTC(2026, 0, 2, 3, 4, 5));
  assert.equal(overview.podsMeasuredAt, undefined);
  assert.equal(overview.lastPass, undefined);
});

test('a threshold that is met gives the signal its level, a hard one before a soft one', () => {
  const threshold = (kind, met) => ({
    kind,
    value: '1Gi',
    amount: 5,
    gracePeriodSeconds: 0,
    met,
    overdue: false,
  });
  const level = (available, ...thresholds) =>
    signalOf({ signal: 'memory.available', unit: 'bytes', available, thresholds }).level;
  assert.equal(level(9, threshold('hard', false), threshold('soft', false)), 'ok');
  assert.equal(level(4, threshold('hard', false), threshold('soft', true)), 'soft');
  assert.equal(level(4, threshold('soft', true), threshold('hard', true)), 'hard');
  assert.equal(level(undefined, threshold('hard', false)), 'unknown');
});

test('of pressure the time lost is shown, which grows', () => {
  const signal = signalOf({
    signal: 'io.pressure.full.avg10',
    unit: 'share',
    available: 9640,
    capacity: 10000,
    trendPerSecond: -50,
    thresholds: [
      { kind: 'hard', value: '20%', amount: 8000, gracePeriodSeconds: 0, met: false, overdue: false },
    ],
  });
  assert.equal(signal.value, 3.6);
  assert.equal(signal.thresholds[0].at, 20);
  assert.equal(signal.trend, 0.5);
  assert.equal(signal.below, false);
});

test('the history becomes points, unknown ones null', () => {
  const history = historyFrom({
    times: [1, 2],
    evictions: [],
    signals: [
      { signal: 'memory.available', unit: 'bytes', available: [5, null] },
      { signal: 'memory.pressure.some.avg10', unit: 'share', available: [10000, 9000] },
    ],
  });
  assert.deepEqual(history.points['memory.available'], [
    [1, 5],
    [2, null],
  ]);
  assert.deepEqual(history.points['memory.pressure.some.avg10'], [
    [1, 0],
    [2, 10],
  ]);
  assert.deepEqual(history.passes, []);
});

test('each signal is about one resource', () => {
  const table = {
    'memory.available': 'memory',
    'allocatableMemory.available': 'memory',
    'memory.pressure.full.avg10': 'memory',
    'swap.available': 'swap',
    'nodefs.available': 'disk',
    'imagefs.inodesFree': 'inodes',
    'pid.available': 'pids',
    'io.pressure.some.avg60': 'io',
  };
  for (const [signal, resource] of Object.entries(table)) assert.equal(resourceOf(signal), resource);
});

test('an eviction that is kept is not told twice, one that is not yet kept is told', () => {
  const pod = { namespace: 'a', name: 'b', uid: 'c' };
  const kept = { items: [{ id: 'ev-1', at: '1970-01-01T00:00:05.000Z', pod, message: 'm', summary: 's' }] };
  const recent = [
    { at: 9000, pod: 'a/b', signal: 'pid.available', message: 'n' },
    { at: 5000, pod: 'a/b', message: 'm' },
  ];
  const found = evictionsFrom(kept, recent);
  assert.deepEqual(
    found.map(({ id, at, pod: name }) => [id, at, name]),
    [
      ['ev-1', 5000, 'a/b'],
      [undefined, 9000, 'a/b'],
    ],
  );
});

test('what a pass saw becomes points', () => {
  const signals = [
    { signal: 'memory.available', available: 5, capacity: 9 },
    { signal: 'io.pressure.full.avg10', available: 9000, capacity: 10000 },
  ];
  assert.deepEqual(pointsOf({ at: '1970-01-01T00:00:01Z', signals }), {
    'memory.available': [[1000, 5]],
    'io.pressure.full.avg10': [[1000, 10]],
  });
});

test('of the comparison with the kubelet what waits comes first, then the newest', () => {
  const side = (name, rest) => ({ at: '1970-01-01T00:00:01Z', namespace: 'n', name, ...rest });
  const shadow = shadowFrom({
    agreementPercent: 50,
    counters: {},
    pairings: [
      { verdict: 'late', leadSeconds: -2, ours: side('a'), kubelets: side('a') },
      { verdict: 'otherVictim', leadSeconds: 1, ours: side('b', { signal: 'memory.available' }), kubelets: side('c') },
      { verdict: 'oursAlone', podEnded: true, ours: side('d', { resource: 'pids' }) },
      { verdict: 'unheardOf' },
    ],
    open: [side('e')],
    kubeletsOpen: [{ at: '1970-01-01T00:00:01Z', name: 'f' }],
  });
  assert.deepEqual(
    shadow.rows.map(({ pod, verdict, about, leadMs, kubeletsPod, ended }) => [
      pod,
      verdict,
      about,
      leadMs,
      kubeletsPod,
      ended,
    ]),
    [
      ['n/e', 'oursOpen', undefined, undefined, undefined, undefined],
      ['f', 'kubeletsOpen', undefined, undefined, undefined, undefined],
      ['n/d', 'oursAlone', 'pids', undefined, undefined, true],
      ['n/b', 'otherVictim', 'memory.available', 1000, 'n/c', false],
      ['n/a', 'late', undefined, -2000, undefined, false],
    ],
  );
});
