// What plots of signals have in common: axes, a line for each threshold, a mark for each eviction.
import { onAxis } from './format.js';
import { ticks } from './series.js';
import { colour } from './theme.js';

export const HEIGHT = 150;
const AXIS_FONT = '11px system-ui, sans-serif';

const axis = () => ({ stroke: () => colour('--muted'), font: AXIS_FONT });
const grid = () => ({ stroke: () => colour('--grid'), width: 1 });

// `text(times, step)` has a text for each time, in seconds; `step` lies between two.
export function timeAxis(text) {
  return {
    ...axis(),
    grid: { show: false },
    ticks: { ...grid(), size: 4 },
    size: 26,
    space: 62,
    values: (_, times, __, ___, step) => text(times, step),
  };
}

// `unit()` is that of the signal.
export function valueAxis(unit) {
  return {
    ...axis(),
    grid: grid(),
    ticks: { show: false },
    size: 60,
    space: 24,
    splits: (_, __, low, high) => ticks(low, high, unit()),
    values: (_, values) => values.map((value) => onAxis(unit(), value)),
  };
}

export function drawThresholds(plot, thresholds) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const { kind, at } of thresholds) {
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

// A triangle above the plot and a dotted line down from it, at a time in seconds.
export function drawMark(plot, at, name = '--mark') {
  const { ctx, bbox } = plot;
  const size = 5 * devicePixelRatio;
  const x = Math.round(plot.valToPos(at, 'x', true));
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour(name);
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(x - size, bbox.top - 2 * size);
  ctx.lineTo(x + size, bbox.top - 2 * size);
  ctx.lineTo(x, bbox.top - size / 2);
  ctx.fill();
  ctx.restore();
}
