#!/usr/bin/env python3
"""Sends a running agent 10,000 requests, most of them wrong in every possible way and some valid; then makes
it hold as much memory as its clients can.

    tests/measure/abuse.py build/release [--check]

Starts the agent of that build, in a dry run, with files and ten small pods of its own; needs root. Prints its
resident memory and descriptors before and after, how long the valid requests took, and how far its memory
rose with each kind of hoarder. With --check it fails if something is left behind, a client was refused, or
a bound was exceeded.
"""
import argparse
import contextlib
import glob
import os
import random
import socket
import subprocess
import sys
import tempfile
import time

import hoarders

REQUESTS = 10_000
AT_ONCE = 200  # open at a time; 64 are allowed
GROWTH_KIB = 2048  # beyond what the first thousand requests needed
WORST_MS = 1000
# How much hoarders may make it rise: the 8 MiB that HTTP may hold, and as much again for the parts of one answer and
# for what the allocator keeps.
HOARDED_KIB = 16384

CONFIG = """apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
root: {folder}/root
dryRun: true
http: {{socket: {folder}/j.sock}}
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: {folder}/manifests
enforceNodeAllocatable: []
cgroupRoot: /jettison-abuse
"""


def bad_request(number, noise):
    """What a client sends that never gets a valid answer; the slow ones never end."""
    get = b"GET / HTTP/1.1\r\nHost: h\r\n"
    post = b"POST /api/v1/admit HTTP/1.1\r\nHost: h\r\n"
    kinds = [
        noise.randbytes(200) + b"\r\n\r\n",
        b"GET /" + noise.randbytes(40) + b" HTTP/1.1\r\nHost: h\r\n\r\n",
        b"GET /" + b"a" * 40_000,
        get + b"X: " + b"b" * 40_000,
        get + b"X: slow\r\n",
        post + b"Content-Length: 1000000\r\n\r\nslow",
        post + b"Content-Length: 99999999999999999999\r\n\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
        b"GET /api/v1/watch HTTP/1.1\r\nHost: h\r\n\r\n",
        b"",
        post + b'Content-Length: 5\r\n\r\n{"a":',
        b"GET /nothing?x=1 HTTP/1.1\r\nHost: h\r\n\r\n",
    ]
    return kinds[number % len(kinds)]


class Agent:
    def __init__(self, build, folder):
        self.path = f"{folder}/j.sock"
        with open(f"{folder}/config.yaml", "w") as config:
            config.write(CONFIG.format(folder=folder))
        os.mkdir(f"{folder}/manifests")
        hoarders.write_manifests(f"{folder}/manifests")
        self.process = subprocess.Popen(
            [f"{build}/jettison", "run", "--stop-pods", "--config", f"{folder}/config.yaml"],
            stderr=open(f"{folder}/log", "w"))

    def wait_until_ready(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                ready = self.ask("/readyz").startswith(b"HTTP/1.1 200")
                # Each pod that runs takes descriptors of the agent's.
                if ready and self.ask("/pods").count(b'"phase":"Running"') == hoarders.PODS:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        sys.exit("the agent does not become ready")

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(10)
        client.connect(self.path)
        return client

    def ask(self, path):
        with self.connect() as client:
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while part := client.recv(65536):
                answer += part
        return answer

    def resident_kib(self, figure="VmRSS"):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(figure))

    @contextlib.contextmanager
    def peak(self):
        """How much resident memory rises meanwhile: `kib`, at the end."""
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as peak:
            peak.write("5")
        seen = argparse.Namespace(kib=0)
        before = self.resident_kib()
        yield seen
        seen.kib = self.resident_kib("VmHWM") - before

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def settled_descriptors(self, wanted):
        deadline = time.monotonic() + 10
        while self.descriptors() > wanted and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.descriptors()

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)


def abuse(agent, first, last, noise):
    """Keeps the last clients open, half closes each third; the times of good requests in ms."""
    clients, times = [], []
    for number in range(first, last):
        if len(clients) == AT_ONCE:
            clients.pop(0).close()
        client = agent.connect()
        client.setblocking(False)
        clients.append(client)
        try:
            client.send(bad_request(number, noise))
            if number % 3 == 0:
                client.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # disconnected already
        if number % 100 == 0:
            start = time.monotonic()
            if not agent.ask("/metrics").startswith(b"HTTP/1.1 200"):
                sys.exit("a good request was refused")
            times.append((time.monotonic() - start) * 1e3)
    for client in clients:
        client.close()
    return times


def remove_groups():
    """Removes the groups that the agent made for pods, which contain no processes."""
    for top in glob.glob("/sys/fs/cgroup/jettison-abuse") + glob.glob("/sys/fs/cgroup/*/jettison-abuse"):
        for folder, _, _ in os.walk(top, topdown=False):
            os.rmdir(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    noise = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        agent = Agent(options.build, folder)
        try:
            agent.wait_until_ready()
            time.sleep(12)  # until a full pass has opened the files of each pod that are kept open
            descriptors = agent.descriptors()
            abuse(agent, 0, REQUESTS // 10, noise)
            before = agent.resident_kib()
            start = time.monotonic()
            times = sorted(abuse(agent, 0, REQUESTS, noise))
            seconds = time.monotonic() - start
            left = agent.settled_descriptors(descriptors) - descriptors
            growth = agent.resident_kib() - before
            hoarded = hoarders.hoard(agent.path, agent.peak)
            risen = agent.resident_kib() - before
        finally:
            agent.stop()
            remove_groups()
    print(f"{REQUESTS} bad requests in {seconds:.1f} s, {AT_ONCE} at once; good ones beside them: "
          f"median {times[len(times) // 2]:.1f} ms, worst {times[-1]:.1f} ms")
    print(f"resident {before} KiB, grown by {growth} KiB; descriptors left over: {left}")
    for what, kib, answered in hoarded:
        print(f"  {what}: up by {kib} KiB  {' '.join(f'{n} x {status}' for status, n in sorted(answered.items()))}")
    most = max(kib for _, kib, _ in hoarded)
    print(f"hoarders: at most {most} KiB more at a time, {risen} KiB left afterwards")
    if options.check and (growth > GROWTH_KIB or left > 0 or times[-1] > WORST_MS
                          or max(most, risen) > HOARDED_KIB):
        sys.exit("a bound is missed")


if __name__ == "__main__":
    main()
