// The page's line to the agent: the overview whenever something is new and every few seconds in any
// case, the history now and then. The agent says what is new on /api/v1/watch; where that cannot be
// had the page asks by the clock alone. Nothing is asked while the page is hidden or paused.
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
  #timer = 0;
  #due = Infinity;
  #asking = false;
  #again = false; // something new was told while an answer was awaited
  #failures = 0;
  #historyAt = -Infinity;
  #watching = false;
  #watchTimer = 0;
  #paused = false;

  // `on` has overview(json), history(json), state({connected, live, error, since}).
  constructor(on) {
    this.#on = on;
    document.addEventListener('visibilitychange', () => this.#schedule(0));
  }

  start() {
    this.#schedule(0);
    this.#watch();
  }

  // The signal that pods are ranked for; empty: the agent chooses.
  rankFor(signal) {
    this.#signal = signal;
    this.#schedule(0);
  }

  pause(paused) {
    this.#paused = paused;
    if (!paused) this.#schedule(0);
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
    if (this.#asking || this.#paused || document.hidden) return;
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
      this.#tell(error);
      this.#schedule(RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1]);
    }
  }

  async #ask(began) {
    const query = this.#signal ? `?signal=${encodeURIComponent(this.#signal)}` : '';
    const overview = await answer(`/api/v1/overview${query}`);
    if (this.#paused) return;
    this.#on.overview(overview);
    if (began - this.#historyAt < HISTORY_MS) return;
    this.#on.history(await answer('/api/v1/history'));
    this.#historyAt = began;
  }

  #tell(error) {
    this.#on.state({ connected: !error, live: this.#watching, error });
  }

  // Something is new: an eviction may be in the history, too.
  #news() {
    this.#historyAt = Math.min(this.#historyAt, performance.now() - HISTORY_MS + NEWS_MS);
    this.#schedule(NEWS_MS);
  }

  async #watch() {
    try {
      const response = await fetch('/api/v1/watch', { headers: { accept: 'text/event-stream' } });
      if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      this.#watching = true;
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        if (parser.push(value).length > 0) this.#news();
      }
    } catch {
      // the overview tells whether the agent is there at all
    }
    if (this.#watching) this.#schedule(0);
    this.#watching = false;
    this.#watchIn(WATCH_RETRY_MS);
  }

  #watchIn(ms) {
    clearTimeout(this.#watchTimer);
    if (!this.#watching) this.#watchTimer = setTimeout(() => this.#watch(), ms);
  }
}

// The JSON of one answer; an Error with the agent's own words otherwise.
export async function answer(path) {
  const response = await fetch(path, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.ok) return response.json();
  const said = await response.json().catch(() => ({}));
  throw new Error(said.message ?? `${path}: HTTP ${response.status}`);
}
