// The pods in the order of their eviction, a page of them at a time.
import { bytes, count } from './format.js';
import { byId, h, keyed, setAttribute, setText } from './dom.js';
import { explain } from './explanation.js';
import { resourceOf } from './model.js';
import { matches, pageOf } from './paging.js';
import { excessText, isProtected, stateOf, whyOf } from './words.js';

const narrow = matchMedia('(max-width: 600px)');
const EXCESS = {
  memory: 'Over request',
  swap: 'In swap',
  disk: 'Over request',
  inodes: 'Inodes',
  pids: 'Processes',
  io: 'Stalled',
};
let page = 0;
let filter = '';
let shown; // the overview that the table shows

function newRow(pod) {
  const cell = (name) => h('td', { class: name });
  const link = h('button', { type: 'button', class: 'link', onclick: () => explain(pod.fullName) }, pod.name);
  return h(
    'tr',
    {},
    cell('place number'),
    h(
      'th',
      { scope: 'row', class: 'pod' },
      link,
      h('span', { class: 'quiet namespace' }),
      h('span', { class: 'quiet folded' }),
    ),
    cell('wide'),
    cell('wide number'),
    cell('memory number'),
    cell('wide number'),
    cell('wider number'),
    cell('number'),
    cell('wide why'),
    cell('state'),
  );
}

function updateRow(row, pod, overview) {
  const why = whyOf(pod);
  const [place, name, qos, priority, memory, disk, processes, excess, reason, state] = row.children;
  setText(place, pod.place == null ? '' : count(pod.place));
  setText(name.children[1], pod.namespace);
  const short = pod.activity === 'running' ? bytes(pod.memory) : stateOf(pod, overview.at);
  const standing = isProtected(pod) ? pod.protection : `priority ${count(pod.priority)}`;
  setText(name.children[2], `${[pod.namespace, pod.qos, standing, short].join(' · ')}\n${why}`);
  setText(qos, pod.qos);
  setText(priority, isProtected(pod) ? pod.protection : count(pod.priority));
  setText(memory, bytes(pod.memory));
  setText(disk, bytes(pod.disk));
  setText(processes, count(pod.processes));
  setText(excess, excessText(pod, resourceOf(overview.rankedFor)));
  setText(reason, why);
  setText(state, stateOf(pod, overview.at));
  setAttribute(
    row,
    'class',
    [pod.place == null ? 'stays' : '', pod.place === 1 ? 'first' : ''].join(' ').trim() || null,
  );
  setAttribute(excess, 'class', `excess number ${pod.overRequest ? 'over' : ''}`.trim());
}

function render() {
  if (!shown) return;
  const found = shown.pods.filter((pod) =>
    matches(`${pod.fullName} ${pod.qos} ${pod.activity} ${pod.reason ?? ''}`, filter.trim()),
  );
  const part = pageOf(found, page, narrow.matches ? 10 : 25);
  page = part.page;
  keyed(byId('pod-rows'), part.rows, {
    keyOf: (pod) => `${pod.uid} ${pod.fullName}`,
    create: newRow,
    update: (row, pod) => updateRow(row, pod, shown),
  });
  setText(byId('excess-head'), EXCESS[resourceOf(shown.rankedFor)]);
  byId('pod-table').hidden = part.total === 0;
  renderPaging(part);
}

function renderPaging(part) {
  const total = shown.pods.length;
  const range = `${count(part.first + 1)} to ${count(part.first + part.rows.length)} of ${count(part.total)}`;
  const none = total === 0 ? 'No pods on this node yet.' : 'No pod matches the filter.';
  setText(
    byId('pod-count'),
    part.total === 0 ? none : `${range}${part.total < total ? ` (filtered from ${count(total)})` : ''}`,
  );
  byId('pod-pages').hidden = part.pages < 2;
  byId('pods-before').disabled = part.page === 0;
  byId('pods-after').disabled = part.page === part.pages - 1;
}

// Signals to rank for: what the agent finds nearest, or one of the others.
function renderRanking(overview) {
  const automatic = { value: '', text: `nearest (${overview.nearest})` };
  const items = [automatic, ...overview.signals.map(({ name }) => ({ value: name, text: name }))];
  keyed(byId('ranked-for'), items, {
    keyOf: (item) => item.value,
    create: (item) => h('option', { value: item.value }),
    update: (element, item) => setText(element, item.text),
  });
}

export function showPods(overview) {
  shown = overview;
  renderRanking(overview);
  render();
}

// Wires filter, pages and choice of the signal; `rankFor(signal)` asks the agent for another order.
export function installPods(rankFor) {
  const turn = (by) => () => {
    page += by;
    render();
  };
  byId('pods-before').addEventListener('click', turn(-1));
  byId('pods-after').addEventListener('click', turn(1));
  byId('pod-filter').addEventListener('input', (event) => {
    filter = event.target.value;
    page = 0;
    render();
  });
  byId('ranked-for').addEventListener('change', (event) => rankFor(event.target.value));
}
