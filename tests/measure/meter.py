"""What one process costs, read from /proc."""
import dataclasses
import os
import pathlib
import time


@dataclasses.dataclass
class Cost:
    seconds: float
    rss_kib: int
    private_kib: int  # anonymous pages: no file backs them, so nothing but its end or swap frees them
    threads: int
    descriptors: int
    cpu_percent: float  # of one CPU; run time of all threads as the scheduler counts it, in ns
    wakeups_per_s: float


def _table(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return {key: rest.split() for key, _, rest in (line.partition(":") for line in lines)}


def _run_time_and_switches(pid):
    run_ns = switches = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        folder = f"/proc/{pid}/task/{thread}"
        run_ns += int(pathlib.Path(folder, "schedstat").read_text().split()[0])
        switches += int(_table(f"{folder}/status")["voluntary_ctxt_switches"][0])
    return run_ns, switches


def measure(pid, seconds):
    """Watches a process for `seconds`; its children do not count."""
    run_before, switches_before = _run_time_and_switches(pid)
    began = time.monotonic()
    time.sleep(seconds)
    run_after, switches_after = _run_time_and_switches(pid)
    lasted = time.monotonic() - began
    status, pages = _table(f"/proc/{pid}/status"), _table(f"/proc/{pid}/smaps_rollup")
    return Cost(
        seconds=round(lasted, 1),
        rss_kib=int(status["VmRSS"][0]),
        private_kib=int(pages["Anonymous"][0]),
        threads=int(status["Threads"][0]),
        descriptors=len(os.listdir(f"/proc/{pid}/fd")),
        cpu_percent=(run_after - run_before) / 1e9 / lasted * 100,
        wakeups_per_s=(switches_after - switches_before) / lasted,
    )
