// A node of its own for a test: a control group of 256 MiB, a folder, the agent itself, with pods that
// are processes. Nothing of it is left behind.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const CAPACITY = 256 * 2 ** 20;
const BINARY = process.env.JETTISON_BINARY;
const HIERARCHIES = '/sys/fs/cgroup';

// The first true answer of `condition`; an Error when none comes in time.
export async function until(condition, what, seconds = 20) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${seconds} s`);
    await pause(20);
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

export class Node {
  async start() {
    this.folder = mkdtempSync(join(tmpdir(), 'jettison-dashboard-'));
    this.group = basename(this.folder);
    this.log = '';
    mkdirSync(join(this.folder, 'manifests'));
    this.#makeGroup();
    this.port = await freePort();
    this.url = `http://127.0.0.1:${this.port}/`;
    writeFileSync(join(this.folder, 'config.yaml'), this.#config());
    await this.startAgent();
  }

  #makeGroup() {
    const one = existsSync(join(HIERARCHIES, 'memory'));
    const group = join(HIERARCHIES, one ? 'memory' : '', this.group);
    mkdirSync(group);
    writeFileSync(join(group, one ? 'memory.limit_in_bytes' : 'memory.max'), String(CAPACITY));
  }

  #config() {
    return `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: ${this.folder}/manifests
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, nodefs.inodesFree: 1%, pid.available: "100"}
evictionSoft: {memory.available: 130Mi}
evictionSoftGracePeriod: {memory.available: 1m}
evictionPressureTransitionPeriod: 5s
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
root: ${this.folder}/root
nodeName: edge-node
nodeCgroup: /${this.group}
http: {socket: ${this.folder}/jettison.sock, address: "127.0.0.1:${this.port}", allowAnyLocalUser: true}
`;
  }

  async startAgent() {
    this.agent = spawn(BINARY, ['run', '--config', join(this.folder, 'config.yaml')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = new Promise((done) => {
      this.agent.once('exit', done);
      this.agent.once('error', done);
    });
    for (const stream of [this.agent.stdout, this.agent.stderr])
      stream.on('data', (text) => {
        this.log += text;
      });
    await until(
      () =>
        fetch(`${this.url}readyz`).then(
          (answer) => answer.ok,
          () => false,
        ),
      'the agent is ready',
    ).catch((error) => {
      throw new Error(`${error.message}; its log:\n${this.log}`);
    });
  }

  async stopAgent() {
    this.agent.kill('SIGTERM');
    await this.ended;
  }

  // A pod of one container that runs `jettison workload ...`; requests in MiB.
  putPod(name, workload, { request, priority } = {}) {
    const resources = request ? { requests: { memory: `${request}Mi` } } : {};
    const command = [BINARY, 'workload', ...workload.map(String)];
    const spec = {
      priority,
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', command, resources }],
    };
    const draft = join(this.folder, name);
    writeFileSync(draft, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }));
    renameSync(draft, join(this.folder, 'manifests', `${name}.yaml`));
  }

  // Takes everything down: the agent first, so that nobody starts pods again.
  async close() {
    if (!this.folder) return;
    if (this.agent) await this.stopAgent();
    const places = ['', ...readdirSync(HIERARCHIES)].map((name) => join(HIERARCHIES, name, this.group));
    const groups = places.filter(existsSync).flatMap(foldersBelow);
    await until(() => killed(groups), 'the pods are gone');
    for (const group of groups) await until(() => removed(group), `${group} is gone`);
    for (const line of readFileSync('/proc/self/mounts', 'utf8').split('\n').reverse()) {
      const target = line.split(' ')[1] ?? '';
      if (target.startsWith(`${this.folder}/`)) spawnSync('umount', ['--lazy', target]);
    }
    rmSync(this.folder, { recursive: true });
  }
}

// A folder and all below it, the innermost first.
function foldersBelow(folder) {
  const children = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...children.flatMap(({ name }) => foldersBelow(join(folder, name))), folder];
}

// Kills what runs in the groups; whether there was nothing.
function killed(groups) {
  const files = groups.map((group) => existing(join(group, 'cgroup.procs')));
  const pids = files.flatMap((text) => text.split('\n').filter(Boolean).map(Number));
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has just ended
    }
  }
  return pids.length === 0;
}

function existing(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the group went meanwhile
  }
}

function removed(group) {
  try {
    rmdirSync(group);
  } catch {
    return !existsSync(group); // busy for a moment longer, or gone by itself
  }
  return true;
}
