// An agent as the page sees one: the same answers from a node made up here, which a test can starve,
// stop and start again. What the real one answers is looked at in agent.test.mjs.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const MIB = 1 << 20;
const GIB = 1 << 30;
const STARTED = Date.now() - 26 * 60 * 1000;

const iso = (at) => new Date(at).toISOString();

function threshold(kind, value, amount, more = {}) {
  return { kind, value, amount, gracePeriodSeconds: kind === 'soft' ? 90 : 0, met: false, overdue: false, ...more };
}

function signals(memory) {
  return [
    { signal: 'memory.available', unit: 'bytes', available: memory, capacity: 4 * GIB, trendPerSecond: -3 * MIB,
      thresholds: [threshold('hard', '100Mi', 100 * MIB, memory < 100 * MIB ? { met: true, overdue: true } : { timeToSeconds: 214 }),
        threshold('soft', '1Gi', GIB, memory < GIB ? { met: true, since: iso(Date.now() - 20000) } : { timeToSeconds: 60 })] },
    { signal: 'nodefs.available', unit: 'bytes', available: 41 * GIB, capacity: 120 * GIB, trendPerSecond: 0,
      thresholds: [threshold('hard', '10%', 12 * GIB)] },
    { signal: 'nodefs.inodesFree', unit: 'inodes', available: 6_812_004, capacity: 7_864_320,
      thresholds: [threshold('hard', '5%', 393_216)] },
    { signal: 'pid.available', unit: 'pids', available: 31_877, capacity: 32_768, thresholds: [threshold('hard', '1k', 1000)] },
    { signal: 'memory.pressure.full.avg10', unit: 'share', available: 9_640, capacity: 10_000,
      thresholds: [threshold('hard', '20%', 8_000)] },
    { signal: 'imagefs.available', unit: 'bytes', thresholds: [threshold('hard', '15%', undefined)] },
  ];
}

const NAMES = ['api', 'queue', 'worker', 'cache', 'search', 'mail', 'report', 'thumbnails', 'ingest', 'billing'];
const REASONS = ['usage above request', 'priority', 'usage minus request', 'usage minus request', 'UID'];

// A pod; the first one has a name that would be a script, were it taken for HTML.
function pod(index) {
  const name = index === 0 ? '<img src=x onerror=document.title=1>' : `${NAMES[index % NAMES.length]}-${index}`;
  const memory = (900 - (index % 800)) * MIB;
  return { namespace: index % 3 ? 'shop' : 'default', name, uid: `uid-${index}`, place: index + 1,
    qos: ['BestEffort', 'Burstable', 'Guaranteed'][index % 3], priority: index % 4 === 3 ? 1000 : 0, critical: false,
    activity: 'running', phase: 'Running', memoryBytes: memory, requestBytes: index % 3 ? 256 * MIB : 0, processes: 3 + (index % 9),
    ephemeralBytes: (index % 70) * MIB, overRequest: index < 5, excess: memory - (index % 3 ? 256 * MIB : 0), evictions: 0,
    why: REASONS[index % REASONS.length] };
}

function pods(number) {
  const list = Array.from({ length: number }, (_, index) => pod(index));
  if (number < 4) return list;
  for (const last of list.slice(-2)) delete last.place;
  Object.assign(list.at(-2), { critical: true, priority: 2_000_001_000, why: undefined });
  Object.assign(list.at(-1), { activity: 'waiting', phase: 'Failed', reason: 'Evicted', memoryBytes: undefined,
    excess: undefined, comesBackAt: iso(Date.now() + 40000), why: undefined });
  delete list.at(-3).why;
  return list;
}

