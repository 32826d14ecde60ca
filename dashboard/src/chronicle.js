// What happened: evictions, events, passes; the newest first.
import { moment } from './format.js';
import { byId, h, keyed, setAttribute, setText } from './dom.js';
import { explainEviction } from './explanation.js';
import { passText } from './words.js';

const MOST_EVICTIONS = 50;
const MOST_PASSES = 30;

// Passes that were seen, by their moment, oldest first.
export class Passes {
  #seen = new Map();

  add(pass) {
    if (pass?.at == null) return;
    this.#seen.set(pass.at, pass);
    const list = [...this.#seen.keys()].sort((a, b) => a - b);
    for (const at of list.slice(0, Math.max(0, list.length - MOST_PASSES))) this.#seen.delete(at);
  }

  newestFirst() {
    return [...this.#seen.values()].sort((a, b) => b.at - a.at);
  }
}

function newEviction({ at, pod, signal, message, dryRun }, now) {
  const item = h('li');
  const why = () => explainEviction(item.eviction);
  const title = [
    h('span', { class: 'mark', 'aria-hidden': true }, '▼'),
    h('button', { type: 'button', class: 'link strong', onclick: why }, pod),
    dryRun && h('span', { class: 'badge' }, 'dry run'),
    h('time', { class: 'quiet', datetime: new Date(at).toISOString() }, moment(at, now)),
  ];
  item.append(
    h('p', { class: 'row wrap' }, title),
    h('p', {}, message),
    h('p', { class: 'quiet' }, signal ? `for ${signal}` : 'for a limit of local storage'),
  );
  return item;
}

export function showEvictions(evictions, now) {
  const newest = evictions.slice(-MOST_EVICTIONS).reverse();
  keyed(byId('evictions'), newest, {
    keyOf: ({ at, pod }) => `${at} ${pod}`,
    create: (eviction) => newEviction(eviction, now),
    update: (item, eviction) => {
      item.eviction = eviction; // it gets its id when its explanation is kept
      setText(item.querySelector('time'), moment(eviction.at, now));
    },
  });
  byId('no-evictions').hidden = newest.length > 0;
}

export function showEvents(events, now) {
  keyed(byId('events'), [...events].reverse(), {
    keyOf: ({ object, reason, message }) => `${object} ${reason} ${message}`,
    create: (event) =>
      h(
        'tr',
        {},
        h('td', { class: 'time' }),
        h('td', { class: 'reason' }, event.reason),
        h('td', {}, event.object),
        h('td', { class: 'message' }, event.message),
      ),
    update: (row, event) => {
      setAttribute(row, 'class', event.type === 'Warning' ? 'warning' : null);
      setText(row.children[0], moment(event.at, now));
      setText(row.children[1], event.count > 1 ? `${event.reason} ×${event.count}` : event.reason);
    },
  });
  byId('no-events').hidden = events.length > 0;
  byId('event-table').hidden = events.length === 0;
}

// A pass knows the pods that it evicted by their UIDs; `pods` and `evictions` know their names.
function namesOf(pass, pods, evictions) {
  const then = evictions.filter(({ at }) => at === pass.at);
  if (then.length === pass.evictions.length) return then.map(({ pod }) => pod);
  return pass.evictions.map((uid) => pods.get(uid) ?? uid);
}

export function showPasses(passes, { pods, evictions, now }) {
  const names = new Map(pods.map((pod) => [pod.uid, pod.fullName]));
  const list = passes.newestFirst();
  keyed(byId('passes'), list, {
    keyOf: ({ at }) => at,
    create: () => h('tr', {}, h('td', { class: 'time' }), h('td')),
    update: (row, pass) => {
      setText(row.children[0], moment(pass.at, now));
      setText(row.children[1], passText(pass, namesOf(pass, names, evictions)));
    },
  });
  byId('no-passes').hidden = list.length > 0;
  byId('pass-table').hidden = list.length === 0;
}
