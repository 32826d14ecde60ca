// Pure: the data of the report as what its parts show.
import { ABSENT } from '../format.js';

// A moment in UTC, as recordings have it: "2026-01-31 14:03:27".
export function utc(ms) {
  return ms == null ? ABSENT : new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

// The same for an axis, by how far two of its moments lie apart (s).
export function utcOnAxis(ms, step) {
  const text = utc(ms);
  if (step >= 86400) return text.slice(5, 10);
  return step >= 60 ? text.slice(11, 16) : text.slice(11);
}

// Between which moments something happened; the day stands where it is not that of `at`.
export function boundsOf({ at, earliest, latest }) {
  const day = utc(at).slice(0, 10);
  const text = (ms) => (utc(ms).startsWith(day) ? utc(ms).slice(11) : utc(ms));
  return `${text(earliest)} to ${text(latest)}`;
}

export function share(value) {
  return value == null ? ABSENT : `${Math.round(value * 1000) / 10} %`;
}

export function gibHours(value) {
  return `${value.toFixed(value < 10 ? 3 : 1)} GiB h`;
}

const conditionsOf = (policy) => Object.values(policy.conditionSeconds).reduce((sum, each) => sum + each, 0);

// Each policy with what it costs, added up over the recordings, and what a recommendation says of it.
export function policiesOf(data) {
  const told = data.recommendation;
  const first = data.recordings[0]?.policies ?? [];
  return first.map((policy, index) => {
    const all = data.recordings.map((recording) => recording.policies[index]);
    const sum = (field) => all.reduce((total, each) => total + each[field], 0);
    return {
      index,
      name: policy.name,
      evictions: sum('evictionCount'),
      oomKills: sum('oomKillCount'),
      keptFree: sum('keptFreeGibHours'),
      conditionMs: all.reduce((total, each) => total + conditionsOf(each), 0) * 1000,
      lostMs: sum('podSecondsLost') * 1000,
      price: told?.policies[index].price,
      isTold: all.every((each) => each.evictions != null),
      isInForce: index === 0,
      isChosen: told != null && told.chosen === index,
      isOnFront: told != null && told.front.includes(index),
    };
  });
}

// What a policy is beside the others.
export function placeOf(policy) {
  if (policy.isChosen) return policy.isInForce ? 'kept' : 'recommended';
  if (policy.isInForce) return 'in force';
  return policy.isOnFront ? 'on the front' : '';
}

// The stretches of a signal as uPlot takes them: [seconds, least, most]. Where stretches are missing
// for longer than passes lie apart there is a gap.
export function columnsOf(signal, longestStepMs) {
  const gap = Math.max(3 * signal.width, 2 * longestStepMs);
  const columns = [[], [], []];
  let before = null;
  for (const [place, least, most] of signal.points) {
    const at = signal.from + place * signal.width;
    if (before != null && at - before > gap) {
      columns[0].push((before + at) / 2000);
      columns[1].push(null);
      columns[2].push(null);
    }
    columns[0].push(at / 1000);
    columns[1].push(least);
    columns[2].push(most);
    before = at;
  }
  return columns;
}

// Sorted by a value that is a number or a text; what is absent comes last, in either direction.
export function sorted(rows, valueOf, descending) {
  const order = (a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    if (x == null || y == null) return (x == null) - (y == null);
    const less = typeof x === 'string' ? x.localeCompare(y) : x - y;
    return descending ? -less : less;
  };
  return [...rows].sort(order);
}

// Evictions and OOM kills of a policy in a recording, in the order of time.
export function harmOf(policy) {
  const times = ({ at, earliest, latest }) => ({
    at: Date.parse(at),
    earliest: Date.parse(earliest),
    latest: Date.parse(latest),
  });
  const evictions = (policy.evictions ?? []).map((each) => ({
    ...each,
    ...times(each),
    kind: 'eviction',
    recorded: each.asRecorded,
    why: each.reason,
  }));
  const kills = (policy.oomKills ?? []).map((each) => ({
    ...each,
    ...times(each),
    kind: 'OOM kill',
    recorded: each.why === 'recorded',
    why: {
      recorded: 'killed by the kernel',
      node: 'the node has nothing left',
      podLimit: 'it meets its own limit',
    }[each.why],
  }));
  return [...evictions, ...kills].sort((a, b) => a.at - b.at);
}

// What the report lacks of the harm that a policy does on the node of a recording, in a sentence.
export function lackText(recording, policy, shown) {
  if (!recording.detailed) return 'The report has the details of the nodes with the most evictions alone.';
  if (policy.evictions == null) return 'The report has the details of policies on the front alone.';
  return shown < policy.evictionCount + policy.oomKillCount ? `The first ${shown} are here.` : '';
}

// "1 of 3 found"-like: what a calibration says in a few words.
export function trustOf({ calibration }) {
  if (calibration.evictions === 0 && calibration.foretold === 0) return 'no eviction to compare';
  const known = calibration.foretold - (calibration.notKnown ?? 0);
  return `${calibration.found} of ${calibration.evictions} found, ${calibration.found} of ${known} foretold are right`;
}
