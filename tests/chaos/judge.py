"""What must hold, judged from outside: by the kernel's files, the pods' journals, and the pods' files.

docs/reliability.md describes each of these promises.
"""
import math
import os
import pathlib
import subprocess

from bed import HIERARCHIES, MIB, now, wait_for
from pods import processes_of

BELOW_SECONDS = 4.0  # for each pod that takes memory without end
AFTER_START = 1.5  # until an agent that is ready has looked at everything
AFTER_OUTSIDE = 3.0
SETTLE_SECONDS = 60.0
REST_SECONDS = 5.0  # until a new agent has taken what it needs at rest
START_TAKES = 1.0  # containerd's call that starts a container
STALL = 0.1  # if the witness waits longer, the machine stood still
GROWTH_KIB, GROWTH_DESCRIPTORS = 24 * 1024, 24
GROWTH_THREADS = {"process": 2, "cri": 10}  # gRPC starts and ends some of its own at any time


def _overlap(windows, at, before=0.0, after=0.0):
    return any(start - before <= at <= (until if until is not None else math.inf) + after for start, until in windows)


def _longest_outside_of(windows, since, until, after):
    """The longest part of an interval in none of the windows."""
    longest, free_since = 0.0, since
    for start, end in sorted((start, math.inf if end is None else end + after) for start, end in windows):
        longest = max(longest, min(start, until) - free_since)
        free_since = max(free_since, end)
        if free_since >= until:
            return longest
    return max(longest, until - free_since)


def _hungry(run, since, until):
    """How many pods took memory without end in that time."""
    return sum(1 for member in run.members.values() if "memory" in member.pod.guilty and member.added <= until
               and (member.removed is None or member.removed + 5 >= since))


def node_above_its_line(run):
    for seen in run.witness.intervals():
        if seen.until <= run.judged_until:
            continue
        windows = [*run.outside, *run.bed.unguarded]
        took = _longest_outside_of(windows, seen.since, seen.until, AFTER_OUTSIDE)
        run.worst_below = max(run.worst_below, took)
        allowed = BELOW_SECONDS * max(1, _hungry(run, seen.since, seen.until))
        if took > allowed:
            run.broken("the node is below its line only briefly", f"at most {allowed:g} s",
                       f"{took:.2f} s, down to {seen.least / MIB:.1f} MiB available", seen.since)


def no_oom_kill(run):
    while run.oom_judged < len(run.witness.oom_kills):
        killed = run.witness.oom_kills[run.oom_judged]
        run.oom_judged += 1
        if killed.limit_of.endswith("-agent"):
            run.broken("the agent needs little memory", "less than 512 MiB, whatever it is asked or given", "an OOM kill by that limit", killed.at)
        elif "/pod" in killed.limit_of:
            run.count("OOM kills by a pod's own limit")
        elif _overlap(run.bed.unguarded, killed.at, 0, AFTER_START) or _overlap(run.outside, killed.at, 0, AFTER_OUTSIDE):
            run.count("OOM kills while nobody guarded, or another held the memory")
        elif killed.stalled > STALL:
            run.count("OOM kills while the machine stood still")
        else:
            run.broken("the kernel kills no process for the node's memory", "no OOM kill while the agent guards",
                       f"one by the limit of {killed.limit_of} in {killed.group}", killed.at)


def _oom_killed(run, pod, since, at):
    return any(pod.uid in killed.group and since <= killed.at <= at for killed in run.witness.oom_kills)


def innocents_live(run):
    """No pod that only keeps what it holds is ended, except for memory that no guilty pod holds."""
    cost = {}
    for member in run.members.values():
        events = member.pod.events(run.bed)
        for index in range(member.judged, len(events)):
            _judge_event(run, member, events, index, cost)
        member.judged = len(events)
    for index, victims in cost.items():
        start, until = run.outside[index]
        allowed = 1 + math.ceil((until or now()) - start)
        run.count("innocents evicted for memory that was not a pod's", len(victims))
        if len(victims) > allowed:
            run.broken("a shortage that no pod has made costs few", f"at most {allowed} pods in {(until or now()) - start:.1f} s",
                       f"{len(victims)}: {', '.join(victims)}", start)


def _judge_event(run, member, events, index, cost):
    pod, event = member.pod, events[index]
    if event.what == "double":
        run.broken("no pod runs twice", f"one process of {pod.name}", "two at a time", event.at)
    if event.what == "data-failed":
        run.broken("a pod can write to its volume", f"a mark in the volume of {pod.name}", "none", event.at)
    if not member.innocent or (member.removed is not None and event.at > member.removed):
        return
    again = event.what == "start" and not pod.restarts and any(
        earlier.what == "start" for earlier in events[:index]) and not _termed_before(events, index)
    if event.what != "term" and not again:
        return
    # A pod that was killed before it could record that it was told to end may have ended at any time since its start.
    since = event.at if not again else max(earlier.at for earlier in events[:index] if earlier.what == "start")
    windows = [i for i, (start, until) in enumerate(run.outside)
               if start <= event.at and since <= (math.inf if until is None else until + AFTER_OUTSIDE)]
    if windows:
        cost.setdefault(windows[0], []).append(pod.name)
    elif again and _oom_killed(run, pod, since, event.at):
        return  # judged by no_oom_kill
    elif again and run.bed.containerd and _start_was_interrupted(run, since):
        run.count("starts that containerd cancelled because the agent was killed")
    else:
        run.broken("no innocent pod dies", f"{pod.name} runs on", "a second start" if again else "SIGTERM", event.at)


