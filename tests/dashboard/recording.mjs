// A node made up for reports: six hours of a node of 4 GiB as scenarios, one a line, in which one pod
// leaks and comes back, another one works in bursts, and the others stay as they are. Every run gives the same.
const MIB = 2 ** 20;
const CAPACITY = 4096 * MIB;
const STEP_S = 10;
const START = Date.parse('2026-01-02T09:30:00Z');

const PODS = [
  { name: 'leak', request: 64, priority: 0 },
  { name: 'build', request: 400, priority: 0 },
  { name: 'cache', request: 2000, priority: 0 },
  { name: 'web', request: 512, priority: 1000 },
];

// What each pod holds at a moment (s), MiB; absent: it is not there.
function heldAt(at, leakSince) {
  const burst = at % 1500;
  // Bursts are not alike: few of them come near to the end of memory.
  const height = 200 + 110 * ((Math.floor(at / 1500) * 7) % 8);
  return {
    leak: leakSince == null ? undefined : 60 + (at - leakSince) * 0.12,
    build: 300 + (burst > 1100 ? Math.min((burst - 1100) / 200, 1) * height : 0),
    cache: 1100 + 180 * Math.sin(at / 900),
    web: 500,
  };
}

function podOf({ name, request, priority }) {
  const resources = { requests: { memory: `${request}Mi` } };
  const metadata = { name, namespace: 'default', uid: `uid-${name}` };
  const containers = [{ name: 'main', image: 'registry.example/app:1', resources }];
  return { kind: 'Pod', apiVersion: 'v1', metadata, spec: { containers, priority }, status: {} };
}

function stepOf(at, held, pods) {
  const time = new Date(START + at * 1000).toISOString();
  const there = pods.filter(({ name }) => held[name.split('<')[0]] != null);
  const bytesOf = ({ name }) => Math.round(held[name.split('<')[0]] * MIB);
  const used = 700 * MIB + there.reduce((sum, pod) => sum + bytesOf(pod), 0);
  const left = Math.max(8 * MIB, CAPACITY - used);
  const memory = { time, availableBytes: left, usageBytes: CAPACITY - left, workingSetBytes: CAPACITY - left };
  return {
    at: `${at}s`,
    activePods: there.map(({ name }) => `uid-${name}`),
    summary: {
      node: {
        nodeName: 'edge-node-7',
        startTime: null,
        memory,
        fs: { time, availableBytes: 60e9 - at * 1e6, capacityBytes: 100e9 },
      },
      pods: there.map((pod) => ({
        podRef: { name: pod.name, namespace: 'default', uid: `uid-${pod.name}` },
        startTime: null,
        memory: { time, workingSetBytes: bytesOf(pod) },
        containers: [{ name: 'main', startTime: null, memory: { time, workingSetBytes: bytesOf(pod) } }],
      })),
    },
  };
}

// `hostile` stands behind the names of the pods.
export function recordingOf({ hours = 6, hostile = '' } = {}) {
  const pods = PODS.map((pod) => ({ ...pod, name: pod.name + hostile }));
  const steps = [];
  let since = 0;
  for (let at = 0; at < hours * 3600; at += STEP_S) {
    const held = heldAt(at, since);
    const step = stepOf(at, held, pods);
    steps.push(step);
    // As if the policy in force had evicted it.
    if (since != null && step.summary.node.memory.availableBytes < 300 * MIB) since = null;
    else if (since == null && at % 600 === 0) since = at;
  }
  const kubeletConfig = {
    evictionHard: { 'memory.available': '300Mi', 'nodefs.available': '10%' },
    enforceNodeAllocatable: [],
    evictionPressureTransitionPeriod: '30s',
  };
  const disk = { dedicatedImageFs: false, dedicatedContainerFs: false };
  const start = new Date(START).toISOString();
  return `${JSON.stringify({ name: 'report', start, kubeletConfig, disk, pods: pods.map(podOf), steps })}\n`;
}
