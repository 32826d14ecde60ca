// The course of the signals, put together from what the agent remembers and what was seen since.

// Points closer together than this are one.
const CLOSEST_MS = 50;
const LONGEST_MS = 60 * 60 * 1000;
// Where nothing was known for so long the line has a gap.
const GAP_MS = 45 * 1000;

// Signals by name, each a list of [time in ms, available or null], oldest first.
export class Series {
  #points = new Map();

  // What the agent remembers, beside what was seen here.
  merge(history) {
    for (const [name, points] of Object.entries(history)) {
      const all = [...this.points(name), ...points].sort((a, b) => a[0] - b[0]);
      const kept = [];
      for (const point of all) {
        if (kept.length === 0 || point[0] - kept.at(-1)[0] >= CLOSEST_MS) kept.push(point);
      }
      this.#points.set(name, kept);
    }
  }

  add(name, at, value) {
    const points = this.#points.get(name) ?? [];
    // The clock of the node was set back: what lies ahead of it now did not happen then.
    while (points.length > 0 && points.at(-1)[0] > at + CLOSEST_MS) points.pop();
    const last = points.at(-1);
    if (last && at - last[0] < CLOSEST_MS) return;
    points.push([at, value ?? null]);
    while (points.length > 0 && points[0][0] < at - LONGEST_MS) points.shift();
    this.#points.set(name, points);
  }

  points(name) {
    return this.#points.get(name) ?? [];
  }

  oldest() {
    return Math.min(...[...this.#points.values()].map((points) => points[0]?.[0] ?? Infinity));
  }
}

// The points between two moments as uPlot takes them: [seconds, values]. One point before the first
// moment is kept so that the line comes in from the edge; gaps become a null.
export function columns(points, from, to) {
  let first = points.findIndex(([at]) => at >= from);
  if (first < 0) first = points.length;
  const times = [];
  const values = [];
  let before = null;
  for (const [at, value] of points.slice(Math.max(0, first - 1))) {
    if (at > to) break;
    if (before != null && at - before > GAP_MS) {
      times.push((before + at) / 2000);
      values.push(null);
    }
    times.push(at / 1000);
    values.push(value);
    before = at;
  }
  return [times, values];
}

// At most `most` of the points, spread evenly, the last one always: for a table.
export function thinned(points, most) {
  if (points.length <= most) return points;
  const step = (points.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => points[Math.round(index * step)]);
}

// The upper end of a plot's axis that shows the figures and the lines, with room above.
export function topOf(values, lines) {
  const known = [...values.filter((value) => value != null), ...lines];
  return (known.length > 0 ? Math.max(...known) : 1) * 1.12 || 1;
}

// Round figures for the axis, in the unit's own steps: three to five of them, from zero.
export function ticks(low, high, unit) {
  const scale = unit === 'bytes' ? 1024 ** Math.floor(Math.log2(Math.max(1, high)) / 10) : 1;
  const wanted = (high - low) / scale / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1e-9)));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= wanted) * power * scale;
  const list = [];
  for (let at = 0; at <= high; at += step) list.push(at);
  return list;
}
