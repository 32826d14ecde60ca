"""kill -9 of the agent at random moments: while it starts, while pods start, are evicted or are removed.

A fixed set of pods writes a mark into its volumes. Beside them, one pod leaks and is evicted again and
again, and another is added and removed repeatedly. After every 25 kills there is a calm, in which everything
is judged (judge.py); the files of the fixed pods must then be the same files as at the beginning.
"""
import os
import random

import judge
from bed import now, wait_for
from pods import Pod

KILLS_A_ROUND = 25


def _pods(bed):
    count = 6 if bed.containerd else 16
    return [Pod(f"kept-{n}", ["hold", 1 + n % 4], data=True, priority=10 * (n % 3)) for n in range(count)]


def _files(run, pods):
    """The identity of the file with each pod's mark: device and inode, None if it is gone."""
    found = {}
    for pod in pods:
        try:
            state = os.stat(run.bed.root / "pods" / pod.uid / "volumes/data/mark")
            found[pod.name] = (state.st_dev, state.st_ino)
        except OSError:
            found[pod.name] = None
    return found


def _moment(dice):
    """How long an agent lives: in half of the cases it is killed while it starts."""
    return dice.uniform(0, 0.06) if dice.random() < 0.5 else dice.uniform(0.06, 0.5)


def _round(run, dice, kills):
    """Kills the agent, while one pod is evicted and others are added and removed."""
    leaker = Pod(f"leaker-{run.number}", ["leak", dice.randint(100, 400), 4000], frozenset(["memory"]), data=True,
                 ignore_term=dice.random() < 0.3)
    run.add(leaker)
    visitor = None
    for _ in range(kills):
        run.number += 1
        run.step = f"kill {run.number}"
        wait_for(lambda: False, _moment(dice))
        run.look_after_agent()
        run.kill_agent()
        if visitor and dice.random() < 0.3:
            run.remove(visitor)
            visitor = None
        elif not visitor and dice.random() < 0.3:
            visitor = Pod(f"visitor-{run.number}", ["hold", 1], data=True)
            run.add(visitor)
        run.start_agent()
        run.collect()
    run.remove(leaker)
    if visitor:
        run.remove(visitor)


def play(options, folder, a_run):
    dice = random.Random(f"kills {options.seed}")
    with a_run(options, folder) as run:
        pods = _pods(run.bed)
        for pod in pods:
            run.add(pod)
        run.start_agent()
        judge.calm(run)
        files = _files(run, pods)
        left = options.times
        while left > 0:
            _round(run, dice, min(KILLS_A_ROUND, left))
            left -= KILLS_A_ROUND
            judge.calm(run)
            run.forget_removed()
            now_there = _files(run, pods)
            if changed := [name for name, file in now_there.items() if file != files[name]]:
                run.broken("data of a pod stays", f"the marks of {', '.join(changed)} are the files of before", "others, or none")
            files = now_there
            print(f"{now() - run.began:7.1f} s  {run.counts['agents killed']} kills, {len(run.records)} evictions, "
                  f"{run.counts.get('innocents evicted', 0)} innocents evicted", flush=True)
        judge.nothing_is_left(run)
        for name, count in sorted(run.counts.items()):
            print(f"{name}: {count}")
        return run.faults