def _start_was_interrupted(run, start):
    """Whether the agent was killed while containerd started the pod, which then ends what it has started."""
    return any(abs(killed - start) <= START_TAKES for killed in run.kills)


def _termed_before(events, index):
    """Whether the process before the start `index` was told to end."""
    for event in reversed(events[:index]):
        if event.what == "term":
            return True
        if event.what == "start":
            return False
    return False


def data_stays(run):
    """What a pod wrote into its volume stays until the pod is evicted or removed."""
    for member in run.members.values():
        events = member.pod.events(run.bed)
        ends = len({event.life for event in events if event.what == "term"})
        new = [event for event in events if event.what == "data-new"]
        if len(new) > 1 + max(ends, _evictions_of(run, member.pod)):
            run.broken("data of a pod stays", f"{member.pod.name} finds its mark", "an empty volume", new[-1].at)


def _evictions_of(run, pod):
    """As the log has them. An agent that is killed right after an eviction takes its record along, and perhaps its line
    of the log; then the next agent says why it does not start the pod."""
    count, is_away = 0, False
    for line in run.bed.log_lines():
        said = line.get("msg", "") if line.get("pod") == f"default/{pod.name}" else ""
        if said == "pod started":
            is_away = False
        elif said == "eviction manager: pod is evicted successfully" or (
                not is_away and said.startswith("pod was evicted before and is not started")):
            count, is_away = count + 1, True
    return count


def evicted_once_a_crossing(run):
    crossings = run.witness.intervals()
    for member in run.members.values():
        if "disk" in member.pod.guilty or "inodes" in member.pod.guilty or "pids" in member.pod.guilty:
            continue  # the witness watches memory
        ends = {}
        for event in member.pod.events(run.bed):
            if event.what == "term":
                ends.setdefault(event.life, event.at)
        times = sorted(ends.values())
        for first, second in zip(times, times[1:]):
            if any(seen.since <= first and second <= seen.until for seen in crossings):
                run.broken("a pod is evicted once for a crossing", f"{member.pod.name} once",
                           f"twice, {second - first:.2f} s apart", second)


def _may_be_lost(run, at):
    """Whether an earlier agent evicted it: explanations are the running agent's."""
    _, ready = run.bed.unguarded[-1]
    return ready is None or at < ready


def evictions_are_explained(run):
    run.records |= run.bed.kept_evictions()
    told = {}
    for record in run.records.values():
        name = record.get("pod", {}).get("name")
        told[name] = told.get(name, 0) + 1
        if not record.get("text") or not record.get("outcome"):
            run.broken("every eviction is explained", f"{record.get('id')} says why {name} went", "it does not")
    for member in run.members.values():
        events = member.pod.events(run.bed)
        ends = {event.life: event.at for event in events if event.what == "term"
                and (member.removed is None or event.at < member.removed)}
        lost = sum(_may_be_lost(run, at) for at in ends.values())
        have = told.get(member.pod.name, 0)
        if have < len(ends) - lost:
            run.broken("every eviction is explained", f"{len(ends)} of {member.pod.name}, which was told to end so often",
                       f"{have}", max(ends.values()))
        starts = sum(event.what == "start" for event in events)
        if have > starts + 1:
            run.broken("a pod is evicted once for a crossing", f"at most {starts} evictions of {member.pod.name}, its starts", f"{have}")
    _ask_for_one(run)


def _ask_for_one(run):
    """The command for users shows it, too."""
    here = run.bed.kept_evictions()
    if not here:
        return
    newest = max(here.values(), key=lambda record: int(record["id"].split("-")[1]))
    result = subprocess.run([run.bed.build / "jettison", "explain", "--server", f"unix://{run.bed.socket}", newest["id"]],
                            capture_output=True, text=True, check=False, timeout=30)
    if result.returncode != 0 or newest["pod"]["name"] not in result.stdout:
        run.broken("every eviction is explained", f"`jettison explain {newest['id']}` tells of {newest['pod']['name']}",
                   f"status {result.returncode}: {(result.stdout + result.stderr)[:300]}")


