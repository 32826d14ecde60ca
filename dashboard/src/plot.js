// One signal over time: its curve, a line for each threshold, a mark for each eviction.
import uPlot from 'uplot';
import { amount, clock, onAxis } from './format.js';
import { columns, ticks, topOf } from './series.js';
import { colour } from './theme.js';

const HEIGHT = 150;
const AXIS_FONT = '11px system-ui, sans-serif';

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
    const axis = { stroke: () => colour('--muted'), font: AXIS_FONT };
    const grid = { stroke: () => colour('--grid'), width: 1 };
    return {
      width: Math.max(200, Math.floor(this.#host.clientWidth)),
      height: HEIGHT,
      padding: [14, 20, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: together.key }, drag: { x: false, y: false }, points: { size: 7 } },
      scales: { x: { time: true }, y: { range: (_, low, high) => [low ?? 0, high ?? 1] } },
      series: [{}, { stroke: accent, width: 2, fill: () => colour('--area'), points: { show: false } }],
      axes: [
        {
          ...axis,
          grid: { show: false },
          ticks: { ...grid, size: 4 },
          size: 26,
          space: 62,
          values: (_, times, __, ___, step) =>
            times.map((at) => clock(at * 1000).slice(0, step < 60 ? 8 : 5)),
        },
        {
          ...axis,
          grid,
          ticks: { show: false },
          size: 60,
          space: 24,
          splits: (_, __, low, high) => ticks(low, high, this.#signal.unit),
          values: (_, values) => values.map((value) => onAxis(this.#signal.unit, value)),
        },
      ],
      hooks: {
        draw: [(plot) => this.#drawThresholds(plot), (plot) => this.#drawEvictions(plot)],
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

  #drawThresholds(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.lineWidth = 1.5 * devicePixelRatio;
    for (const { kind, at } of this.#signal.thresholds) {
      if (at == null) continue;
      const y = Math.round(plot.valToPos(at, 'y', true));
      ctx.strokeStyle = colour(kind === 'hard' ? '--hard' : '--soft');
      ctx.setLineDash(kind === 'hard' ? [] : [6 * devicePixelRatio, 4 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }

  #drawEvictions(plot) {
    const { ctx, bbox } = plot;
    const size = 5 * devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour('--mark');
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const { at } of this.#evictions) {
      const x = Math.round(plot.valToPos(at / 1000, 'x', true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.beginPath();
      ctx.moveTo(x - size, bbox.top - 2 * size);
      ctx.lineTo(x + size, bbox.top - 2 * size);
      ctx.lineTo(x, bbox.top - size / 2);
      ctx.fill();
    }
    ctx.restore();
  }
}
