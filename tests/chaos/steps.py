"""What each kind of step does (plan.py). A function takes the run and the step, begins it, and returns
what is to happen later: (seconds from now, function) in any order."""
import contextlib
import os
import subprocess
import threading
import time

import hostile
from bed import MIB, INODES, NODEFS_MIB, SHARED_MIB, wait_for
from fuse import SilentFilesystem
from pods import CRITICAL, Pod

EVERYTHING = 4000  # MiB, more than any node here has


def _guilty(run, step, load, of, **more):
    """A pod that is added and, after the step, taken away again."""
    pod = Pod(run.name_for(step), load, frozenset(of.split()), priority=-100 if len(run.pods) % 3 == 0 else 0, **more)
    run.add(pod)
    return [(step.seconds, lambda: run.remove(pod))]


def leak(run, step):
    return _guilty(run, step, ["leak", step.facts["rate"], EVERYTHING], "memory", ignore_term=step.facts["stubborn"])


def wave(run, step):
    return _guilty(run, step, ["wave", 5, step.facts["high"], step.facts["every"]], "memory")


def nest(run, step):
    return _guilty(run, step, ["nest", step.facts["depth"], step.facts["rate"], EVERYTHING], "memory")


def forkleak(run, step):
    return _guilty(run, step, ["forkleak", step.facts["rate"], EVERYTHING], "memory", ignore_term=True)


def files(run, step):
    return _guilty(run, step, ["files", "DATA", step.facts["rate"], NODEFS_MIB], "disk memory")


def inodes(run, step):
    return _guilty(run, step, ["inodes", "DATA", step.facts["rate"], INODES], "inodes disk memory")


def forks(run, step):
    return _guilty(run, step, ["forks", step.facts["rate"], 8000], "pids memory")


def log(run, step):
    return _guilty(run, step, ["log", step.facts["rate"]], "disk memory")


def stuck(run, step):
    silent = SilentFilesystem(run.bed.folder / f"silent-{run.number}")
    run.closing(silent)
    pod = Pod(run.name_for(step), ["stuck", f"{silent.folder}/file"])
    pod.fault = "waits for a file system that never answers"
    run.add(pod)
    return [(step.seconds, lambda: run.remove(pod)), (step.seconds + 4, lambda: run.close(silent))]


def newcomer(run, step):
    pod = Pod(run.name_for(step), ["hold", step.facts["hold"]], priority=10)
    run.add(pod)
    return [(step.seconds + 3, lambda: run.remove(pod))]


# Memory that no pod can be evicted for.

def outside(run, step):
    """A process of the node that is not a pod holds so much that `below` MiB are missing."""
    size = run.room() // MIB + step.facts["below"]
    process = run.run_outside(["hold", max(size, 1)])
    window = run.open_window(run.outside)

    def end():
        process.kill()
        process.wait()
        run.close_window(window)
    return [(step.seconds, end)]


def critical(run, step):
    size = run.room() // MIB + step.facts["below"]
    pod = Pod(run.name_for(step), ["hold", max(size, 1)], priority=CRITICAL)
    window = run.open_window(run.outside)
    run.add(pod)

    def end():
        run.remove(pod)
        wait_for(lambda: not pod.lives(), 10)
        run.close_window(window)
    return [(step.seconds, end)]


def tmpfs(run, step):
    """A pod fills a file system in memory that is not its own: what it wrote outlives it."""
    shared = str(run.bed.shared)
    window = run.open_window(run.outside)
    later = _guilty(run, step, ["files", shared, step.facts["rate"], SHARED_MIB], "memory", host_paths=(shared,))

    def empty():
        with contextlib.suppress(FileNotFoundError):
            (run.bed.shared / "filled").unlink()
        run.close_window(window)
    return later + [(step.seconds + 1.5, empty)]


# Trouble for the agent.

def kill(run, step):
    later = []
    for number in range(step.facts["times"]):
        at = number * (step.facts["pause"] + step.facts["down"])
        later += [(at, run.kill_agent), (at + step.facts["down"], run.start_agent)]
    return later


def term(run, step):
    return [(0, run.term_agent), (step.facts["down"], run.start_agent)]


def stop(run, step):
    return [(0, run.stop_agent), (step.seconds, run.continue_agent)]


def tasks(run, step):
    run.bed.limit_tasks(step.facts["more"])
    return [(step.seconds, lambda: run.bed.limit_tasks(None))]


