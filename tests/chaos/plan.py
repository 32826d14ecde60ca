"""What happens in a run, drawn from its seed alone: the same seed gives the same steps at the same times.

A run is a sequence of rounds. In each, some steps begin within a few seconds, each with its own duration.
Then comes a calm in which the guilty pods are removed and everything is judged (judge.py).
"""
import dataclasses
import random

SECONDS_OF_ROUND = 10.0


@dataclasses.dataclass
class Step:
    kind: str
    at: float  # seconds from the beginning of the round
    seconds: float  # how long it lasts
    facts: dict

    def __str__(self):
        facts = " ".join(f"{name}={value}" for name, value in self.facts.items())
        return f"{self.at:.2f} s {self.kind} for {self.seconds:.1f} s {facts}".rstrip()


def _rate(dice, low, high):
    """As likely between 1 and 10 as between 100 and 1000."""
    return round(low * (high / low) ** dice.random(), 1)


def _leak(dice):
    stubborn = dice.random() < 0.25
    return {"rate": _rate(dice, 1, 480 if stubborn else 2048), "stubborn": stubborn}


# Kind: (weight, runtimes, what is drawn for it)
KINDS = {
    # pods
    "leak": (10, "both", _leak),
    "wave": (3, "both", lambda d: {"high": d.randint(700, 1500), "every": round(d.uniform(0.5, 4), 1)}),
    "nest": (3, "process", lambda d: {"depth": d.randint(3, 40), "rate": _rate(d, 20, 500)}),
    "forkleak": (2, "both", lambda d: {"rate": _rate(d, 50, 480)}),
    "files": (4, "both", lambda d: {"rate": d.choice([0, 20, 100, 400])}),
    "inodes": (3, "both", lambda d: {"rate": d.choice([2000, 10000, 50000])}),
    "forks": (3, "both", lambda d: {"rate": d.choice([200, 1000, 5000])}),
    "log": (3, "both", lambda d: {"rate": _rate(d, 1, 500)}),
    "stuck": (2, "process", lambda d: {}),
    "newcomer": (4, "both", lambda d: {"hold": d.randint(1, 6)}),
    # memory that no pod can be evicted for
    "outside": (3, "both", lambda d: {"below": d.randint(20, 60)}),
    "critical": (2, "both", lambda d: {"below": d.randint(10, 40)}),
    "tmpfs": (2, "both", lambda d: {"rate": _rate(d, 20, 400)}),
    # trouble for the agent
    "kill": (8, "both", lambda d: {"times": d.randint(1, 5), "pause": round(d.uniform(0.1, 1.0), 2),
                                   "down": round(d.choice([0, 0, 0.05, 0.5]), 2)}),
    "term": (3, "both", lambda d: {"down": round(d.choice([0, 0.2]), 2)}),
    "stop": (2, "both", lambda d: {}),
    "tasks": (4, "both", lambda d: {"more": d.randint(0, 1)}),
    "eio": (4, "both", lambda d: {}),
    "slow": (4, "both", lambda d: {"each": d.choice([20, 100, 400])}),
    "clock": (4, "both", lambda d: {"by": d.choice([-86400, -3600, -30, 30, 3600, 86400 * 400])}),
    "stuck-log": (3, "both", lambda d: {"reader": d.choice(["silent", "gone"])}),
    "http": (3, "both", lambda d: {"noise": d.randrange(1 << 30)}),
    "half": (3, "both", lambda d: {"way": d.choice(["half", "empty", "garbage"])}),
    "folder": (3, "both", lambda d: {"away": round(d.choice([0.02, 0.1, 0.3]), 2)}),
    "bomb": (2, "both", lambda d: {"way": d.choice(["variables", "large", "deep", "many"])}),
    "second": (2, "both", lambda d: {"root": d.choice(["same", "other"])}),
    # trouble for the runtime
    "hang": (5, "cri", lambda d: {}),
    "crash": (4, "cri", lambda d: {"down": round(d.uniform(0, 1.5), 2)}),
}
ONCE_A_ROUND = ("stuck", "outside", "critical", "tmpfs", "stop", "clock", "eio", "slow", "folder", "crash", "hang", "second")
GROWING = ("leak", "wave", "nest", "forkleak", "files", "inodes", "forks", "log", "tmpfs")  # these take some time
# Only one of these in each round: each relies on space that another one takes.
APART = ("outside", "critical", "tmpfs")

# A second agent would correctly take the place of one that has just been killed; a disk fails or is slow.
AGAINST = {frozenset(["second", kind]) for kind in ("kill", "term", "stuck-log")} | {frozenset(["eio", "slow"])}
# Process ids belong to the machine, so a run that takes them all affects every other run.
OF_THE_MACHINE = ("forks",)

# Several pods may take memory at once, but not faster than successive kills can free it on a busy machine: there is
# space for 128 MiB, and a kill takes about 0.3 s.
TOGETHER_MIB_S = 350


def _memory_rate(step):
    """MiB a second of memory that a step takes."""
    if step.kind == "wave":
        return step.facts["high"] / step.facts["every"]
    return step.facts["rate"] if step.kind in ("leak", "nest", "forkleak", "tmpfs") else 0


def _fits(step, steps):
    """Whether a step may happen beside those that were drawn before."""
    used = {other.kind for other in steps}
    if step.kind in used & set(ONCE_A_ROUND) or (step.kind in APART and used & set(APART)):
        return False
    if any(frozenset([step.kind, other]) in AGAINST for other in used):
        return False
    rates = [rate for rate in map(_memory_rate, (*steps, step)) if rate > 0]
    if (used | {step.kind}) & set(APART):
        return sum(rates) <= TOGETHER_MIB_S / 4  # memory that no pod can be evicted for leaves less for the others
    return len(rates) <= 1 or sum(rates) <= TOGETHER_MIB_S


def kinds_of(runtime):
    return [kind for kind, (_, runtimes, _) in KINDS.items() if runtimes in ("both", runtime)]


def round_of(seed, number, runtime, only=(), without=()):
    """The steps of one round, the first to begin first."""
    dice = random.Random(f"{seed} {number} {runtime}")
    kinds = [kind for kind in kinds_of(runtime) if (not only or kind in only) and kind not in without]
    weights = [KINDS[kind][0] for kind in kinds]
    steps = []
    wanted = dice.randint(3, 7)
    for _ in range(4 * wanted):  # some cannot happen beside others
        kind = dice.choices(kinds, weights)[0]
        at, seconds = round(dice.uniform(0, 0.6 * SECONDS_OF_ROUND), 2), round(dice.uniform(0.3, 5), 1)
        facts = KINDS[kind][2](dice)
        if kind in GROWING:
            seconds = round(seconds + 3, 1)
        if kind in ("outside", "stop"):
            seconds = round(min(seconds, 2.0), 1)
        step = Step(kind, at, seconds, facts)
        if len(steps) < wanted and _fits(step, steps):
            steps.append(step)
    return sorted(steps, key=lambda step: step.at)
