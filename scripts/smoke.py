#!/usr/bin/env python3
"""smoke.py BUILD: does the program itself, as a user would start it, do what the tests say its parts do?

Every recorded scenario and image collection goes through `jettison replay` and is compared with what
the kubelet did, small inputs go through the commands that only read, and the demo plays to its end
(root only). One line a check, then "N passed, N failed, N skipped"; exit status 1 when one failed.
"""
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "tests/testdata/vectors"

KUBELET_CONFIG = """\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
evictionHard: {memory.available: 1Gi}
"""
FAULTY_CONFIG = KUBELET_CONFIG.replace("1Gi", "a lot")
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "b", "uid": "c"},
       "spec": {"containers": [{"name": "d", "resources": {"requests": {"memory": "1Gi"}}}]}}


def records(name):
    with lzma.open(VECTORS / f"{name}.ndjson.xz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def run(program, *arguments, timeout=120):
    return subprocess.run([program, *map(str, arguments)], stdin=subprocess.DEVNULL, timeout=timeout,
                          capture_output=True, text=True, check=False)


def lines_of(result):
    assert result.returncode == 0, f"exit status {result.returncode}: {result.stderr.strip()[-500:]}"
    return [json.loads(line) for line in result.stdout.splitlines()]


def without_blanks(value):
    """An absent field, an empty one and false mean the same in an outcome."""
    if isinstance(value, dict):
        kept = {key: without_blanks(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in ("", False, None, [], {})}
    if isinstance(value, list):
        return [without_blanks(item) for item in value]
    return value


def order_fits(groups, order):
    """Whether a total order keeps to the recorded one, in which the members of a group are equals."""
    rest = list(order)
    for group in groups:
        head, rest = rest[:len(group)], rest[len(group):]
        if sorted(head) != sorted(group):
            return False
    return not rest


def step_fits(recorded, replayed):
    want, got = without_blanks(recorded), without_blanks(replayed)
    groups, order = want.pop("ranking", []), got.pop("ranking", [])
    return want == got and order_fits(groups, order)


def agrees(outcome, steps):
    return len(outcome) == len(steps) and all(map(step_fits, outcome, steps))


def scenarios_agree(program, folder):
    wanted = records("scenarios")
    path = folder / "scenarios.ndjson"
    path.write_text("".join(json.dumps(record) + "\n" for record in wanted), encoding="utf-8")
    answers = lines_of(run(program, "replay", path))
    assert len(answers) == len(wanted), f"{len(answers)} answers to {len(wanted)} scenarios"
    wrong = [record["scenario"]["name"] for record, answer in zip(wanted, answers)
             if not any(agrees(outcome, answer["steps"]) for outcome in record["outcomes"])]
    assert not wrong, f"{len(wrong)} of {len(wanted)} scenarios differ: {', '.join(wrong[:5])}"
    return f"{len(wanted)} scenarios"


def images_agree(program, folder):
    wanted = records("images")
    path = folder / "images.ndjson"
    path.write_text("".join(json.dumps({"imageGC": record}) + "\n" for record in wanted), encoding="utf-8")
    answers = lines_of(run(program, "replay", path))
    assert len(answers) == len(wanted), f"{len(answers)} answers to {len(wanted)} collections"

    def outcome(record):
        return without_blanks({key: record.get(key) for key in ("name", "removed", "error", "event")})

    wrong = [record["name"] for record, answer in zip(wanted, answers) if outcome(record) != outcome(answer)]
    assert not wrong, f"{len(wrong)} of {len(wanted)} collections differ: {', '.join(wrong[:5])}"
    return f"{len(wanted)} collections"


def check_config_tells_right_from_wrong(program, folder):
    right, wrong = folder / "right.yaml", folder / "wrong.yaml"
    right.write_text(KUBELET_CONFIG, encoding="utf-8")
    wrong.write_text(FAULTY_CONFIG, encoding="utf-8")
    good = run(program, "check-config", right, "--output", "json")
    assert good.returncode == 0, good.stderr
    signals = [threshold["signal"] for threshold in json.loads(good.stdout)["thresholds"]]
    assert "memory.available" in signals, signals
    bad = run(program, "check-config", wrong, "--output", "json")
    assert bad.returncode == 2, f"exit status {bad.returncode} for a faulty file"
    faults = json.loads(bad.stdout)["faults"]
    assert len(faults) == 1 and faults[0]["value"] == "a lot", faults
    return ""


def inspect_weighs_a_pod(program, folder):
    path = folder / "pod.json"
    path.write_text(json.dumps(POD), encoding="utf-8")
    result = run(program, "inspect", path, "--memory-capacity", "4Gi", "--output", "json")
    assert result.returncode == 0, result.stderr
    (pod,) = json.loads(result.stdout)
    assert pod["qosClass"] == "Burstable" and pod["oomScoreAdj"] == {"d": 750}, pod
    return ""


def doctor_answers(program, _):
    result = run(program, "doctor", "--output", "json")
    assert result.returncode in (0, 1), result.stderr
    json.loads(result.stdout)
    return ""


def every_command_helps(program, _):
    for command in ("run", "status", "top", "demo", "replay", "check-config", "inspect", "doctor"):
        result = run(program, command, "--help")
        assert result.returncode == 0 and command in result.stdout, f"{command}: {result.stderr}"
    assert run(program, "no-such-command").returncode == 2
    return ""


def demo_plays_to_its_end(program, _):
    if os.geteuid() != 0:
        return None
    result = run(program, "demo")
    assert result.returncode == 0, "\n" + (result.stdout + result.stderr)[-4000:]
    return ""


CHECKS = [scenarios_agree, images_agree, check_config_tells_right_from_wrong, inspect_weighs_a_pod,
          doctor_answers, every_command_helps, demo_plays_to_its_end]


def main():
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    program = str(pathlib.Path(sys.argv[1]).resolve() / "jettison")
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="jettison-smoke-") as folder:
        for check in CHECKS:
            name = check.__name__.replace("_", " ")
            try:
                said = check(program, pathlib.Path(folder))
            except (AssertionError, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED: {name}: {type(error).__name__}: {error}")
                continue
            if said is None:
                skipped += 1
                print(f"skipped: {name}: needs root")
            else:
                passed += 1
                print(f"ok: {name}" + (f" ({said})" if said else ""))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
