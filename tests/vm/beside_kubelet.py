#!/usr/bin/env python3
"""Runs tests beside a real kubelet on a machine with nothing but cgroup v2.

usage: beside_kubelet.py BED cgroupfs|systemd AGENT TESTS FILTER

BED is the folder of the test bed for Kubernetes (the environment variable JETTISON_KUBERNETES_BED names
another), AGENT the agent's program, TESTS the program of tests that start that bed, and FILTER says
which of them are run. The control plane, the kubelet, containerd and the agent run in one virtual
machine (run.py). Exit status 77: there is no such bed here, or this machine cannot run one.
"""

import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CANNOT = 77
# What the bed's scripts call, in the versions of this host: busybox knows fewer options.
PROGRAMS = ("bash", "cksum", "find", "flock", "ip", "mount", "nsenter", "openssl", "pgrep", "realpath", "rm", "setsid", "ss",
            "umount")
# The machine is the node where systemd has the groups, so it has the size that the tests give to a node beside the
# control plane, which needs 1 GiB.
MEMORY_MIB = {"cgroupfs": 4608, "systemd": 2816}


def unpack(packed, path):
    with lzma.open(packed) as source, open(path, "wb") as program:
        shutil.copyfileobj(source, program)
    os.chmod(path, 0o755)


def pack(bed, path):
    with tarfile.open(path, "w") as archive:
        for part in ("up.sh", "down.sh", "agent.sh", "config", "image", "manifests"):
            archive.add(os.path.join(bed, part), arcname=part)


def main():
    if len(sys.argv) != 6 or sys.argv[2] not in MEMORY_MIB:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    bed, driver, agent, tests, chosen = sys.argv[1:]
    bed = os.environ.get("JETTISON_KUBERNETES_BED", bed)
    agent, tests = os.path.abspath(agent), os.path.abspath(tests)  # where they lie in there, too
    packed = os.path.join(bed, "kube.xz")
    if not os.path.exists(packed):
        print(f"vm: no test bed for Kubernetes at {bed}", flush=True)
        return CANNOT
    with tempfile.TemporaryDirectory(prefix="jettison-bed-") as folder:
        kube = os.path.join(folder, "kube")
        archive = os.path.join(folder, "bed.tar")
        unpack(packed, kube)
        pack(bed, archive)
        command = [sys.executable, os.path.join(HERE, "run.py"), "--deadline", "1200", "--icount", "0",
                   "--memory", str(MEMORY_MIB[driver]), "--disk", "3072", "--module", "veth", "--containerd"]
        command += ["--systemd"] if driver == "systemd" else []
        for program in (*PROGRAMS, agent, tests):
            command += ["--install", program]
        for file in (kube, archive, "/etc/ssl/openssl.cnf"):
            command += ["--file", file]
        command += [os.path.join(HERE, "beside_kubelet.sh"), driver, tests, chosen]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
