#!/usr/bin/env python3
"""Runs a program in a virtual machine with a kernel of its own, and exits with its status.

usage: run.py [options] PROGRAM [ARGUMENT...]

The machine is booted for this one program from an archive in memory that holds busybox, the program
and the libraries it needs; it has no network, no disk unless asked for, and leaves nothing behind. What it prints
is passed on. Exit status 77: this machine cannot run one, and the last line says why. 99: the
machine gave no answer before the deadline, or died.
"""

import argparse
import os
import re
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from initrd import Initrd
from kernel import PACKAGES, Kernel, Unavailable

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = "/test"  # of the program and its files in the machine
INSTALLED = "/installed"  # what init.sh puts where it lies on this host, once all is mounted
NO_ANSWER = 99
CANNOT = 77
EXIT_LINE = re.compile(r"^vm: exit status (\d+)\s*$")
CONTAINERD = ("containerd", "containerd-shim-runc-v2", "ctr", "runc", "tar")
SYSTEMD = ("/lib/systemd/systemd", "systemctl")


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--kernel", choices=PACKAGES, default="6.12")
    parser.add_argument("--cgroup", choices=["v2", "v1", "hybrid"], default="v2")
    parser.add_argument("--memory", type=int, default=512, help="MiB")
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("--boot", action="append", default=[], metavar="WORD", help="for the kernel's command line")
    parser.add_argument("--icount", type=int, metavar="SHIFT",
                        help="the clock of the machine, which must have one processor, advances by 2^SHIFT ns with each "
                        "instruction, so that no deadline in there is missed because the host is busy")
    parser.add_argument("--disk", type=int, default=0,
                        help="MiB of a file system on /disk, where temporary files go then")
    parser.add_argument("--filesystem", choices=["ext4", "xfs"], default="ext4",
                        help="of that disk; xfs takes at least 300 MiB")
    parser.add_argument("--project-quota", action="store_true",
                        help="the disk counts what projects occupy")
    parser.add_argument("--deadline", type=int, default=300, help="seconds until it is given up")
    parser.add_argument("--module", action="append", default=[], help="to be loaded first")
    parser.add_argument("--file", action="append", default=[], help=f"put into {FOLDER}, too")
    parser.add_argument("--install", action="append", default=[],
                        help="a program of this host, by name or path, at the same path in there")
    parser.add_argument("--containerd", action="store_true", help="with containerd and runc")
    parser.add_argument("--systemd", action="store_true",
                        help="systemd is the first process and has the control groups")
    parser.add_argument("--env", action="append", default=[], help="NAME=VALUE for the program")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.icount is not None and options.cpus != 1:
        parser.error("--icount: the machine has one processor then, so --cpus must be 1")
    return options


