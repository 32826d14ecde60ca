// What there is on the node of the made-up agent: signals and pods as /api/v1/overview has them.
const MIB = 1 << 20;
export const GIB = 1 << 30;
export const STARTED = Date.now() - 26 * 60 * 1000;

export const iso = (at) => new Date(at).toISOString();

function threshold(kind, value, amount, more = {}) {
  return {
    kind,
    value,
    amount,
    gracePeriodSeconds: kind === 'soft' ? 90 : 0,
    met: false,
    overdue: false,
    ...more,
  };
}

export function signals(memory) {
  return [
    {
      signal: 'memory.available',
      unit: 'bytes',
      available: memory,
      capacity: 4 * GIB,
      trendPerSecond: -3 * MIB,
      thresholds: [
        threshold(
          'hard',
          '100Mi',
          100 * MIB,
          memory < 100 * MIB ? { met: true, overdue: true } : { timeToSeconds: 214 },
        ),
        threshold(
          'soft',
          '1Gi',
          GIB,
          memory < GIB ? { met: true, since: iso(Date.now() - 20000) } : { timeToSeconds: 60 },
        ),
      ],
    },
    {
      signal: 'nodefs.available',
      unit: 'bytes',
      available: 41 * GIB,
      capacity: 120 * GIB,
      trendPerSecond: 0,
      thresholds: [threshold('hard', '10%', 12 * GIB)],
    },
    {
      signal: 'nodefs.inodesFree',
      unit: 'inodes',
      available: 6_812_004,
      capacity: 7_864_320,
      thresholds: [threshold('hard', '5%', 393_216)],
    },
    {
      signal: 'pid.available',
      unit: 'pids',
      available: 31_877,
      capacity: 32_768,
      thresholds: [threshold('hard', '1k', 1000)],
    },
    {
      signal: 'memory.pressure.full.avg10',
      unit: 'share',
      available: 9_640,
      capacity: 10_000,
      thresholds: [threshold('hard', '20%', 8_000)],
    },
    { signal: 'imagefs.available', unit: 'bytes', thresholds: [threshold('hard', '15%', undefined)] },
  ];
}

const NAMES = [
  'api',
  'queue',
  'worker',
  'cache',
  'search',
  'mail',
  'report',
  'thumbnails',
  'ingest',
  'billing',
];
const REASONS = ['usage above request', 'priority', 'usage minus request', 'usage minus request', 'UID'];

// A pod; the first one has a name that would be a script, were it taken for HTML.
function pod(index) {
  const name =
    index === 0 ? '<img src=x onerror=document.title=1>' : `${NAMES[index % NAMES.length]}-${index}`;
  const memory = (900 - (index % 800)) * MIB;
  return {
    namespace: index % 3 ? 'shop' : 'default',
    name,
    uid: `uid-${index}`,
    place: index + 1,
    qos: ['BestEffort', 'Burstable', 'Guaranteed'][index % 3],
    priority: index % 4 === 3 ? 1000 : 0,
    critical: false,
    protection: 'none',
    source: 'own',
    activity: 'running',
    phase: 'Running',
    memoryBytes: memory,
    requestBytes: index % 3 ? 256 * MIB : 0,
    processes: 3 + (index % 9),
    ephemeralBytes: (index % 70) * MIB,
    overRequest: index < 5,
    excess: memory - (index % 3 ? 256 * MIB : 0),
    evictions: 0,
    why: REASONS[index % REASONS.length],
  };
}

export function pods(number) {
  const list = Array.from({ length: number }, (_, index) => pod(index));
  if (number < 4) return list;
  for (const last of list.slice(-2)) delete last.place;
  Object.assign(list.at(-2), { critical: true, protection: 'critical', priority: 2_000_001_000, why: undefined });
  Object.assign(list.at(-1), {
    activity: 'waiting',
    phase: 'Failed',
    reason: 'Evicted',
    memoryBytes: undefined,
    excess: undefined,
    comesBackAt: iso(Date.now() + 40000),
    comesBackAfter: 'back-off',
    why: undefined,
  });
  delete list.at(-3).why;
  return list;
}

// What an agent in shadow mode answers: an agreement, two victims for one resource, and one that waits.
export function comparison() {
  const side = (name, secondsAgo, rest) => ({
    at: iso(Date.now() - secondsAgo * 1000),
    namespace: 'default',
    name,
    uid: `u-${name}`,
    resource: 'memory',
    notes: 1,
    ...rest,
  });
  return {
    at: iso(Date.now()),
    agreementPercent: 50,
    counters: {
      agreed: 1,
      late: 0,
      otherVictim: 1,
      oursAlone: 0,
      kubeletsAlone: 0,
      otherReasons: 0,
      leadSumSeconds: 5.5,
      shortestLeadSeconds: 5.5,
      longestLeadSeconds: 5.5,
    },
    pairings: [
      { verdict: 'agreed', leadSeconds: 5.5, ours: side('a', 60), kubelets: side('a', 54.5) },
      { verdict: 'otherVictim', leadSeconds: 2, ours: side('b', 40), kubelets: side('c', 38) },
    ],
    open: [side('f', 10, { signal: 'nodefs.available' })],
    kubeletsOpen: [],
  };
}
