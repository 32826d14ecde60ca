#!/usr/bin/env python3
"""made_prometheus.py: serves what a Prometheus would have of two made-up nodes; its URL is on standard output.

Two days of scrapes, 15 s apart. On worker-1 a batch job outgrows its request each night and is evicted by a
kubelet with the default threshold; worker-2 has little load.
"""
import math
import pathlib
import signal
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "prometheus"))
import sample_server  # noqa: E402

MIB = 1 << 20
BEGAN = 1767225600  # 2026-01-01
STEP, LAST = 15, 2 * 86400
CAPACITY = 8192 * MIB
LINE = 100 * MIB
NIGHTS = (2 * 3600, 26 * 3600)  # when the job starts
GROWTH = 1.5 * MIB  # a second
# name, namespace, class of priority, request and steady use in MiB
PODS = {"worker-1": [("api-0", "shop", "high", 1024, 1400), ("cache-0", "shop", "", 2048, 1900), ("batch-0", "jobs", "", 256, 0)],
        "worker-2": [("api-1", "shop", "high", 1024, 1300), ("cache-1", "shop", "", 2048, 1800)]}
SYSTEM = 1200 * MIB


def labels(**pairs):
    return "{" + ",".join(f'{name}="{value}"' for name, value in pairs.items()) + "}"


class Scrapes:
    def __init__(self):
        self.lines = []

    def add(self, name, at, value, **pairs):
        self.lines.append(f"{name}{labels(**pairs)} {value:.0f} {BEGAN + at}")


def breath(at, most):
    return most * (0.95 + 0.05 * math.sin(at / 1800))


def scrape(scrapes, node, at, state):
    held = {}
    for pod, _, _, _, steady in PODS[node]:
        if pod != "batch-0":
            held[pod] = breath(at, steady * MIB)
    night = max((n for n in NIGHTS if n <= at), default=None)
    if node == "worker-1" and night is not None and state["evicted"] < night:
        held["batch-0"] = (at - night) * GROWTH
    used = SYSTEM + sum(held.values())
    if used > CAPACITY - LINE:
        state["evicted"], state["evictions"] = at, state["evictions"] + 1
        used -= held.pop("batch-0")
    scrapes.add("node_memory_working_set_bytes", at, used, node=node)
    scrapes.add("kube_node_status_capacity", at, CAPACITY, node=node, resource="memory", unit="byte")
    scrapes.add("kubelet_evictions", at, state["evictions"], node=node, eviction_signal="memory.available")
    for pod, namespace, priority, request, _ in PODS[node]:
        who = {"namespace": namespace, "pod": pod}
        is_batch = pod == "batch-0"
        if is_batch and night is None:
            continue
        gone = is_batch and pod not in held
        uid = f"uid-{pod}-{night}" if is_batch else f"uid-{pod}"
        scrapes.add("kube_pod_info", at, 1, **who, uid=uid, node=node, priority_class=priority, created_by_kind="ReplicaSet")
        for phase in ("Running", "Failed"):
            scrapes.add("kube_pod_status_phase", at, int((phase == "Failed") == gone), **who, uid=uid, phase=phase)
        if is_batch:
            scrapes.add("kube_pod_status_reason", at, int(gone), **who, uid=uid, reason="Evicted")
        scrapes.add("kube_pod_container_resource_requests", at, request * MIB, **who, uid=uid, container="main", node=node,
                 resource="memory", unit="byte")
        if not gone:
            scrapes.add("container_memory_working_set_bytes", at, held[pod], **who, container="main", node=node)


def main():
    scrapes = Scrapes()
    for node in PODS:
        state = {"evicted": -1, "evictions": 0}
        for at in range(0, LAST, STEP):
            scrape(scrapes, node, at, state)
    with sample_server.serving(sample_server.series_of(scrapes.lines)) as url:
        print(url, flush=True)
        signal.pause()


if __name__ == "__main__":
    main()
