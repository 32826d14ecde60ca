// The course of a signal as it was recorded: a band from the least to the most, the thresholds of a
// policy, and its evictions with the bounds of their times.
import uPlot from 'uplot';
import { amount } from '../format.js';
import { drawMark, drawThresholds, timeAxis, valueAxis } from '../plot_parts.js';
import { topOf } from '../series.js';
import { colour } from '../theme.js';
import { TimePlot } from '../time_plot.js';
import { columnsOf, utc, utcOnAxis } from './figures.js';

const together = uPlot.sync('report');

export class CoursePlot extends TimePlot {
  #signal;
  #lines = [];
  #harm = [];

  // `read(text)` is told the reading under the cursor, '' without one.
  constructor(host, signal, longestStepMs, read) {
    super(host);
    this.#signal = signal;
    this.begin(this.#options(read), columnsOf(signal, longestStepMs));
  }

  // The lines of a policy, and what it does.
  show(lines, harm) {
    this.#lines = lines;
    this.#harm = harm;
    const top = topOf(
      this.plot.data[2],
      lines.map((line) => line.at),
    );
    this.plot.setScale('y', { min: 0, max: top });
    this.repaint();
  }

  #options(read) {
    const accent = () => colour('--accent');
    const points = { show: false };
    return {
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
      cursor: { sync: { key: together.key }, drag: { x: true, y: false }, points: { size: 7 } },
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
    const [times, least, most] = this.plot.data;
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
