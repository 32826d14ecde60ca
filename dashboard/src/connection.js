// How the page stands with the agent, and what is read aloud.
import { clock, duration, plural } from './format.js';
import { byId, setAttribute, setText } from './dom.js';

const state = { connected: false, live: false, paused: false, error: undefined, lastAt: undefined };
const known = new Set();
let first = true;

function stateText() {
  if (state.paused) return ['paused', 'Paused'];
  if (state.connected) return state.live ? ['live', 'Live'] : ['polling', 'Live, polled every 2 s'];
  return state.lastAt == null ? ['lost', 'No answer yet'] : ['lost', 'Connection lost'];
}

function render() {
  const [name, text] = stateText();
  setAttribute(byId('connection'), 'data-state', name);
  setText(byId('connection-text'), text);
  const lost = name === 'lost' && state.error != null;
  byId('lost').hidden = !lost;
  if (!lost) return;
  const since =
    state.lastAt == null
      ? 'The agent has not answered yet.'
      : `The agent does not answer. The figures are from ${clock(state.lastAt)}, ${duration(Date.now() - state.lastAt)} ago.`;
  setText(byId('lost-text'), `${since} Trying again. (${state.error.message})`);
}

// Any of {connected, live, error, paused}; what is left out stays.
export function showConnection(change) {
  Object.assign(state, change);
  if (change.connected) state.lastAt = Date.now();
  render();
}

setInterval(() => {
  if (!state.connected && state.error) render();
}, 1000);

// Says aloud which evictions are new; those of before the page was opened are not.
export function announceEvictions(evictions) {
  const fresh = evictions.filter(({ at, pod }) => !known.has(`${at} ${pod}`));
  for (const { at, pod } of fresh) known.add(`${at} ${pod}`);
  if (!first && fresh.length > 0) {
    const names = fresh
      .slice(0, 3)
      .map(({ pod }) => pod)
      .join(', ');
    setText(byId('announcement'), `${plural(fresh.length, 'eviction')}: ${names}`);
  }
  first = false;
}
