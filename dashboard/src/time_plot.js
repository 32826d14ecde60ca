// A plot over time in its place on the page: it stays as wide as that, and its cursor can be moved by keys.
import uPlot from 'uplot';
import { HEIGHT } from './plot_parts.js';

export class TimePlot {
  #plot;
  #host;
  #resized;

  constructor(host) {
    this.#host = host;
  }

  // Called once, before anything else. What `options` leave out is the same in all plots.
  begin(options, data) {
    const width = Math.max(200, Math.floor(this.#host.clientWidth));
    const scales = { x: { time: true }, y: { range: (_, low, high) => [low ?? 0, high ?? 1] } };
    this.#plot = new uPlot(
      { width, height: HEIGHT, padding: [14, 20, 0, 0], legend: { show: false }, scales, ...options },
      data,
      this.#host,
    );
    this.#plot.root.setAttribute('aria-hidden', 'true');
    this.#resized = new ResizeObserver(() => this.#fit());
    this.#resized.observe(this.#host);
  }

  get plot() {
    return this.#plot;
  }

  destroy() {
    this.#resized.disconnect();
    this.#plot.destroy();
  }

  // With other colours than before.
  repaint() {
    this.#plot.redraw(false, true);
  }

  // Moves the cursor by points of the curve, for the keyboard; to the newest where there was none.
  step(by) {
    const times = this.#plot.data[0];
    if (times.length === 0) return;
    const at = this.#plot.cursor.idx ?? times.length - 1 - by;
    const index = Math.min(Math.max(0, at + by), times.length - 1);
    const left = this.#plot.valToPos(times[index], 'x');
    this.#plot.setCursor({ left, top: this.#plot.valToPos(this.#plot.data[1][index] ?? 0, 'y') });
  }

  leave() {
    this.#plot.setCursor({ left: -10, top: -10 });
  }

  #fit() {
    const width = Math.floor(this.#host.clientWidth);
    if (width > 0 && width !== this.#plot.width) this.#plot.setSize({ width, height: HEIGHT });
  }
}
