// The policies by what they cost: memory kept free to the right, evictions upwards. One of them is
// chosen with the pointer or the arrow keys.
import { count, plural } from '../format.js';
import { ticks } from '../series.js';
import { gibHours, placeOf } from './figures.js';

const SPACE = 'http://www.w3.org/2000/svg';
const SIZE = { height: 300, left: 48, right: 20, top: 26, bottom: 44 };
const WIDEST = 960;

function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value != null) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

// From 0 to a little more than the most.
function scaleOf(values, from, to) {
  const most = Math.max(...values, 0) * 1.08 || 1;
  return { most, at: (value) => from + ((to - from) * value) / most };
}

export class Front {
  #host;
  #choose;
  #points = [];
  #policies = [];
  #width = 0;
  #marked = 0;

  // `choose(index)` is told which policy was chosen.
  constructor(host, choose) {
    this.#host = host;
    this.#choose = choose;
    new ResizeObserver(() => this.#fit()).observe(host);
  }

  show(policies) {
    this.#policies = policies;
    this.#width = this.#room();
    const x = scaleOf(
      policies.map((policy) => policy.keptFree),
      SIZE.left,
      this.#width - SIZE.right,
    );
    const y = scaleOf(
      policies.map((policy) => policy.evictions),
      SIZE.height - SIZE.bottom,
      SIZE.top,
    );
    this.#points = policies.map((policy) => this.#pointOf(policy, x, y));
    // Those that matter most are drawn last.
    const weight = (policy) => policy.isOnFront + 2 * (policy.isInForce || policy.isChosen);
    const drawn = [...policies].sort((a, b) => weight(a) - weight(b)).map(({ index }) => this.#points[index]);
    const front = policies.filter((policy) => policy.isOnFront);
    const path = front.map((policy) => `${x.at(policy.keptFree)},${y.at(policy.evictions)}`).join(' ');
    this.#host.replaceChildren(
      s(
        'svg',
        {
          width: this.#width,
          height: SIZE.height,
          viewBox: `0 0 ${this.#width} ${SIZE.height}`,
          role: 'presentation',
        },
        ...this.#axes(x, y),
        s('polyline', { points: path, class: 'front-line' }),
        ...drawn,
      ),
    );
  }

  // Marks the one that is shown everywhere.
  mark(index) {
    this.#marked = index;
    this.#points.forEach((point, each) => {
      point.setAttribute('aria-checked', String(each === index));
      point.setAttribute('tabindex', each === index ? '0' : '-1');
    });
  }

  #room() {
    return Math.min(WIDEST, Math.max(240, Math.floor(this.#host.clientWidth)));
  }

  #fit() {
    if (this.#policies.length === 0 || this.#room() === this.#width) return;
    this.show(this.#policies);
    this.mark(this.#marked);
  }

  #axes(x, y) {
    const bottom = SIZE.height - SIZE.bottom;
    const right = this.#width - SIZE.right;
    const lines = ticks(0, y.most, 'count')
      .filter((value) => Number.isInteger(value) && value <= y.most)
      .flatMap((value) => [
        s('line', { x1: SIZE.left, x2: right, y1: y.at(value), y2: y.at(value), class: 'grid' }),
        s('text', { x: SIZE.left - 8, y: y.at(value) + 4, 'text-anchor': 'end' }, count(value)),
      ]);
    const below = ticks(0, x.most, 'count')
      .filter((value) => value <= x.most)
      .map((value) =>
        s(
          'text',
          { x: x.at(value), y: bottom + 18, 'text-anchor': 'middle' },
          String(Number(value.toPrecision(4))),
        ),
      );
    return [
      ...lines,
      ...below,
      s('text', { x: right, y: SIZE.height - 6, 'text-anchor': 'end' }, 'kept free, GiB h →'),
      s('text', { x: 4, y: 12 }, '↑ evictions'),
    ];
  }

  #pointOf(policy, x, y) {
    const at = { cx: x.at(policy.keptFree), cy: y.at(policy.evictions) };
    const place = placeOf(policy);
    const label = [
      policy.name,
      place,
      plural(policy.evictions, 'eviction'),
      plural(policy.oomKills, 'OOM kill'),
      `${gibHours(policy.keptFree)} kept free`,
    ]
      .filter(Boolean)
      .join(', ');
    const kind = policy.isChosen ? 'chosen' : policy.isInForce ? 'in-force' : policy.isOnFront ? 'on-front' : 'other';
    const shape =
      policy.oomKills > 0
        ? s('path', { d: `M${at.cx} ${at.cy - 8}l8 8-8 8-8-8z` })
        : s('circle', { ...at, r: kind === 'other' ? 4.5 : 6.5 });
    return s(
      'g',
      {
        class: `point ${kind}`,
        role: 'radio',
        'aria-label': label,
        onclick: () => this.#choose(policy.index),
        onkeydown: (event) => this.#onKey(event, policy.index),
      },
      s('title', {}, label),
      s('circle', { ...at, r: 14, class: 'reach' }),
      s('circle', { ...at, r: 11, class: 'ring' }),
      shape,
    );
  }

  #onKey(event, index) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by == null && event.key !== ' ' && event.key !== 'Enter') return;
    event.preventDefault();
    // By the memory that they keep free, as they stand from left to right.
    const order = [...this.#policies].sort((a, b) => a.keptFree - b.keptFree || a.index - b.index);
    const place = order.findIndex((policy) => policy.index === index);
    const next = order[(place + (by ?? 0) + order.length) % order.length].index;
    this.#choose(next);
    this.#points[next].focus();
  }
}
