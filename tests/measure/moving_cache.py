"""Page cache that moves: what a build, a backup or a database does to a node."""
import contextlib
import os
import signal
import statistics
import subprocess

import host

MIB = 1 << 20
SIZE = 2048 * MIB
# What the node needs beside its pods, so that the cache is never taken away from it.
ROOM = SIZE + 512 * MIB
MEDIAN_MIB, WORST_MIB = 20, 64  # below the threshold at the signal to the victim

# The second reading makes the pages active, at several GiB/s; usage does not change then. A file of
# holes is read at the speed of memory.
MOVE = """\
file=$1; shift
for group; do echo $$ >"$group/cgroup.procs"; done
while cat "$file" && cat "$file"; do
  dd if="$file" iflag=nocache count=0 status=none
done >/dev/null
"""


class MovingCache(host.Kept):
    """A process in `groups` that reads a file of SIZE in `folder` twice and drops it, again and again."""

    def __init__(self, groups, folder):
        self.groups, self.file = groups, folder / "moving"
        self.process = None

    def _make(self):
        with open(self.file, "wb") as file:
            file.truncate(SIZE)
        self.process = subprocess.Popen(["sh", "-c", MOVE, "sh", self.file, *self.groups], stdin=subprocess.DEVNULL,
                                        start_new_session=True)

    def close(self):
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.file.unlink(missing_ok=True)


def missed(what, overshoots_mib, right):
    """The bounds that a series misses: how far below the threshold its signals came, sorted, and in how many runs the right pod
    alone was evicted."""
    median = statistics.median(overshoots_mib)
    for is_missed, how in ((median > MEDIAN_MIB, f"{median:.1f} MiB below the threshold, allowed {MEDIAN_MIB}"),
                           (overshoots_mib[-1] > WORST_MIB, f"{overshoots_mib[-1]:.1f} MiB at worst, allowed {WORST_MIB}"),
                           (right < len(overshoots_mib), f"the right pod alone in {right} of {len(overshoots_mib)} runs")):
        if is_missed:
            yield f"{what}: {how}"
