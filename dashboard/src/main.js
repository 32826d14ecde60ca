// Wires the page: what the feed brings goes into the model, the model onto the page.
import { Passes, showEvents, showEvictions, showPasses } from './chronicle.js';
import { announceEvictions, showConnection } from './connection.js';
import { byId, setAttribute, setText } from './dom.js';
import { installExplanation } from './explanation.js';
import { Feed } from './feed.js';
import { evictionsFrom, historyFrom, overviewFrom, pointsOf, shadowFrom } from './model.js';
import { showNode } from './node.js';
import { installPods, showPods } from './pods.js';
import { Series } from './series.js';
import { showShadow } from './shadow.js';
import { repaintSignals, showSignals } from './signals.js';
import { installTheme } from './theme.js';

const SHORTEST_MS = 60 * 1000; // what a plot shows where less is known
const series = new Series();
const passes = new Passes();
let overview;
let evictions = [];
let shadow;
let range = 5 * 60 * 1000;
let drawing = 0;

// Draws once a frame, however much has come in.
function draw() {
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(() => {
    if (!overview) return;
    byId('waiting').hidden = true;
    byId('content').hidden = false;
    const now = overview.at;
    const oldest = Math.min(series.oldest(), now - SHORTEST_MS);
    const from = range > 0 ? Math.max(now - range, oldest) : oldest;
    showNode(overview);
    showSignals(overview, { series, evictions, window: { from, to: now }, now });
    showPods(overview);
    showEvictions(evictions, now);
    showShadow(shadow, now);
    showEvents(overview.events, now);
    showPasses(passes, { pods: overview.pods, evictions, now });
  });
}

const feed = new Feed({
  overview(json) {
    overview = overviewFrom(json);
    const seenAt = overview.lastPass?.at ?? overview.at; // the figures are those of the last pass
    for (const signal of overview.signals) series.add(signal.name, seenAt, signal.value);
    passes.add(overview.lastPass);
    draw();
  },
  history(json, kept) {
    const history = historyFrom(json);
    series.merge(history.points);
    history.passes.forEach((pass) => passes.add(pass));
    evictions = evictionsFrom(kept, history.evictions);
    announceEvictions(evictions);
    draw();
  },
  shadow(json) {
    shadow = json && shadowFrom(json);
    draw();
  },
  // The history has a point a second; passes that evict are closer together than that.
  pass(json) {
    series.merge(pointsOf(json));
    draw();
  },
  state: showConnection,
});

function installControls() {
  byId('range').addEventListener('change', (event) => {
    range = Number(event.target.value) * 1000;
    draw();
  });
  const pause = byId('pause');
  pause.addEventListener('click', () => {
    const paused = pause.getAttribute('aria-pressed') !== 'true';
    setAttribute(pause, 'aria-pressed', String(paused));
    setText(pause, paused ? 'Resume' : 'Pause');
    feed.pause(paused);
    showConnection({ paused });
  });
}

installTheme(byId('theme'), repaintSignals);
installExplanation();
installPods((signal) => feed.rankFor(signal));
installControls();
feed.start();
