// What the agent answers, as the page shows it. Answers may lack fields: what is not known stays
// undefined. Of pressure the page shows the share of time lost, as it is configured; of every other
// signal what is available. docs/overview.md has the fields.

const UNITS = { bytes: 'bytes', inodes: 'count', pids: 'count', share: 'percent' };

const timeOf = (text) => (text == null ? undefined : Date.parse(text));

// An amount of a signal as it is shown: a share of time not lost becomes the percentage lost.
function shown(unit, value) {
  if (value == null) return undefined;
  return unit === 'share' ? (10000 - value) / 100 : value;
}

function thresholdFrom(json, unit) {
  return {
    kind: json.kind,
    text: json.value,
    at: shown(unit, json.amount),
    minReclaim: json.minReclaim,
    graceMs: json.gracePeriodSeconds * 1000,
    met: json.met,
    overdue: json.overdue,
    since: timeOf(json.since),
    timeToMs: json.timeToSeconds == null ? undefined : json.timeToSeconds * 1000,
  };
}

// "unknown", "hard" or "soft" (a threshold of that kind is met), or "ok".
function levelOf(available, thresholds) {
  if (available == null) return 'unknown';
  const met = thresholds.filter((threshold) => threshold.met).map((threshold) => threshold.kind);
  return met.includes('hard') ? 'hard' : met.includes('soft') ? 'soft' : 'ok';
}

function signalFrom(json) {
  const thresholds = json.thresholds.map((threshold) => thresholdFrom(threshold, json.unit));
  const below = json.unit !== 'share';
  return {
    name: json.signal,
    unit: UNITS[json.unit] ?? 'count',
    below, // pressure begins below a threshold; of lost time, above it
    value: shown(json.unit, json.available),
    capacity: below ? json.capacity : 100,
    trend: json.trendPerSecond == null ? undefined : below ? json.trendPerSecond : -json.trendPerSecond / 100,
    thresholds,
    level: levelOf(json.available, thresholds),
  };
}

function podFrom(json) {
  return {
    ...json,
    fullName: `${json.namespace}/${json.name}`,
    memory: json.memoryBytes,
    disk: json.ephemeralBytes,
    request: json.requestBytes,
    comesBackAt: timeOf(json.comesBackAt),
  };
}

function passFrom(json) {
  return {
    at: timeOf(json.at),
    actingFor: json.actingFor,
    evictions: json.evictions ?? [],
    reclaimSteps: json.reclaimSteps ?? [],
    reclaimUnderWay: json.reclaimUnderWay,
    relieved: json.relievedByReclaim,
  };
}

export function overviewFrom(json) {
  return {
    at: timeOf(json.at),
    node: json.node,
    version: json.version,
    startedAt: timeOf(json.startedAt),
    dryRun: json.dryRun === true,
    phase: json.phase,
    conditions: json.conditions.map((condition) => ({
      ...condition,
      status: condition.status === 'True',
      since: timeOf(condition.since),
    })),
    taints: json.taints,
    signals: json.signals.map(signalFrom),
    nearest: json.nearest,
    rankedFor: json.rankedFor,
    pods: json.pods.map(podFrom),
    podsMeasuredAt: timeOf(json.podsMeasuredAt),
    events: json.events.map((event) => ({ ...event, at: timeOf(event.at) })),
    passes: json.passes,
    lastPass: json.lastPass ? passFrom(json.lastPass) : undefined,
  };
}

// The history as points by signal, and the evictions that it remembers, oldest first.
export function historyFrom(json) {
  const points = {};
  for (const { signal, unit, available } of json.signals) {
    points[signal] = json.times.map((at, index) => [at, shown(unit, available[index]) ?? null]);
  }
  return {
    points,
    evictions: json.evictions.map((eviction) => ({ ...eviction })),
    passes: (json.passes ?? []).map(passFrom),
  };
}

// What a pass, as /api/v1/watch tells it, saw of each signal: points like those of the history.
export function pointsOf(pass) {
  const at = timeOf(pass.at);
  return Object.fromEntries(
    pass.signals.map(({ signal, available }) => {
      const unit = signal.includes('.pressure.') ? 'share' : 'bytes';
      return [signal, [[at, shown(unit, available)]]];
    }),
  );
}

// The evictions that the agent keeps over restarts, and those of its last passes, whose explanations it
// may still be writing; oldest first. Those that are kept have an id.
export function evictionsFrom(list, recent) {
  const kept = list.items.map(({ id, at, pod, signal, message, dryRun }) => ({
    id,
    at: timeOf(at),
    pod: `${pod.namespace}/${pod.name}`,
    signal,
    message,
    dryRun: dryRun === true,
  }));
  const known = new Set(kept.map(({ at, pod }) => `${at} ${pod}`));
  const others = recent.filter(({ at, pod }) => !known.has(`${at} ${pod}`));
  return [...kept, ...others].sort((a, b) => a.at - b.at);
}

const MOST_COMPARED = 50;

// In shadow mode: what the dry run would have done beside what the kubelet did. What waits for the other
// side comes first, then the newest. docs/http.md has the fields.
export function shadowFrom(json) {
  const nameOf = ({ namespace, name }) => (namespace ? `${namespace}/${name}` : name);
  const rowOf = (side, rest) => ({
    at: timeOf(side.at),
    pod: nameOf(side),
    about: side.signal ?? side.resource,
    ...rest,
  });
  const compared = json.pairings
    .filter(({ ours, kubelets }) => ours || kubelets)
    .map(({ ours, kubelets, verdict, leadSeconds, podEnded }) =>
      rowOf(ours ?? kubelets, {
        verdict,
        leadMs: leadSeconds == null ? undefined : leadSeconds * 1000,
        kubeletsPod: verdict === 'otherVictim' && kubelets ? nameOf(kubelets) : undefined,
        ended: podEnded === true,
      }),
    );
  const waiting = [
    ...json.open.map((side) => rowOf(side, { verdict: 'oursOpen' })),
    ...json.kubeletsOpen.map((side) => rowOf(side, { verdict: 'kubeletsOpen' })),
  ];
  return {
    agreement: json.agreementPercent,
    counters: json.counters,
    rows: [...waiting, ...compared.reverse()].slice(0, MOST_COMPARED),
  };
}

// What a signal is about, as ranking has it: "memory", "swap", "disk", "inodes", "pids" or "io".
export function resourceOf(signal) {
  if (signal.startsWith('io.')) return 'io';
  if (signal.startsWith('pid.')) return 'pids';
  if (signal.startsWith('swap.')) return 'swap';
  if (signal.toLowerCase().includes('memory')) return 'memory';
  return signal.endsWith('inodesFree') ? 'inodes' : 'disk';
}
