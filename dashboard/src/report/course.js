// The course of a signal as it was recorded: a band from the least to the most, the thresholds of a
// policy, and its evictions with the bounds of their times.
import uPlot from 'uplot';
import { amount } from '../format.js';
import { HEIGHT, drawMark, drawThresholds, timeAxis, valueAxis } from '../plot_parts.js';
import { topOf } from '../series.js';
import { colour } from '../theme.js';
import { columnsOf, utc, utcOnAxis } from './figures.js';

const together = uPlot.sync('report');

export class CoursePlot {
  #plot;
  #signal;
  #lines = [];
  #harm = [];
  #host;
  #resized;

  // `read(text)` is told the reading under the cursor, '' without one.
  constructor(host, signal, longestStepMs, read) {
    this.#host = host;
    this.#signal = signal;
    this.#plot = new uPlot(this.#options(read), columnsOf(signal, longestStepMs), host);
    this.#plot.root.setAttribute('aria-hidden', 'true');
    this.#resized = new ResizeObserver(() => this.#fit());
    this.#resized.observe(host);
  }

  destroy() {
    this.#resized.disconnect();
    this.#plot.destroy();
  }

  // The lines of a policy, and what it does.
  show(lines, harm) {
    this.#lines = lines;
    this.#harm = harm;
    const top = topOf(
      this.#plot.data[2],
      lines.map((line) => line.at),
    );
    this.#plot.setScale('y', { min: 0, max: top });
    this.repaint();
  }

  repaint() {
    this.#plot.redraw(false, true);
  }

  // Moves the cursor by points, for the keyboard.
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

  #options(read) {
    const accent = () => colour('--accent');
    const points = { show: false };
    return {
      width: Math.max(200, Math.floor(this.#host.clientWidth)),
      height: HEIGHT,
      padding: [14, 20, 0, 0],
      legend: { show: false },
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
      cursor: { sync: { key: together.key }, drag: { x: true, y: false }, points: { size: 7 } },
      scales: { x: { time: true }, y: { range: (_, low, high) => [low ?? 0, high ?? 1] } },
      series: [
        {},
        { stroke: accent, width: 1.5, points },
        { stroke: accent, width: 0.5, points },
      ],
      bands: [{ series: [2, 1], fill: () => colour('--band') }],
      axes: [
        timeAxis((times, step) => times.map((at) => utcOnAxis(at * 1000, step))),
        valueAxis(() => this.#signal.unit),
      ],
      hooks: {
        drawClear: [(plot) => this.#drawBounds(plot)],
        draw: [
          (plot) => drawThresholds(plot, this.#lines),
          (plot) =>
            this.#harm.forEach(({ at, kind }) =>
              drawMark(plot, at / 1000, kind === 'eviction' ? '--mark' : '--hard'),
            ),
        ],
        setCursor: [(plot) => read(this.#readingAt(plot.cursor.idx))],
      },
    };
  }

  #readingAt(index) {
    if (index == null) return '';
    const [times, least, most] = this.#plot.data;
    const { unit } = this.#signal;
    const at = utc(times[index] * 1000);
    if (least[index] == null) return `${at}  not known`;
    const low = amount(unit, least[index]);
    const high = amount(unit, most[index]);
    return low === high ? `${at}  ${low}` : `${at}  ${low} to ${high}`;
  }

  // Between which moments each eviction happens, behind the curve.
  #drawBounds(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.fillStyle = colour('--bounds');
    for (const { earliest, latest } of this.#harm) {
      const left = Math.max(bbox.left, plot.valToPos(earliest / 1000, 'x', true));
      const right = Math.min(bbox.left + bbox.width, plot.valToPos(latest / 1000, 'x', true));
      if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    ctx.restore();
  }
}
