// One signal over time: its curve, a line for each threshold, a mark for each eviction.
import uPlot from 'uplot';
import { amount, clock } from './format.js';
import { HEIGHT, drawMark, drawThresholds, timeAxis, valueAxis } from './plot_parts.js';
import { columns, topOf } from './series.js';
import { colour } from './theme.js';

// All plots of the page show the reading of the same moment.
const together = uPlot.sync('signals');

export class Plot {
  #plot;
  #signal;
  #evictions = [];
  #host;
  #resized;

  // `read(text)` is told the reading under the cursor, '' without one.
  constructor(host, signal, read) {
    this.#host = host;
    this.#signal = signal;
    this.#plot = new uPlot(this.#options(read), [[], []], host);
    this.#plot.root.setAttribute('aria-hidden', 'true');
    this.#resized = new ResizeObserver(() => this.#fit());
    this.#resized.observe(host);
  }

  destroy() {
    this.#resized.disconnect();
    this.#plot.destroy();
  }

  // Draws the points between two moments (ms).
  show(signal, points, evictions, { from, to }) {
    this.#signal = signal;
    this.#evictions = evictions;
    const [times, values] = columns(points, from, to);
    const lines = signal.thresholds.map((threshold) => threshold.at).filter((at) => at != null);
    this.#plot.batch(() => {
      this.#plot.setData([times, values], false);
      this.#plot.setScale('x', { min: from / 1000, max: to / 1000 });
      this.#plot.setScale('y', { min: 0, max: topOf(values, lines) });
    });
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
    const value = this.#plot.data[1][index] ?? 0;
    const left = this.#plot.valToPos(times[index], 'x');
    this.#plot.setCursor({ left, top: this.#plot.valToPos(value, 'y') });
  }

  leave() {
    this.#plot.setCursor({ left: -10, top: -10 });
  }

  #fit() {
    const width = Math.floor(this.#host.clientWidth);
    if (width > 0 && width !== this.#plot.width) this.#plot.setSize({ width, height: HEIGHT });
  }

  #options(read) {
    const accent = () => colour('--accent');
    return {
      width: Math.max(200, Math.floor(this.#host.clientWidth)),
      height: HEIGHT,
      padding: [14, 20, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: together.key }, drag: { x: false, y: false }, points: { size: 7 } },
      scales: { x: { time: true }, y: { range: (_, low, high) => [low ?? 0, high ?? 1] } },
      series: [{}, { stroke: accent, width: 2, fill: () => colour('--area'), points: { show: false } }],
      axes: [
        timeAxis((times, step) => times.map((at) => clock(at * 1000).slice(0, step < 60 ? 8 : 5))),
        valueAxis(() => this.#signal.unit),
      ],
      hooks: {
        draw: [
          (plot) => drawThresholds(plot, this.#signal.thresholds),
          (plot) => this.#evictions.forEach(({ at }) => drawMark(plot, at / 1000)),
        ],
        setCursor: [(plot) => read(this.#readingAt(plot.cursor.idx))],
      },
    };
  }

  #readingAt(index) {
    if (index == null) return '';
    const value = this.#plot.data[1][index];
    const text = value == null ? 'not known' : amount(this.#signal.unit, value);
    return `${clock(this.#plot.data[0][index] * 1000)}  ${text}`;
  }
}
