// A card for each signal: what is available, its thresholds, its course.
import { amount, clock } from './format.js';
import { byId, h, keyed, setAttribute, setText } from './dom.js';
import { Plot } from './plot.js';
import { thinned } from './series.js';
import { readingText, signalSentence, thresholdState, thresholdText, trendText } from './words.js';

const TABLE_ROWS = 20;
const LEVELS = { ok: '', soft: 'soft threshold met', hard: 'hard threshold met', unknown: 'not known' };
const cards = new Map(); // by the name of the signal

function newCard(signal) {
  const card = {
    value: h('span', { class: 'figure' }),
    of: h('span', { class: 'quiet' }),
    trend: h('span', { class: 'quiet' }),
    level: h('span', { class: 'badge' }),
    reading: h('output', { class: 'reading', 'aria-live': 'off' }),
    thresholds: h('ul', { class: 'thresholds' }),
    host: h('div', { class: 'plot', role: 'img', tabindex: 0 }),
    none: h('p', { class: 'none quiet' }, 'no figures in this range'),
    rows: h('tbody'),
  };
  const title = `signal-${signal.name}`;
  card.table = h(
    'details',
    { ontoggle: () => fillTable(card) },
    h('summary', {}, 'Figures'),
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `Figures of ${signal.name}` },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'Time'),
            h('th', { scope: 'col', class: 'number' }, signal.below ? 'Available' : 'Lost'),
          ),
        ),
        card.rows,
      ),
    ),
  );
  card.element = h(
    'article',
    { class: 'card signal', 'aria-labelledby': title },
    h('div', { class: 'row' }, h('h3', { id: title }, signal.name), card.level),
    h('p', { class: 'row wrap' }, h('span', {}, card.value, ' ', card.of), card.trend),
    h('div', { class: 'plotted' }, card.host, card.reading, card.none),
    card.thresholds,
    card.table,
  );
  card.host.addEventListener('keydown', (event) => moveCursor(card, event));
  card.host.addEventListener('blur', () => card.plot?.leave());
  cards.set(signal.name, card);
  return card.element;
}

function moveCursor(card, event) {
  const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
  if (by == null) return;
  event.preventDefault();
  card.plot?.step(by);
}

function fillTable(card) {
  if (!card.table.open || !card.points) return;
  const shown = [...thinned(card.points, TABLE_ROWS)].reverse();
  keyed(card.rows, shown, {
    keyOf: ([at]) => at,
    create: ([at, value]) =>
      h('tr', {}, h('td', {}, clock(at)), h('td', { class: 'number' }, amount(card.signal.unit, value))),
  });
}

function fillThresholds(card, signal, now) {
  keyed(card.thresholds, signal.thresholds, {
    keyOf: (threshold) => `${threshold.kind} ${threshold.text}`,
    create: (threshold) =>
      h(
        'li',
        { class: threshold.kind },
        h('span', { class: 'line', 'aria-hidden': true }),
        h('span'),
        h('span', { class: 'quiet' }),
      ),
    update: (element, threshold) => {
      setText(element.children[1], `${threshold.kind}, ${thresholdText(signal, threshold)}`);
      setText(
        element.children[2],
        threshold.met || threshold.timeToMs != null ? thresholdState(threshold, now) : '',
      );
    },
  });
}

function updateCard(card, signal, { series, evictions, window, now }) {
  card.signal = signal;
  card.points = series.points(signal.name).filter(([at]) => at >= window.from && at <= window.to);
  const [value, rest] = readingText(signal);
  setText(card.value, value);
  setText(card.of, rest);
  setText(card.trend, trendText(signal));
  setText(card.level, LEVELS[signal.level]);
  setAttribute(card.element, 'data-level', signal.level);
  const marks = evictions.filter((eviction) => eviction.signal === signal.name && eviction.at >= window.from);
  setAttribute(
    card.host,
    'aria-label',
    `${signalSentence(signal, marks, now)}. The arrow keys read the curve.`,
  );
  card.none.hidden = card.points.some(([, known]) => known != null);
  fillThresholds(card, signal, now);
  fillTable(card);
  card.plot ??= new Plot(card.host, signal, (text) => setText(card.reading, text));
  card.plot.show(signal, series.points(signal.name), marks, window);
}

// `course` has the series of points, the evictions, the window of time shown, and now.
export function showSignals(overview, course) {
  const gone = [...cards.keys()].filter((name) => !overview.signals.some((signal) => signal.name === name));
  for (const name of gone) {
    cards.get(name).plot?.destroy();
    cards.delete(name);
  }
  keyed(byId('signals'), overview.signals, { keyOf: (signal) => signal.name, create: newCard });
  for (const signal of overview.signals) updateCard(cards.get(signal.name), signal, course);
  byId('no-signals').hidden = overview.signals.length > 0;
}

export function repaintSignals() {
  for (const card of cards.values()) card.plot?.repaint();
}
