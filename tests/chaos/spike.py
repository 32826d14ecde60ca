"""Memory that no pod can be evicted for, beside fifty small pods: few of them are evicted.

A process outside the pods keeps the node 100 MiB below its threshold for a second: at most two pods are
evicted. A critical pod does so for five seconds: no more pods are evicted than by the kubelet, which looks
again once a second, when the last pod is gone.
"""
import judge
from bed import MIB, now, wait_for
from pods import CRITICAL, Pod

PODS = 50
BELOW_MIB = 100
SPIKE_SECONDS, HOG_SECONDS = 1.0, 5.0


def _victims(run, since):
    return [member.pod.name for member in run.members.values() if member.pod.priority < CRITICAL
            and any(event.what == "term" and event.at >= since for event in member.pod.events(run.bed))]


def _settle(run, pods):
    if not wait_for(lambda: all(pod.lives() for pod in pods), 90, 0.1):
        run.broken("no pod is lost", f"{PODS} pods run", str([pod.name for pod in pods if not pod.lives()]))
    wait_for(lambda: run.witness.still is None, 10)
    wait_for(lambda: False, 2)


def _judge(run, what, victims, allowed):
    if len(victims) > allowed:
        run.broken(f"{what} costs few pods", f"at most {allowed} of {PODS}", f"{len(victims)}: {', '.join(victims[:8])}")


def _spike(run):
    since = now()
    process = run.run_outside(["hold", run.room() // MIB + BELOW_MIB])
    wait_for(lambda: run.witness.still is not None, 5, 0.001)
    wait_for(lambda: False, SPIKE_SECONDS)
    process.kill()
    process.wait()
    wait_for(lambda: False, 3)
    return _victims(run, since)


def _critical(run, number):
    since = now()
    hog = Pod(f"critical-hog-{number}", ["hold", run.room() // MIB + BELOW_MIB - 20], priority=CRITICAL)
    run.add(hog)
    wait_for(lambda: run.witness.still is not None, 10, 0.001)
    below = now()
    wait_for(lambda: False, HOG_SECONDS)
    run.remove(hog)
    wait_for(lambda: not hog.lives(), 15)
    held = now() - below
    wait_for(lambda: False, 3)
    return _victims(run, since), held


def play(options, folder, a_run):
    with a_run(options, folder, clock=False) as run:
        pods = [Pod(f"small-{n}", ["hold", 1 + n % 3]) for n in range(PODS)]
        for pod in pods:
            run.add(pod)
        run.start_agent()
        for number in range(options.runs):
            _settle(run, pods)
            run.step = f"spike {number}"
            spiked = _spike(run)
            _judge(run, "a spike outside the pods", spiked, 2)
            _settle(run, pods)
            run.step = f"critical hog {number}"
            hogged, held = _critical(run, number)
            _judge(run, "a critical pod that holds the memory", hogged, 1 + int(held))
            print(f"run {number}: {len(spiked)} of {PODS} for a spike of {SPIKE_SECONDS:g} s, {len(hogged)} for a critical pod "
                  f"of {held:.1f} s", flush=True)
        judge.nothing_is_left(run)
        return run.faults
