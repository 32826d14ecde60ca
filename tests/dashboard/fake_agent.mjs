// An agent as the page sees one: the same answers from a node made up here, which a test can starve,
// stop and start again. What the real one answers is looked at in agent.test.mjs.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { GIB, STARTED, iso, pods, signals } from './fake_node.mjs';

export class FakeAgent {
  memory = 2.2 * GIB;
  podCount = 12;
  empty = false;
  watchers = new Set();
  requests = [];
  shadow = undefined; // its comparison with the kubelet, in shadow mode
  evictions = [
    {
      at: Date.now() - 3 * 60 * 1000,
      pod: 'shop/worker-42',
      signal: 'memory.available',
      message:
        'The node was low on resource: memory. Threshold quantity: 100Mi, available: 97Mi. Container main was using 1210Mi, request is 256Mi, has larger consumption of memory.',
    },
  ];
  events = [
    {
      at: iso(STARTED),
      count: 1,
      type: 'Normal',
      object: 'node',
      reason: 'Starting',
      message: 'Starting kubelet.',
    },
    {
      at: iso(Date.now() - 3 * 60 * 1000),
      count: 4,
      type: 'Warning',
      object: 'node',
      reason: 'EvictionThresholdMet',
      message: 'Attempting to reclaim memory',
    },
    {
      at: iso(Date.now() - 3 * 60 * 1000),
      count: 1,
      type: 'Warning',
      object: 'shop/worker-42',
      reason: 'Evicted',
      message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 97Mi.',
    },
  ];

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
    this.evictions.push({
      at: Date.now(),
      pod: name,
      signal: 'memory.available',
      message: 'The node was low on resource: memory.',
    });
    this.tell('eviction', {});
  }

  // All evictions but the last, whose explanation is still being written.
  kept() {
    return this.evictions.slice(0, -1).map(({ at, pod, ...rest }, index) => {
      const [namespace, name] = pod.split('/');
      return { id: `ev-${index + 1}`, at: iso(at), pod: { namespace, name, uid: `u-${index}` }, ...rest };
    });
  }

  // To everybody who watches.
  tell(event, data) {
    for (const watcher of this.watchers) watcher.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  overview(signal) {
    const starved = this.memory < GIB;
    const base = {
      at: iso(Date.now()),
      node: 'edge-node-7',
      version: '0.1.0',
      startedAt: iso(STARTED),
      dryRun: this.shadow !== undefined,
      phase: 'monitoring',
      nearest: 'memory.available',
      rankedFor: signal ?? 'memory.available',
    };
    const conditions = ['DiskPressure', 'MemoryPressure', 'PIDPressure'].map((type) => ({
      type,
      status: type === 'MemoryPressure' && starved ? 'True' : 'False',
      since: iso(STARTED),
      reason: `Kubelet${type}`,
      message: `kubelet says ${type}`,
    }));
    if (this.empty) return { ...base, conditions, taints: [], signals: [], pods: [], events: [], passes: 0 };
    const taints = starved ? [{ key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }] : [];
    return {
      ...base,
      conditions,
      taints,
      signals: signals(this.memory),
      pods: pods(this.podCount),
      podsMeasuredAt: iso(Date.now() - 4000),
      events: this.events,
      passes: 156,
      lastPass: {
        at: iso(Date.now() - (Date.now() % 10000)),
        evictions: [],
        reclaimSteps: [],
        reclaimUnderWay: false,
        relievedByReclaim: false,
      },
    };
  }

  history() {
    if (this.empty) return { at: Date.now(), times: [], signals: [], evictions: [] };
    const times = Array.from({ length: 150 }, (_, index) => Date.now() - (150 - index) * 10000);
    const course = ({ signal, unit, available }) => ({
      signal,
      unit,
      available: times.map((at, index) => {
        if (available == null) return null;
        const wave =
          signal === 'memory.available'
            ? Math.abs(((at + 3 * 60000) / 400000) % 1)
            : 0.5 + Math.sin(index / 9) / 18;
        return Math.round(
          signal === 'memory.available' ? this.memory * (1.5 - wave) : available * (0.5 + wave),
        );
      }),
    });
    return {
      at: Date.now(),
      times,
      signals: signals(this.memory).map(course),
      evictions: this.evictions,
      passes: [
        {
          at: iso(Date.now() - 180000),
          actingFor: 'memory.available',
          evictions: ['uid-3'],
          reclaimSteps: ['containers', 'images'],
          reclaimUnderWay: false,
          relievedByReclaim: false,
        },
      ],
    };
  }

  answer(request, response) {
    const url = new URL(request.url, this.url);
    this.requests.push(request.url);
    const json = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (url.pathname === '/') {
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .setHeader('content-security-policy', this.policy)
        .end(this.page);
    } else if (url.pathname === '/api/v1/overview') {
      json(this.overview(url.searchParams.get('signal') ?? undefined));
    } else if (url.pathname === '/api/v1/history') {
      json(this.history());
    } else if (url.pathname === '/api/v1/evictions') {
      json({ kind: 'EvictionList', items: this.kept() });
    } else if (url.pathname === '/api/v1/shadow' && this.shadow) {
      json(this.shadow);
    } else if (url.pathname === '/api/v1/explain') {
      const of = url.searchParams.get('eviction') ?? url.searchParams.get('pod') ?? 'the node';
      json({ kind: 'Explanation', text: `Explanation of ${of}\n` });
    } else if (url.pathname === '/api/v1/watch') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
      this.watchers.add(response);
      request.on('close', () => this.watchers.delete(response));
    } else {
      response.statusCode = 404;
      json({
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'NotFound',
        code: 404,
        message: `nothing is served at ${url.pathname}`,
      });
    }
  }
}
