"""A separate world for a chaos run: mounts, processes, network and /run that no other program sees.

What the run leaves there ends with it, however it ends. While it runs, everything there is its own, so a
process or a mount that should be gone cannot be confused with those of other programs.
"""
import ctypes
import fcntl
import os
import signal
import socket
import struct

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x08000000, 0x20000000, 0x40000000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
MNT_FORCE, MNT_DETACH = 1, 2
PR_SET_PDEATHSIG = 1
SIOCSIFFLAGS, IFF_UP = 0x8914, 1

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def mount(source, target, kind, flags=0, options=""):
    _check(_libc.mount(source.encode(), os.fsencode(target), kind.encode(), flags, options.encode()), f"mount {target}")


def unmount(target, flags=0):
    _check(_libc.umount2(os.fsencode(target), flags), f"umount {target}")


def _loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def _pass_on(pid):
    """Passes signals that end a program on to `pid`."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda got, _: os.kill(pid, got))


def _status(wait_status):
    code = os.waitstatus_to_exitcode(wait_status)
    return code if code >= 0 else 128 - code


def _as_first_process(main):
    """Reaps orphans until `main`, in a separate process, is over."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    mount("none", "/", "none", MS_REC | MS_PRIVATE)
    mount("proc", "/proc", "proc")
    mount("run", "/run", "tmpfs")
    _loopback_up()
    child = os.fork()
    if child == 0:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return main()
    _pass_on(child)
    while True:
        pid, status = os.wait()
        if pid == child:
            return _status(status)


def _exit_with(body):
    """Ends this process with what `body` returns; an exception is printed first."""
    try:
        status = body()
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else (print(leaving.code) or 1)
    except BaseException:  # pylint: disable=broad-except
        import traceback
        traceback.print_exc()
        status = 1
    import sys
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)


def run_in_own(main):
    """Runs `main` in a separate world; returns its exit status."""
    _check(_libc.unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET), "unshare")
    first = os.fork()
    if first == 0:
        _exit_with(lambda: _as_first_process(main))
    _pass_on(first)
    while True:
        pid, status = os.wait()
        if pid == first:
            return _status(status)
