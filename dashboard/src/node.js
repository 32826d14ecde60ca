// What is said of the node as a whole: its name, its conditions and taints, what would happen now.
import { ago, duration, plural } from './format.js';
import { byId, h, keyed, setAttribute, setText } from './dom.js';
import { outlook, whyOf } from './words.js';

function showConditions(overview) {
  keyed(byId('conditions'), overview.conditions, {
    keyOf: (condition) => condition.type,
    create: ({ type }) => {
      const text = h('span', {}, h('strong', {}, type), ' ', h('span'), ' ', h('span', { class: 'quiet' }));
      return h('li', {}, h('span', { class: 'dot', 'aria-hidden': true }), text);
    },
    update: (element, condition) => {
      const [, status, since] = element.lastChild.children;
      setAttribute(element, 'data-status', condition.status ? 'true' : 'false');
      setAttribute(element, 'title', `${condition.reason}: ${condition.message}`);
      setText(status, condition.status ? 'True' : 'False');
      setText(since, `for ${duration(overview.at - condition.since)}`);
    },
  });
}

function showTaints(overview) {
  keyed(byId('taints'), overview.taints, {
    keyOf: (taint) => `${taint.key}:${taint.effect}`,
    create: (taint) => h('li', {}, h('code', {}, `${taint.key}:${taint.effect}`)),
  });
  byId('no-taints').hidden = overview.taints.length > 0;
}

// The headline: is anything short, and who would go first?
function headline(overview) {
  if (overview.passes === 0) return 'No pass has run yet, so nothing is known about this node.';
  if (overview.phase !== 'monitoring') return `The agent acts: ${overview.phase}.`;
  const { signal, met } = outlook(overview);
  const short = overview.signals.filter(({ level }) => level === 'hard' || level === 'soft');
  if (short.length > 0) return `Thresholds met: ${short.map(({ name }) => name).join(', ')}.`;
  if (met) return `A threshold of ${signal} is met.`;
  const held = overview.conditions.filter(({ status }) => status).map(({ type }) => type);
  return held.length > 0 ? `No threshold is met, but the node still has ${held.join(', ')}.` : 'No threshold is met.';
}

function consequence(overview) {
  const { signal, victim, next } = outlook(overview);
  if (overview.passes === 0) return '';
  if (!victim) return `If ${signal} ran out now, there would be no pod to evict.`;
  const dry = overview.dryRun ? ' (in this dry run no pod is evicted)' : '';
  const order = next ? `first, before ${next.fullName}${dry}` : `as the only one${dry}`;
  return `If ${signal} ran out now, ${victim.fullName} would be evicted ${order}: ${whyOf(victim)}.`;
}

// "hard" or "soft" where a threshold is met or a condition holds, else "ok".
function levelOf(overview) {
  const levels = overview.signals.map(({ level }) => level);
  if (levels.includes('hard')) return 'hard';
  const short = levels.includes('soft') || overview.conditions.some(({ status }) => status);
  return short ? 'soft' : 'ok';
}

function factsOf({ version, at, startedAt, passes, lastPass, pods, podsMeasuredAt }) {
  const measured = podsMeasuredAt == null ? 'not measured yet' : `measured ${ago(podsMeasuredAt, at)}`;
  return [
    `Jettison ${version}`,
    `running for ${duration(at - startedAt)}`,
    `${plural(passes, 'pass', 'passes')}${lastPass ? `, the last ${ago(lastPass.at, at)}` : ''}`,
    plural(pods.length, 'pod'),
    `pods ${measured}`,
  ].join(' · ');
}

export function showNode(overview) {
  const level = levelOf(overview);
  const name = overview.node || 'node';
  setText(byId('node-name'), name);
  document.title = `${level === 'ok' ? '' : '! '}${name} – Jettison`;
  setAttribute(byId('now'), 'data-level', level);
  setText(byId('headline'), headline(overview));
  setText(byId('consequence'), consequence(overview));
  byId('dry-run').hidden = !overview.dryRun;
  setText(byId('facts'), factsOf(overview));
  showConditions(overview);
  showTaints(overview);
}
