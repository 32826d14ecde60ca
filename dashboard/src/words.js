// Sentences about the figures: what a card, a row or a screen reader says.
import { ABSENT, amount, count, duration, percent, plural } from './format.js';

// What sets a pod apart from the one behind it.
const WHY = {
  'no statistics': 'it has not been measured',
  'usage above request': 'it uses more than it requests',
  priority: 'its priority is lower',
  'usage minus request': 'its usage minus request is larger',
  UID: 'its UID decides, because all else is equal',
};

export function whyOf(pod) {
  if (pod.place == null) return stayingOf(pod);
  if (pod.why == null || pod.why === '') return 'it is the last pod that may be evicted';
  return WHY[pod.why] ?? pod.why;
}

export function isProtected(pod) {
  return (pod.protection ?? 'none') !== 'none';
}

function stayingOf(pod) {
  if (isProtected(pod)) return `it is not evicted: ${pod.protection}`;
  if (pod.activity !== 'running' && pod.activity !== 'starting') return 'it uses no resources now';
  if (pod.excess == null) return 'it has not been measured yet';
  return 'it is not evicted for this signal';
}

export function stateOf(pod, now) {
  if (pod.comesBackAfter) {
    const earliest =
      pod.comesBackAt == null ? '' : ` in ${duration(Math.max(pod.comesBackAt - now, 0))} at the earliest,`;
    return `${pod.reason || 'waiting'}, back${earliest} after ${pod.comesBackAfter}`;
  }
  if (pod.waitingReason) return `${pod.activity}: ${pod.waitingReason}, ${pod.waitingMessage}`;
  if (pod.refusedFor) return `${pod.activity}: refused, ${pod.refusedFor}`;
  return pod.reason ? `${pod.activity}, ${pod.reason}` : pod.activity;
}

// "evicts at once below 100 MiB", "evicts after 1 min 30 s below 1 GiB".
export function thresholdText(signal, threshold) {
  const when = threshold.kind === 'hard' ? 'at once' : `after ${duration(threshold.graceMs)}`;
  const side = signal.below ? 'below' : 'above';
  const at = threshold.at == null ? threshold.text : amount(signal.unit, threshold.at);
  const share =
    signal.below && threshold.at != null && threshold.text.endsWith('%') ? ` (${threshold.text})` : '';
  return `${side} ${at}${share} ${when}`;
}

export function thresholdState(threshold, now) {
  if (threshold.overdue) return 'met, acts now';
  if (threshold.met && threshold.kind === 'hard') return 'met';
  if (threshold.met) {
    const left = threshold.since == null ? null : threshold.graceMs - (now - threshold.since);
    return left == null ? 'met' : `met, acts in ${duration(left)}`;
  }
  return threshold.timeToMs == null ? 'not met' : `met in ${duration(threshold.timeToMs)} at this pace`;
}

// The figure, and what it is a figure of.
export function readingText(signal) {
  if (signal.value == null) return [ABSENT, 'not known'];
  const value = amount(signal.unit, signal.value);
  if (!signal.below) return [value, 'of the time lost to stalls'];
  return [value, `of ${amount(signal.unit, signal.capacity)}`];
}

// How fast it changes, an amount a second; empty where it hardly does.
export function trendText(signal) {
  const { trend, value, unit } = signal;
  if (trend == null || value == null) return '';
  if (Math.abs(trend) * 60 < Math.max(value, 1) * 0.002) return 'steady';
  return `${trend < 0 ? '↘' : '↗'} ${amount(unit, Math.abs(trend))}/s`;
}

// The whole card in one sentence, for those who do not see the curve.
export function signalSentence(signal, evictions, now) {
  const lines = signal.thresholds.map(
    (threshold) =>
      `${threshold.kind} threshold ${thresholdText(signal, threshold)}, ${thresholdState(threshold, now)}`,
  );
  const marked = evictions.length > 0 ? `; ${plural(evictions.length, 'eviction')} in view` : '';
  return `${signal.name}: ${readingText(signal).join(' ')}; ${lines.join('; ')}${marked}`;
}

export function excessText(pod, resource) {
  if (pod.excess == null) return ABSENT;
  if (resource === 'pids') return count(pod.excess);
  const unit = resource === 'inodes' ? 'count' : resource === 'io' ? 'percent' : 'bytes';
  return `${pod.excess > 0 ? '+' : ''}${amount(unit, pod.excess).replace('-', '−')}`;
}

// What a pass did, in a few words; `evicted` are the names of the pods.
export function passText(pass, evicted) {
  const did = [];
  if (pass.actingFor) did.push(`acted for ${pass.actingFor}`);
  if (pass.reclaimSteps.length > 0) did.push(`reclaimed ${pass.reclaimSteps.join(', ')}`);
  if (pass.relieved) did.push('the reclaim was enough');
  if (pass.reclaimUnderWay) did.push('reclaim under way');
  if (evicted.length > 0) did.push(`evicted ${evicted.join(', ')}`);
  return did.length > 0 ? did.join('; ') : 'nothing to do';
}

const VERDICTS = {
  agreed: 'agreed',
  late: 'too late',
  otherVictim: 'other victim',
  oursAlone: 'ours alone',
  kubeletsAlone: 'kubelet alone',
};

export function verdictText(verdict) {
  if (verdict === 'oursOpen') return 'ours, still open';
  return verdict === 'kubeletsOpen' ? 'the kubelet’s, still open' : (VERDICTS[verdict] ?? verdict);
}

// By how much the dry run was earlier than the kubelet.
export function leadText({ leadMs }) {
  if (leadMs == null) return ABSENT;
  return leadMs < 0 ? `${duration(-leadMs)} late` : duration(leadMs);
}

export function comparedPods({ pod, kubeletsPod, ended }) {
  if (kubeletsPod) return `${pod}, the kubelet ${kubeletsPod}`;
  return ended ? `${pod}, which ended for another reason` : pod;
}

// How far the dry run and the kubelet agree, in a few sentences.
export function shadowSentence({ agreement, counters }) {
  if (agreement == null) return 'Nothing to compare yet: neither the agent nor the kubelet has evicted a pod.';
  const kinds = Object.entries(VERDICTS).map(([kind, words]) => `${words} ${count(counters[kind])}`);
  const says = `Agreement ${percent(agreement)}: ${kinds.join(', ')}.`;
  const { agreed, leadSumSeconds, shortestLeadSeconds, longestLeadSeconds } = counters;
  if (shortestLeadSeconds == null || longestLeadSeconds == null || !agreed) return says;
  const [mean, least, most] = [leadSumSeconds / agreed, shortestLeadSeconds, longestLeadSeconds].map(
    (seconds) => duration(seconds * 1000),
  );
  return `${says} The agent was earlier by ${mean} on average, from ${least} to ${most}.`;
}

// What the pods are ranked for, and who would go first for it.
export function outlook(overview) {
  const nearest = overview.signals.find((signal) => signal.name === overview.rankedFor);
  const [victim, next] = overview.pods.filter((pod) => pod.place != null);
  const met = nearest?.thresholds.some((threshold) => threshold.met) ?? false;
  return { signal: overview.rankedFor, met, victim, next };
}
