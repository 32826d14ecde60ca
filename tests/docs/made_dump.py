#!/usr/bin/env python3
"""made_dump.py: writes to standard output what `promtool tsdb dump-openmetrics` would have of two made-up nodes.

Two days of scrapes, 15 s apart. On worker-1 a batch job outgrows its request each night and is evicted by a
kubelet with the default threshold; worker-2 has little load.
"""
import math

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


class Dump:
    def __init__(self):
        self.series = {}

    def add(self, name, at, value, **pairs):
        self.series.setdefault((name, labels(**pairs)), []).append((at, value))

    def write(self):
        names = sorted({name for name, _ in self.series})
        for name in names:
            kind = "counter" if name.endswith(("_total", "_evictions")) else "gauge"
            print(f"# TYPE {name.removesuffix('_total')} {kind}")
            for (of, pairs), samples in self.series.items():
                for at, value in samples if of == name else ():
                    print(f"{name}{pairs} {value:.0f} {BEGAN + at}")
        print("# EOF")


def breath(at, most):
    return most * (0.95 + 0.05 * math.sin(at / 1800))


def scrape(dump, node, at, state):
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
    dump.add("node_memory_working_set_bytes", at, used, node=node)
    dump.add("kube_node_status_capacity", at, CAPACITY, node=node, resource="memory", unit="byte")
    dump.add("kubelet_evictions", at, state["evictions"], node=node, eviction_signal="memory.available")
    for pod, namespace, priority, request, _ in PODS[node]:
        who = {"namespace": namespace, "pod": pod}
        is_batch = pod == "batch-0"
        if is_batch and night is None:
            continue
        gone = is_batch and pod not in held
        uid = f"uid-{pod}-{night}" if is_batch else f"uid-{pod}"
        dump.add("kube_pod_info", at, 1, **who, uid=uid, node=node, priority_class=priority, created_by_kind="ReplicaSet")
        for phase in ("Running", "Failed"):
            dump.add("kube_pod_status_phase", at, int((phase == "Failed") == gone), **who, uid=uid, phase=phase)
        if is_batch:
            dump.add("kube_pod_status_reason", at, int(gone), **who, uid=uid, reason="Evicted")
        dump.add("kube_pod_container_resource_requests", at, request * MIB, **who, uid=uid, container="main", node=node,
                 resource="memory", unit="byte")
        if not gone:
            dump.add("container_memory_working_set_bytes", at, held[pod], **who, container="main", node=node)


def main():
    dump = Dump()
    for node in PODS:
        state = {"evicted": -1, "evictions": 0}
        for at in range(0, LAST, STEP):
            scrape(dump, node, at, state)
    dump.write()


if __name__ == "__main__":
    main()