def tool(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        raise Unavailable(f"there is no {name}: scripts/install-deps.sh installs it")
    return path


def make_initrd(options, kernel, file):
    initrd = Initrd()
    for folder in ("dev", "etc", "lib/modules", "proc", "run", "sys", "tmp", "top", "root", FOLDER):
        initrd.folder(folder)
    initrd.put_file(tool("busybox"), "/bin/busybox")
    initrd.put_file(os.path.join(HERE, "init.sh"), "/init")
    initrd.put("/etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n", 0o644)
    initrd.put("/etc/group", b"root:x:0:\n", 0o644)
    initrd.put("/etc/hosts", b"127.0.0.1 localhost\n", 0o644)
    for empty in ("/etc/hostname", "/etc/resolv.conf"):  # a runtime hands them to containers
        initrd.put(empty, b"", 0o644)
    initrd.put("/etc/machine-id", b"0123456789abcdef0123456789abcdef\n", 0o644)
    modules = options.module + (["virtio_pci", "virtio_blk", options.filesystem] if options.disk else [])
    modules += ["quota_v2"] if options.project_quota and options.filesystem == "ext4" else []
    modules += ["overlay"] if options.containerd else []
    for number, (name, content) in enumerate(kernel.modules(modules)):
        initrd.put(f"/lib/modules/{number:02}-{name}.ko", content, 0o644)
    for source in [options.program, *options.file]:
        initrd.put_file(source, os.path.join(FOLDER, os.path.basename(source)))
    for name in [*options.install, *(CONTAINERD if options.containerd else ()),
                 *(SYSTEMD if options.systemd else ())]:
        path = tool(name)
        # A file of this clone may lie below a folder that is mounted over in there, such as /tmp.
        initrd.put_file(path, INSTALLED + path if name in options.install and os.path.isabs(name) else path)
    command = [os.path.join(FOLDER, os.path.basename(options.program)), *options.arguments]
    setting = "".join(f"export {shlex.quote(entry)}\n" for entry in options.env)
    script = f"#!/bin/sh\ncd /tmp\n{setting}exec {shlex.join(command)} 2>&1\n"
    initrd.put("/command", script.encode())
    initrd.write(file)


def make_disk(options, path):
    with open(path, "wb") as disk:
        disk.truncate(options.disk << 20)
    command = {"ext4": ["mkfs.ext4", "-q", "-m", "0"], "xfs": ["mkfs.xfs", "-q"]}[options.filesystem]
    if options.project_quota and options.filesystem == "ext4":
        command += ["-O", "quota,project", "-E", "quotatype=prjquota"]
    subprocess.run([tool(command[0]), *command[1:], path], check=True)
    return ["-drive", f"file={path},if=virtio,format=raw,cache=unsafe"]


def start(options, kernel, folder):
    initrd = os.path.join(folder, "initrd")
    with open(initrd, "wb") as file:
        make_initrd(options, kernel, file)
    disk = make_disk(options, os.path.join(folder, "disk")) if options.disk else []
    words = ["console=ttyS0", "quiet", "panic=-1", "psi=1", "mitigations=off", "nokaslr",
             f"jettison.cgroup={options.cgroup}"]
    words += options.boot
    if options.cgroup == "v2":
        words.append("cgroup_no_v1=all")
    if options.disk:
        words.append(f"jettison.filesystem={options.filesystem}")
    if options.project_quota:
        words.append("jettison.disk=prjquota")
    if options.systemd:
        words.append("jettison.init=systemd")
    clock = ["-accel", "tcg,thread=multi"]
    if options.icount is not None:
        clock = ["-accel", "tcg,thread=single", "-icount", f"shift={options.icount},sleep=on", "-rtc", "clock=vm"]
    return subprocess.Popen(
        [tool("qemu-system-x86_64"), *clock, "-M", "q35",
         "-cpu", "max", "-m", str(options.memory), "-smp", str(options.cpus), "-nodefaults",
         "-display", "none", "-serial", "stdio", "-no-reboot", "-kernel", kernel.image,
         "-initrd", initrd, *disk, "-append", " ".join(words)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def lines_of(machine, deadline):
    """What the console says, line by line, until it ends or time is up."""
    rest = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([machine.stdout], [], [], left)[0]:
            return
        got = os.read(machine.stdout.fileno(), 65536)
        if not got:
            return
        *lines, rest = (rest + got).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace").rstrip("\r")


def watch(machine, deadline):
    for line in lines_of(machine, deadline):
        print(line, flush=True)
        if found := EXIT_LINE.match(line):
            return int(found[1])
    died = time.monotonic() < deadline
    what = "died" if died else "gave no answer in time"
    print(f"vm: the machine {what}", flush=True)
    return NO_ANSWER


def main():
    options = parse_arguments()
    try:
        kernel = Kernel(options.kernel)
        with tempfile.TemporaryDirectory(prefix="jettison-vm-") as folder:
            machine = start(options, kernel, folder)
            try:
                return watch(machine, time.monotonic() + options.deadline)
            finally:
                machine.kill()
                machine.wait()
    except Unavailable as reason:
        print(f"vm: {reason}", flush=True)
        return CANNOT


if __name__ == "__main__":
    sys.exit(main())
