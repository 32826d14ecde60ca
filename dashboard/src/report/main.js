// The report of `jettison simulate` and `jettison recommend`: the data in the page, and what is chosen.
import { byId, h, setText } from '../dom.js';
import { amount, duration, plural } from '../format.js';
import { installTheme } from '../theme.js';
import { Courses } from './courses.js';
import { boundsOf, gibHours, harmOf, lackText, placeOf, policiesOf, share, trustOf, utc } from './figures.js';
import { Front } from './front.js';
import { SortedTable } from './table.js';

const data = JSON.parse(byId('data').textContent);
const policies = policiesOf(data);
const told = data.recommendation;
// Scenarios name no node: their file stands for it.
const bytes = (value) => amount('bytes', value);
const nameOf = (recording) => recording.node || recording.recording.split('/').at(-1);
const chosen = {
  policy: told?.chosen ?? 0,
  recording: Math.max(0, data.recordings.findIndex((recording) => recording.detailed)),
};

const courses = new Courses(byId('signals'));
const front = new Front(byId('front'), choosePolicy);

const policyTable = new SortedTable(
  byId('policies'),
  [
    {
      title: 'Policy',
      value: (policy) => policy.name,
      class: 'name',
      cell: (policy) =>
        h('button', { type: 'button', class: 'link', onclick: () => choosePolicy(policy.index) }, policy.name),
    },
    { title: 'Evictions', number: true, value: (p) => p.evictions, cell: (p) => String(p.evictions) },
    { title: 'OOM kills', number: true, value: (p) => p.oomKills, cell: (p) => String(p.oomKills) },
    { title: 'Kept free', number: true, value: (p) => p.keptFree, cell: (p) => gibHours(p.keptFree) },
    { title: 'Conditions', number: true, value: (p) => p.conditionMs, cell: (p) => duration(p.conditionMs) },
    { title: 'Pod time lost', number: true, value: (p) => p.lostMs, cell: (p) => duration(p.lostMs) },
    ...(told ? [{ title: 'Price', number: true, value: (p) => p.price, cell: (p) => p.price.toFixed(2) }] : []),
    { title: 'Is', value: placeOf, cell: placeOf },
  ],
  (policy) => ({ class: policy.index === chosen.policy ? 'shown' : null, 'data-policy': policy.index }),
);

const harmTable = new SortedTable(byId('harm'), [
  { title: 'When (UTC)', value: (each) => each.at, class: 'time', cell: (each) => utc(each.at) },
  {
    title: 'Not before, not after',
    value: (each) => each.latest - each.earliest,
    class: 'time',
    cell: boundsOf,
  },
  { title: 'Pod', value: (each) => each.pod, class: 'name', cell: (each) => each.pod },
  { title: 'What', value: (each) => each.kind, cell: (each) => each.kind },
  { title: 'Because', value: (each) => each.why, class: 'name', cell: (each) => each.why },
  {
    title: 'Held',
    number: true,
    value: (each) => each.memory,
    cell: (each) => (each.memory == null ? '' : bytes(each.memory)),
  },
  { title: 'Recorded', value: (each) => String(each.recorded), cell: (each) => (each.recorded ? 'yes' : 'no') },
]);

function showHarm() {
  const recording = data.recordings[chosen.recording];
  const policy = recording.policies[chosen.policy];
  const harm = harmOf(policy);
  const counts = `${plural(policy.evictionCount, 'eviction')} and ${plural(policy.oomKillCount, 'OOM kill')}`;
  const lack = lackText(recording, policy, harm.length);
  setText(byId('harm-lead'), `${policy.name}, on ${nameOf(recording)}: ${counts}. ${lack}`.trimEnd());
  harmTable.show(harm);
  courses.show(policy, harm);
  setText(
    byId('signals-lead'),
    !recording.detailed ? lack : `As recorded on ${nameOf(recording)}, from the least to the most that was available, with the thresholds and evictions of ${policy.name}. A shaded stretch is where an eviction may lie. Drag to look closer, double-click to go back.`,
  );
}

function choosePolicy(index) {
  chosen.policy = index;
  byId('policy').value = String(index);
  front.mark(index);
  policyTable.show(policies);
  showHarm();
}

