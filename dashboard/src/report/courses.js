// A card for each signal of the recording that is shown.
import { h, setText } from '../dom.js';
import { amount, duration, plural } from '../format.js';
import { CoursePlot } from './course.js';

const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };

function lineText(line, unit) {
  const grace = line.kind === 'hard' ? 'at once' : `after ${duration(line.graceMs)}`;
  return `${line.kind}, ${unit === 'percent' ? 'not lost' : 'available'} below ${amount(unit, line.at)} ${grace}`;
}

export class Courses {
  #host;
  #cards = [];

  constructor(host) {
    this.#host = host;
  }

  // The signals of a recording, and what one of its policies does.
  open(recording) {
    for (const card of this.#cards) card.plot.destroy();
    this.#cards = recording.signals.map((signal) => this.#cardOf(signal));
    this.#host.replaceChildren(...this.#cards.map((card) => card.element));
    for (const card of this.#cards) {
      card.plot = new CoursePlot(card.host, card.signal, recording.longestStepSeconds * 1000, (text) =>
        setText(card.reading, text),
      );
    }
  }

  show(policy, harm) {
    for (const card of this.#cards) {
      const { signal } = card;
      const lines = policy.thresholds[signal.name] ?? [];
      const isMemory = signal.name === 'memory.available';
      const own = harm.filter((each) => (each.signal ? each.signal === signal.name : isMemory && each.kind !== 'eviction'));
      card.plot.show(lines, own);
      card.lines.replaceChildren(
        ...lines.map((line) =>
          h('li', { class: line.kind }, h('span', { class: 'line', 'aria-hidden': true }), lineText(line, signal.unit)),
        ),
      );
      const least = Math.min(...signal.points.map(([, low]) => low));
      const text = `${signal.name}: ${amount(signal.unit, least)} at least, of ${amount(signal.unit, signal.capacity)}`;
      const told = [text, ...lines.map((line) => lineText(line, signal.unit)), plural(own.length, 'mark')];
      card.host.setAttribute('aria-label', `${told.join('; ')}. The arrow keys read the curve.`);
      setText(card.least, `at least ${amount(signal.unit, least)} of ${amount(signal.unit, signal.capacity)}`);
    }
  }

  repaint() {
    for (const card of this.#cards) card.plot.repaint();
  }

  #cardOf(signal) {
    const card = {
      signal,
      host: h('div', { class: 'plot', role: 'img', tabindex: 0 }),
      reading: h('output', { class: 'reading', 'aria-live': 'off' }),
      lines: h('ul', { class: 'thresholds' }),
      least: h('span', { class: 'quiet' }),
    };
    card.element = h(
      'article',
      { class: 'card signal' },
      h('div', { class: 'row wrap' }, h('h3', {}, signal.name), card.least),
      h('div', { class: 'plotted' }, card.host, card.reading),
      card.lines,
    );
    card.host.addEventListener('keydown', (event) => {
      if (STEPS[event.key] == null) return;
      event.preventDefault();
      card.plot.step(STEPS[event.key]);
    });
    card.host.addEventListener('blur', () => card.plot.leave());
    return card;
  }
}
