"""A pod that ignores SIGTERM and takes 480 MiB/s by forking: no other process dies of it."""
import judge
from bed import now, wait_for
from pods import Pod, processes_of

RATE = 480
GONE_SECONDS = 30.0


def one(options, folder, a_run):
    with a_run(options, folder, backoff="300s", period_us=200, clock=False) as run:
        run.add_innocents()
        hog = Pod("stubborn", ["forkleak", RATE, 4000], frozenset(["memory"]), ignore_term=True, gate=str(run.bed.gates / "gate"))
        run.add(hog)
        run.start_agent()
        wait_for(lambda: hog.lives(), 30)
        wait_for(lambda: False, 2)
        run.step = "the gate is opened"
        opened = now()
        (run.bed.gates / "gate").touch()
        wait_for(lambda: any(event.what == "term" for event in hog.events(run.bed)) or not hog.lives(), GONE_SECONDS, 0.02)
        gone = wait_for(lambda: not processes_of(hog.name), GONE_SECONDS, 0.02)
        took = now() - opened
        if not gone:
            run.broken("a stubborn pod goes all the same", f"it is gone within {GONE_SECONDS:g} s", "it lives")
        run.remove(hog)  # it must not come back
        judge.guilty_are_gone(run)
        least = min((seen.least for seen in run.witness.intervals()), default=run.bed.line)
        kills = len(run.witness.oom_kills)
        _innocents_unharmed(run)
        judge.evictions_are_explained(run)
        judge.nothing_is_left(run)
        return took, least, kills, run.faults


def _innocents_unharmed(run):
    """If the kernel ended the hog itself, that is reported, but no fault; ending any other process is one."""
    for killed in run.witness.oom_kills:
        if "poduid-stubborn" not in killed.group:
            run.broken("the kernel kills nobody else", "no OOM kill of an innocent", killed.group, killed.at)
    judge.innocents_live(run)
    judge.nobody_is_lost(run)


def play(options, folder, a_run):
    faults = []
    for number in range(options.runs):
        took, least, kills, broken = one(options, folder / f"run-{number}", a_run)
        faults += broken
        print(f"run {number}: gone after {took:.2f} s, least available {least / (1 << 20):.1f} MiB, OOM kills {kills}, "
              f"{len(broken)} broken", flush=True)
    return faults
