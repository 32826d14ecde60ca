// In shadow mode: what the dry run would have evicted beside what the kubelet evicted.
import { moment } from './format.js';
import { byId, h, keyed, setAttribute, setText } from './dom.js';
import { comparedPods, leadText, shadowSentence, verdictText } from './words.js';

const EXPECTED = new Set(['agreed', 'oursAlone', 'oursOpen', 'kubeletsOpen']);

function newRow() {
  return h('tr', {}, h('td', { class: 'time' }), h('td'), h('td'), h('td'), h('td'));
}

function update(row, compared, now) {
  setAttribute(row, 'class', EXPECTED.has(compared.verdict) ? null : 'warning');
  const about = compared.about ?? 'a limit of the pod';
  const texts = [moment(compared.at, now), verdictText(compared.verdict), leadText(compared), about, comparedPods(compared)];
  texts.forEach((text, index) => setText(row.children[index], text));
}

// `shadow` is undefined where the agent is not in shadow mode.
export function showShadow(shadow, now) {
  byId('shadow').hidden = !shadow;
  if (!shadow) return;
  setText(byId('shadow-says'), shadowSentence(shadow));
  keyed(byId('shadow-rows'), shadow.rows, {
    keyOf: ({ at, pod, about }) => `${at} ${pod} ${about}`,
    create: newRow,
    update: (row, compared) => update(row, compared, now),
  });
  byId('shadow-table').hidden = shadow.rows.length === 0;
}
