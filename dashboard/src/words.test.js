import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  comparedPods,
  excessText,
  leadText,
  outlook,
  passText,
  readingText,
  shadowSentence,
  signalSentence,
  stateOf,
  thresholdState,
  thresholdText,
  trendText,
  verdictText,
  whyOf,
} from './words.js';

const MIB = 2 ** 20;
const HARD = { kind: 'hard', text: '100Mi', at: 100 * MIB, graceMs: 0, met: false, overdue: false };
const SOFT = {
  kind: 'soft',
  text: '10%',
  at: 1024 * MIB,
  graceMs: 90000,
  met: true,
  since: 1000,
  overdue: false,
};
const MEMORY = {
  name: 'memory.available',
  unit: 'bytes',
  below: true,
  value: 163 * MIB,
  capacity: 4096 * MIB,
  thresholds: [HARD, SOFT],
};

test('a threshold says where it stands and when it acts', () => {
  assert.equal(thresholdText(MEMORY, HARD), 'below 100 MiB at once');
  assert.equal(thresholdText(MEMORY, SOFT), 'below 1 GiB (10%) after 1 min 30 s');
  assert.equal(thresholdText(MEMORY, { ...HARD, at: undefined, text: '15%' }), 'below 15% at once');
  assert.equal(
    thresholdText({ unit: 'percent', below: false }, { ...HARD, at: 20, text: '20%' }),
    'above 20 % at once',
  );
});

test('a threshold says what it is up to', () => {
  assert.equal(thresholdState(HARD, 0), 'not met');
  assert.equal(thresholdState({ ...HARD, timeToMs: 214000 }, 0), 'met in 3 min 34 s at this pace');
  assert.equal(thresholdState(SOFT, 21000), 'met, acts in 1 min 10 s');
  assert.equal(thresholdState({ ...SOFT, overdue: true }, 0), 'met, acts now');
});

test('a card is one sentence for those who do not see the curve', () => {
  const sentence = signalSentence(MEMORY, [{}], 21000);
  for (const part of [
    'memory.available: 163 MiB of 4 GiB;',
    'hard threshold below 100 MiB',
    '1 eviction in view',
  ]) {
    assert.ok(sentence.includes(part), `${part} in ${sentence}`);
  }
  assert.deepEqual(readingText({ unit: 'bytes' }), ['–', 'not known']);
});

test('a trend that hardly matters is steady', () => {
  assert.equal(trendText({ ...MEMORY, trend: -3 * MIB }), '↘ 3 MiB/s');
  assert.equal(trendText({ ...MEMORY, trend: 10 }), 'steady');
  assert.equal(trendText(MEMORY), '');
});

test('a pod says why it goes before the next one, or why it stays', () => {
  assert.equal(whyOf({ place: 1, why: 'priority' }), 'its priority is lower');
  assert.equal(whyOf({ place: 9 }), 'it is the last pod that may be evicted');
  assert.equal(whyOf({ place: 1, why: 'something new' }), 'something new');
  assert.equal(whyOf({ protection: 'critical', activity: 'running' }), 'it is not evicted: critical');
  assert.equal(whyOf({ protection: 'observed', activity: 'running' }), 'it is not evicted: observed');
  assert.equal(whyOf({ activity: 'waiting' }), 'it uses no resources now');
  assert.equal(whyOf({ activity: 'running' }), 'it has not been measured yet');
});

test('a pod that is away says when it comes back', () => {
  assert.equal(
    stateOf({ activity: 'waiting', reason: 'Evicted', comesBackAt: 9000, comesBackAfter: 'back-off' }, 1000),
    'Evicted, back in 8 s at the earliest, after back-off',
  );
  assert.equal(
    stateOf({ activity: 'waiting', reason: 'Evicted', comesBackAfter: 'MemoryPressure' }, 1000),
    'Evicted, back after MemoryPressure',
  );
  assert.equal(
    stateOf({ activity: 'waiting', reason: 'Evicted', refusedFor: 'MemoryPressure' }, 0),
    'waiting: refused, MemoryPressure',
  );
  assert.equal(stateOf({ activity: 'running' }, 0), 'running');
  assert.equal(
    stateOf({ activity: 'starting', waitingReason: 'ErrImagePull', waitingMessage: 'no such host' }, 0),
    'starting: ErrImagePull, no such host',
  );
});

test('an excess has a sign and the unit of what is ranked for', () => {
  assert.equal(excessText({ excess: 3 * MIB }, 'memory'), '+3 MiB');
  assert.equal(excessText({ excess: -3 * MIB }, 'disk'), '−3 MiB');
  assert.equal(excessText({ excess: 1200 }, 'pids'), '1\u202f200');
  assert.equal(excessText({}, 'memory'), '–');
});

test('a pass says what it did', () => {
  const nothing = { evictions: [], reclaimSteps: [] };
  assert.equal(passText(nothing, []), 'nothing to do');
  assert.equal(
    passText({ ...nothing, actingFor: 'memory.available', reclaimSteps: ['containers'], evictions: ['u'] }, [
      'a/b',
    ]),
    'acted for memory.available; reclaimed containers; evicted a/b',
  );
});

test('who would go now is the pod with the first place', () => {
  const pods = [{ place: 1, name: 'a' }, { place: 2, name: 'b' }, { name: 'c' }];
  const found = outlook({ signals: [MEMORY], rankedFor: 'memory.available', pods });
  assert.deepEqual([found.victim.name, found.next.name, found.met], ['a', 'b', true]);
  assert.equal(outlook({ signals: [], rankedFor: 'memory.available', pods: [] }).victim, undefined);
});

test('the comparison with the kubelet is said in words', () => {
  const counters = { agreed: 0, late: 0, otherVictim: 0, oursAlone: 2, kubeletsAlone: 1, leadSumSeconds: 0 };
  assert.match(shadowSentence({ counters }), /^Nothing to compare yet/);
  assert.equal(
    shadowSentence({ agreement: 0, counters }),
    'Agreement 0 %: agreed 0, too late 0, other victim 0, ours alone 2, kubelet alone 1.',
  );
  const earlier = { ...counters, agreed: 2, leadSumSeconds: 8, shortestLeadSeconds: 3, longestLeadSeconds: 5 };
  assert.match(shadowSentence({ agreement: 40, counters: earlier }), /earlier by 4 s on average, from 3 s to 5 s\.$/);
  assert.equal(leadText({ leadMs: -2000 }), '2 s late');
  assert.equal(leadText({}), '–');
  assert.equal(verdictText('kubeletsOpen'), 'the kubelet’s, still open');
  assert.equal(verdictText('ofAnotherVersion'), 'ofAnotherVersion');
  assert.equal(comparedPods({ pod: 'a/b', ended: true }), 'a/b, which ended for another reason');
});