def clock(run, step):
    run.bed.step_clock(step.facts["by"])
    return [(step.seconds, lambda: run.bed.step_clock(0))]


def eio(run, step):
    """The disk of the running agent answers with errors; an agent that starts needs it."""
    if run.bed.is_ready():
        run.bed.fail_disk_of(run.bed.agent.pid)
    return [(step.seconds, lambda: run.bed.fail_disk_of(0))]


def slow(run, step):
    """Whatever the running agent changes on its disk takes its time."""
    if run.bed.is_ready():
        run.bed.fail_disk_of(run.bed.agent.pid, 1000 * step.facts["each"])
    return [(step.seconds, lambda: run.bed.fail_disk_of(0))]


def stuck_log(run, step):
    """The agent is restarted with a log that is not read, or whose reader is gone."""
    reader, writer = os.pipe()
    run.term_agent()
    run.start_agent(stderr=writer)
    os.close(writer)
    if step.facts["reader"] == "gone":
        os.close(reader)
        return []

    def drain():
        def read():
            with open(reader, "rb") as source, open(run.bed.kept / "agent.unread.log", "ab") as sink:
                while part := source.read1(65536):
                    sink.write(part)
        threading.Thread(target=read, daemon=True).start()
    return [(step.seconds, drain)]


def http(run, step):
    stop_asking = threading.Event()
    asker = threading.Thread(target=hostile.ask, args=(run.bed.socket, step.facts["noise"], stop_asking), daemon=True)
    asker.start()
    return [(step.seconds, stop_asking.set)]


# Trouble with manifests. What happens to a file for a moment affects no pod. To delete one of several files is the way
# to end a pod, and no trouble.

def half(run, step):
    pod = run.innocent(step.at)
    run.busy.append(pod)
    later = _spoil(run.bed.manifest_of(pod), pod.text(run.bed), step.facts["way"])

    def mend():
        if later:
            later()
        else:
            run.bed.put(pod)
        run.busy.remove(pod)
    return [(0.3, mend)]


def _spoil(path, text, way):
    """Damages a manifest; returns what repairs it, or None if it has to be written again."""
    if way == "half":
        file = open(path, "w", encoding="utf-8")  # stays open, as if its writer had not finished
        file.write(text[:len(text) // 2])
        file.flush()

        def finish():
            file.write(text[len(text) // 2:])
            file.close()
        return finish
    path.write_text("" if way == "empty" else text[:len(text) // 2])
    return None


def folder(run, step):
    away = run.bed.folder / "manifests-away"
    run.bed.manifests.rename(away)
    time.sleep(step.facts["away"])
    away.rename(run.bed.manifests)
    return []


def bomb(run, step):
    path = run.bed.manifests / f"bomb-{run.number}.yaml"
    path.write_text(hostile.manifest(step.facts["way"]))
    return [(step.seconds, lambda: path.unlink(missing_ok=True))]


def second(run, step):
    """A second agent for the same node: it must refuse to start, and affect no pod."""
    text = (run.bed.folder / "config.yaml").read_text().replace(str(run.bed.socket), f"{run.bed.folder}/second.sock")
    if step.facts["root"] == "other":
        text = text.replace(f"root: {run.bed.root}", f"root: {run.bed.folder}/second-root")
    path = run.bed.folder / "second.yaml"
    path.write_text(text)
    with open(run.bed.kept / "second.log", "ab") as said:
        process = subprocess.Popen([run.bed.build / "jettison", "run", "--stop-pods", "--config", path],
                                   stdin=subprocess.DEVNULL, stdout=said, stderr=said)

    def look():
        if process.poll() is None:
            process.terminate()
            process.wait(30)
            if run.bed.is_ready():
                run.broken("a second agent works on a node that has one", "it refuses to start", "it ran until it was told to end")
        elif process.returncode == 0:
            run.broken("a second agent ends well", "an exit status that says why", "status 0")
    return [(max(step.seconds, 3.0), look)]


# Trouble for the runtime.

def hang(run, step):
    run.bed.containerd.stop_answering()
    return [(step.seconds, run.bed.containerd.answer_again)]


def crash(run, step):
    run.bed.containerd.kill()
    return [(step.facts["down"], run.bed.containerd.start)]


ALL = {name.replace("_", "-"): function for name, function in list(globals().items())
       if callable(function) and getattr(function, "__module__", "") == __name__ and not name.startswith("_")}
