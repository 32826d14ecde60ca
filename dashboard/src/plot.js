// One signal over time: its curve, a line for each threshold, a mark for each eviction.
import uPlot from 'uplot';
import { amount, clock } from './format.js';
import { drawMark, drawThresholds, timeAxis, valueAxis } from './plot_parts.js';
import { columns, topOf } from './series.js';
import { colour } from './theme.js';
import { TimePlot } from './time_plot.js';

// All plots of the page show the reading of the same moment.
const together = uPlot.sync('signals');

export class Plot extends TimePlot {
  #signal;
  #evictions = [];

  // `read(text)` is told the reading under the cursor, '' without one.
  constructor(host, signal, read) {
    super(host);
    this.#signal = signal;
    this.begin(this.#options(read), [[], []]);
  }

  // Draws the points between two moments (ms).
  show(signal, points, evictions, { from, to }) {
    this.#signal = signal;
    this.#evictions = evictions;
    const [times, values] = columns(points, from, to);
    const lines = signal.thresholds.map((threshold) => threshold.at).filter((at) => at != null);
    this.plot.batch(() => {
      this.plot.setData([times, values], false);
      this.plot.setScale('x', { min: from / 1000, max: to / 1000 });
      this.plot.setScale('y', { min: 0, max: topOf(values, lines) });
    });
  }

  #options(read) {
    const accent = () => colour('--accent');
    return {
      cursor: { sync: { key: together.key }, drag: { x: false, y: false }, points: { size: 7 } },
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
    const value = this.plot.data[1][index];
    const text = value == null ? 'not known' : amount(this.#signal.unit, value);
    return `${clock(this.plot.data[0][index] * 1000)}  ${text}`;
  }
}