function chooseRecording(index) {
  chosen.recording = index;
  byId('recording').value = String(index);
  courses.open(data.recordings[index]);
  showHarm();
}

function showCalibration() {
  const table = new SortedTable(byId('calibration'), [
    { title: 'Node', value: nameOf, class: 'name', cell: nameOf },
    { title: 'From (UTC)', value: (r) => r.from, class: 'time', cell: (r) => utc(Date.parse(r.from)) },
    { title: 'To', value: (r) => r.to, class: 'time', cell: (r) => utc(Date.parse(r.to)) },
    { title: 'Passes', number: true, value: (r) => r.passes, cell: (r) => String(r.passes) },
    { title: 'Found', number: true, value: (r) => r.calibration.recall, cell: (r) => share(r.calibration.recall) },
    { title: 'Right', number: true, value: (r) => r.calibration.precision, cell: (r) => share(r.calibration.precision) },
    { title: 'In bounds', number: true, value: (r) => r.calibration.coverage, cell: (r) => share(r.calibration.coverage) },
    { title: 'In words', value: trustOf, class: 'name', cell: trustOf },
  ]);
  table.show(data.recordings);
  const flaws = data.recordings.flatMap((recording) => [
    ...recording.notes.map((note) => h('li', {}, `${nameOf(recording)}: ${note}`)),
    ...recording.flaws.map((flaw) =>
      h('li', {}, `${nameOf(recording)}, ${utc(Date.parse(flaw.at))}: ${flaw.what}`),
    ),
  ]);
  byId('flaws').replaceChildren(...flaws);
}

function showVerdict() {
  byId('verdict').hidden = false;
  setText(byId('headline'), `${placeOf(policies[told.chosen]) === 'kept' ? 'Kept' : 'Recommended'}: ${policies[told.chosen].name}`);
  byId('sentences').replaceChildren(...told.sentences.map((sentence) => h('p', {}, sentence)));
  const { eviction, oom, idleGibHour } = told.prices;
  setText(
    byId('prices'),
    `Prices: an eviction ${eviction}, an OOM kill ${oom}, a GiB hour kept free ${idleGibHour}.`,
  );
  setText(byId('configuration'), told.configuration);
  byId('copy').addEventListener('click', copyConfiguration);
}

// Where the page may not write to the clipboard the text is selected, so that a key does it.
async function copyConfiguration() {
  try {
    await navigator.clipboard.writeText(told.configuration);
    setText(byId('copy'), 'Copied');
  } catch {
    getSelection().selectAllChildren(byId('configuration'));
  }
}

function options(select, names) {
  select.replaceChildren(...names.map((name, index) => h('option', { value: index }, name)));
}

function legend() {
  const parts = ['Each point is a policy; a diamond has OOM kills.'];
  if (told) parts.push('The line joins those on the front: no other one is better in all respects.');
  parts.push('Choose one to see what it does.');
  setText(byId('front-legend'), parts.join(' '));
}

const title = `${told ? 'recommendation' : 'simulation'}: ${data.recordings.map(nameOf).slice(0, 3).join(', ')}${data.recordings.length > 3 ? ' …' : ''}`;
setText(byId('title'), title);
document.title = `Jettison ${title}`;
options(byId('policy'), policies.map((policy) => policy.name));
options(byId('recording'), data.recordings.map(nameOf));
byId('recording').value = String(chosen.recording);
byId('recording-choice').hidden = data.recordings.length < 2;
byId('policy').addEventListener('change', (event) => choosePolicy(Number(event.target.value)));
byId('recording').addEventListener('change', (event) => chooseRecording(Number(event.target.value)));
byId('print').addEventListener('click', () => print());
byId('no-signals').hidden = data.recordings.some((recording) => recording.signals.length > 0);
legend();
showCalibration();
if (told) showVerdict();
front.show(policies);
courses.open(data.recordings[chosen.recording]);
installTheme(byId('theme'), () => courses.repaint());
choosePolicy(chosen.policy);
// Paper is white, whatever the screen is.
for (const [event, theme] of [['beforeprint', 'light'], ['afterprint', null]]) {
  addEventListener(event, () => {
    if (theme) document.documentElement.dataset.theme = theme;
    else byId('theme').dispatchEvent(new Event('change'));
    courses.repaint();
  });
}