def guilty_are_gone(run):
    """Nothing is left of a pod whose manifest is gone: no process, group or folder."""
    for member in run.members.values():
        if member.removed is None:
            continue
        pod = member.pod

        def left(pod=pod):
            return processes_of(pod.name) or run.bed.groups_of(pod) or (run.bed.root / "pods" / pod.uid).exists()
        if not wait_for(lambda: not left(), SETTLE_SECONDS, 0.1):
            run.broken("nothing is left of a pod", f"nothing of {pod.name}",
                       f"processes {processes_of(pod.name)}, groups {run.bed.groups_of(pod)}, "
                       f"folder {(run.bed.root / 'pods' / pod.uid).exists()}")


def nobody_is_lost(run):
    """Every pod with a manifest runs, once what kept it away is over."""
    for member in run.standing():
        pid = wait_for(lambda pod=member.pod: pod.lives(), SETTLE_SECONDS, 0.1)
        if not pid:
            run.broken("no pod is lost", f"{member.pod.name} runs within {SETTLE_SECONDS:g} s of calm", "it does not")
            continue
        roots = [each for each in processes_of(member.pod.name) if _parent(each) not in processes_of(member.pod.name)]
        if len(roots) > 1:
            run.broken("no pod runs twice", f"one process of {member.pod.name}", f"{roots}")


def _parent(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def agent_costs_no_more(run):
    if run.cost is None:
        wait_for(lambda: False, REST_SECONDS)
        run.cost = run.last_cost = run.bed.cost()
        run.tell(f"cost at rest: {run.cost}")
        return
    grown = [0, 0, 0]
    bounds = GROWTH_KIB, GROWTH_DESCRIPTORS, GROWTH_THREADS["cri" if run.bed.containerd else "process"]

    def settled():
        if run.bed.agent.poll() is not None:
            return True  # other checks report it
        run.last_cost = run.bed.cost()
        grown[:] = [after - before for before, after in zip(run.cost, run.last_cost)]
        return all(more <= bound for more, bound in zip(grown, bounds))
    if not wait_for(settled, 15, 0.25):
        run.broken("the agent needs no more than at the beginning",
                   f"at most {bounds[0]} KiB, {bounds[1]} descriptors, {bounds[2]} threads more than {run.cost}", f"{grown} more")


def agent_answers(run):
    wait_for(lambda: run.bed.is_ready() or run.bed.agent.poll() is not None, 30, 0.05)
    run.look_after_agent()
    if not wait_for(run.bed.is_ready, 5, 0.05):
        run.keep_going = False  # without an agent no other promise holds
        run.broken("the agent is there", "READY=1 within 30 s of its start", "nothing")
    try:
        wait_for(lambda: _ready_over_http(run), 15, 0.2) or run.broken("the agent is ready", "/readyz says ok", run.last_answer)
    except OSError as error:
        run.broken("the agent answers", "/readyz is answered", str(error))


def _ready_over_http(run):
    try:
        run.last_answer = run.bed.ask("/readyz?verbose")
        return True
    except OSError as error:
        run.last_answer = str(error)
        return False


def calm(run):
    """Everything that must hold once the guilty pods are gone."""
    run.look_after_agent()
    agent_answers(run)
    guilty_are_gone(run)
    nobody_is_lost(run)
    wait_for(lambda: run.witness.still is None, 10)
    no_oom_kill(run)
    innocents_live(run)
    run.records |= run.bed.kept_evictions()
    data_stays(run)
    node_above_its_line(run)
    evicted_once_a_crossing(run)
    evictions_are_explained(run)
    agent_costs_no_more(run)
    run.judged_until = now()


def nothing_is_left(run):
    """After all manifests are gone, and the agent with them."""
    for member in run.standing():
        run.remove(member.pod)
    guilty_are_gone(run)
    run.term_agent()
    for folder in ("pods", "logs"):
        path = run.bed.root / folder
        if not wait_for(lambda path=path: not path.exists() or not os.listdir(path), 10):
            run.broken("nothing is left behind", f"an empty {path}", str(os.listdir(path)))
    extra = run.bed.mounts() - run.bed.mounts_before
    if extra:
        run.broken("nothing is left behind", "the mounts of before", str(sorted(extra)))
    # When a program outside this world removes the folder of a mount, the kernel removes the mount here, too.
    gone = {path for path in run.bed.mounts_before - run.bed.mounts() if os.path.lexists(path)}
    if gone:
        run.broken("mounts of others stay", "the mounts of before", f"without {sorted(gone)}")
    shims = wait_for(lambda: not _foreign_processes(run), 10) or _foreign_processes(run)
    if shims is not True:
        run.broken("nothing is left behind", "no process", str(shims))
    groups = [path for top in pathlib.Path(HIERARCHIES).glob(f"*/{run.bed.name}/kubepods") for path, _, _ in os.walk(top) if "/pod" in path]
    if groups:
        run.broken("nothing is left behind", "no group of a pod", str(groups[:5]))


def _foreign_processes(run):
    """Processes of this world that are neither the run's own nor the container runtime's."""
    own = {1, os.getpid()} | (run.bed.containerd.processes() if run.bed.containerd else set())
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) not in own:
            try:
                command = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if command and "chaos_watch" not in command:
                found.append(f"{entry}: {command[:100]}")
    return found