export class FakeAgent {
  memory = 2.2 * GIB;
  podCount = 12;
  empty = false;
  watchers = new Set();
  requests = [];
  evictions = [{ at: Date.now() - 3 * 60 * 1000, pod: 'shop/worker-42', signal: 'memory.available',
    message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 97Mi. Container main was using 1210Mi, request is 256Mi, has larger consumption of memory.' }];
  events = [{ at: iso(STARTED), count: 1, type: 'Normal', object: 'node', reason: 'Starting', message: 'Starting kubelet.' },
    { at: iso(Date.now() - 3 * 60 * 1000), count: 4, type: 'Warning', object: 'node', reason: 'EvictionThresholdMet', message: 'Attempting to reclaim memory' },
    { at: iso(Date.now() - 3 * 60 * 1000), count: 1, type: 'Warning', object: 'shop/worker-42', reason: 'Evicted', message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 97Mi.' }];

  // `page` is the file that dashboard/build.mjs made; the policy lies beside it.
  constructor(page) {
    this.page = readFileSync(page);
    this.policy = readFileSync(`${page}.policy`, 'utf8');
  }

  async start(port = 0) {
    this.server = createServer((request, response) => this.answer(request, response));
    await new Promise((done) => this.server.listen(port, '127.0.0.1', done));
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}/`;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
    this.watchers.clear();
  }

  // A pod goes, as the agent would tell it.
  evict(name) {
    this.evictions.push({ at: Date.now(), pod: name, signal: 'memory.available', message: 'The node was low on resource: memory.' });
    for (const watcher of this.watchers) watcher.write('event: eviction\ndata: {}\n\n');
  }

  overview(signal) {
    const starved = this.memory < GIB;
    const base = { at: iso(Date.now()), node: 'edge-node-7', version: '0.1.0', startedAt: iso(STARTED), dryRun: false, phase: 'monitoring',
      nearest: 'memory.available', rankedFor: signal ?? 'memory.available' };
    const conditions = ['DiskPressure', 'MemoryPressure', 'PIDPressure'].map((type) => ({ type,
      status: type === 'MemoryPressure' && starved ? 'True' : 'False', since: iso(STARTED), reason: `Kubelet${type}`, message: `kubelet says ${type}` }));
    if (this.empty) return { ...base, conditions, taints: [], signals: [], pods: [], events: [], passes: 0 };
    const taints = starved ? [{ key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }] : [];
    return { ...base, conditions, taints, signals: signals(this.memory), pods: pods(this.podCount), podsMeasuredAt: iso(Date.now() - 4000),
      events: this.events, passes: 156, lastPass: { at: iso(Date.now() - (Date.now() % 10000)), evictions: [], reclaimSteps: [], reclaimUnderWay: false, relievedByReclaim: false } };
  }

  history() {
    if (this.empty) return { at: Date.now(), times: [], signals: [], evictions: [] };
    const times = Array.from({ length: 150 }, (_, index) => Date.now() - (150 - index) * 10000);
    const course = ({ signal, unit, available }) => ({ signal, unit, available: times.map((at, index) => {
      if (available == null) return null;
      const wave = signal === 'memory.available' ? Math.abs(((at + 3 * 60000) / 400000) % 1) : 0.5 + Math.sin(index / 9) / 18;
      return Math.round(signal === 'memory.available' ? this.memory * (1.5 - wave) : available * (0.5 + wave));
    }) });
    return { at: Date.now(), times, signals: signals(this.memory).map(course), evictions: this.evictions,
      passes: [{ at: iso(Date.now() - 180000), actingFor: 'memory.available', evictions: ['uid-3'], reclaimSteps: ['containers', 'images'], reclaimUnderWay: false, relievedByReclaim: false }] };
  }

  answer(request, response) {
    const url = new URL(request.url, this.url);
    this.requests.push(request.url);
    const json = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (url.pathname === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8').setHeader('content-security-policy', this.policy).end(this.page);
    } else if (url.pathname === '/api/v1/overview') {
      json(this.overview(url.searchParams.get('signal') ?? undefined));
    } else if (url.pathname === '/api/v1/history') {
      json(this.history());
    } else if (url.pathname === '/api/v1/explain') {
      response.setHeader('content-type', 'text/plain').end(`Explanation of ${url.searchParams.get('pod') ?? 'the node'}\n`);
    } else if (url.pathname === '/api/v1/watch' && !this.withoutWatch) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
      this.watchers.add(response);
      request.on('close', () => this.watchers.delete(response));
    } else {
      response.statusCode = 404;
      json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404, message: `nothing is served at ${url.pathname}` });
    }
  }
}
