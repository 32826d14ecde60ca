// The page's line to the agent. /api/v1/watch tells what is new, with the whole overview in it, and
// the overview is asked for every few seconds in any case; where the watch cannot be had, by the clock
// alone. While the page is hidden or paused nothing is asked and nothing watched.
import { EventParser } from './sse.js';

const TIMEOUT_MS = 8000;
const PERIOD_MS = 2000;
const NEWS_MS = 250; // after something new, and between two requests
const HISTORY_MS = 20000;
const SHARE = 8; // a request that takes long is made less often: so many times its own duration
const RETRY_MS = [500, 1000, 2000, 3000, 5000];
const WATCH_RETRY_MS = 5000;

export class Feed {
  #on;
  #signal = '';
  #paused = false;
  #timer = 0;
  #due = Infinity;
  #asking = false;
  #again = false; // something new was told while an answer was awaited
  #failures = 0;
  #historyAt = -Infinity;
  #watch; // an AbortController while the watch is open or being opened
  #watching = false;
  #watchTimer = 0;

  // `on` has overview(json), history(json, evictions), shadow(json or undefined), pass(json),
  // state({connected, live, error}).
  constructor(on) {
    this.#on = on;
    document.addEventListener('visibilitychange', () => this.#wake());
  }

  start() {
    this.#wake();
  }

  // The signal that pods are ranked for; empty: the agent chooses.
  rankFor(signal) {
    this.#signal = signal;
    this.#schedule(0);
  }

  pause(paused) {
    this.#paused = paused;
    this.#wake();
  }

  get #idle() {
    return this.#paused || document.hidden;
  }

  #wake() {
    if (this.#idle) {
      this.#watch?.abort();
      return;
    }
    this.#schedule(0);
    this.#watchIn(0);
  }

  #schedule(ms) {
    const due = performance.now() + ms;
    if (due >= this.#due && ms > 0) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => this.#refresh(), ms);
  }

  async #refresh() {
    this.#due = Infinity;
    this.#again = this.#asking;
    if (this.#asking || this.#idle) return;
    this.#asking = true;
    const began = performance.now();
    try {
      await this.#ask(began);
      if (this.#failures > 0) this.#watchIn(0);
      this.#failures = 0;
      this.#tell(undefined);
      this.#asking = false;
      const rest = SHARE * (performance.now() - began);
      this.#schedule(Math.max(this.#again ? NEWS_MS : PERIOD_MS, rest));
    } catch (error) {
      this.#asking = false;
      this.#failures += 1;
      this.#historyAt = -Infinity;
      this.#watch?.abort(); // what it came through may be dead without having ended
      this.#tell(error);
      this.#schedule(RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1]);
    }
  }

  async #ask(began) {
    const signal = this.#signal;
    const query = signal ? `?signal=${encodeURIComponent(signal)}` : '';
    const overview = await answer(`/api/v1/overview${query}`);
    if (this.#paused) return;
    if (signal === this.#signal) this.#on.overview(overview);
    if (began - this.#historyAt < HISTORY_MS) return;
    const evictions = answer('/api/v1/evictions').catch(() => ({ items: [] })); // none are kept
    const shadow = overview.dryRun && answer('/api/v1/shadow').catch(() => undefined); // no kubelet is beside it
    this.#on.history(await answer('/api/v1/history'), await evictions);
    this.#on.shadow((await shadow) || undefined);
    this.#historyAt = began;
  }

  #tell(error) {
    this.#on.state({ connected: !error, live: this.#watching, error });
  }

  #watchIn(ms) {
    clearTimeout(this.#watchTimer);
    if (this.#watch && !this.#watch.signal.aborted) return;
    this.#watchTimer = setTimeout(() => this.#follow(), ms);
  }

  // Reads the watch until it ends.
  async #follow() {
    const controller = new AbortController();
    this.#watch = controller;
    try {
      const headers = { accept: 'text/event-stream' };
      const response = await fetch('/api/v1/watch', { headers, signal: controller.signal });
      if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      this.#watching = true;
      this.#tell(undefined);
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        parser.push(value).forEach((event) => this.#news(event));
      }
    } catch {
      // the overview tells whether the agent is there at all
    }
    if (this.#watch !== controller) return; // another one has been opened since
    if (this.#watching) this.#schedule(0);
    this.#watching = false;
    this.#watch = undefined;
    if (!this.#idle) this.#watchIn(WATCH_RETRY_MS);
  }

  #news({ event, data }) {
    if (this.#idle) return;
    // The watch ranks for what the agent chooses; another order has to be asked for.
    if (event === 'status' && this.#signal === '') {
      this.#on.overview(JSON.parse(data));
      return;
    }
    if (event === 'pass') this.#on.pass(JSON.parse(data));
    if (event === 'eviction') this.#historyAt = -Infinity;
    this.#schedule(NEWS_MS);
  }
}

// The JSON of one answer; an Error with the agent's own words otherwise.
export async function answer(path) {
  const headers = { accept: 'application/json' };
  const response = await fetch(path, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    throw new Error(error.name === 'TimeoutError' ? `no answer in ${TIMEOUT_MS / 1000} s` : 'no connection');
  });
  if (response.ok) return response.json();
  const said = await response.json().catch(() => ({}));
  throw new Error(said.message ?? `${path}: HTTP ${response.status}`);
}
