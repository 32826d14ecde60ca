#!/usr/bin/env python3
"""bare_root.py ROOT PROGRAM...: runs a program with ROOT as its root, and with /proc, /sys and /dev of the host in it.

Nothing else of the host is visible: the mounts are in a namespace, and the previous root is removed from it (pivot_root).
"""
import ctypes
import os
import pathlib
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS = 0x20000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MNT_DETACH = 2


def check(outcome, what):
    if outcome != 0:
        sys.exit(f"bare_root.py: {what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, flags):
    check(LIBC.mount(source.encode(), target.encode(), None, flags, None), f"mount {target}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n", 1)[0])
    root = pathlib.Path(sys.argv[1]).resolve()
    check(LIBC.unshare(CLONE_NEWNS), "unshare")
    mount("none", "/", MS_REC | MS_PRIVATE)
    mount(str(root), str(root), MS_BIND)
    for name in ("proc", "sys", "dev"):
        (root / name).mkdir(exist_ok=True)
        mount("/" + name, str(root / name), MS_BIND | MS_REC)
    (root / "before").mkdir(exist_ok=True)
    os.chdir(root)
    check(LIBC.pivot_root(b".", b"before"), "pivot_root")
    os.chdir("/")
    check(LIBC.umount2(b"/before", MNT_DETACH), "umount")
    os.rmdir("/before")
    os.execv(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
