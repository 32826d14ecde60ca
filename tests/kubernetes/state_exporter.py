#!/usr/bin/env python3
"""state_exporter.py BED PORT: the series of kube-state-metrics that `jettison import` reads, of a test bed's API server.

Answers GET /metrics on 127.0.0.1:PORT. Each answer asks the API server of the bed (a folder of up.sh) for its pods and
nodes, and writes about them what kube-state-metrics would: the same names, labels and values.
"""
import datetime
import http.server
import json
import pathlib
import re
import ssl
import sys
import urllib.request

PHASES = ("Pending", "Succeeded", "Failed", "Unknown", "Running")
REASONS = ("Evicted", "NodeAffinity", "NodeLost", "Shutdown", "UnexpectedAdmissionError")
UNITS = {"": 1, "m": 0.001, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
UNIT_OF = {"memory": "byte", "ephemeral-storage": "byte", "cpu": "core", "pods": "integer"}


def amount(text):
    """A quantity as a number: "64Mi" is 67108864."""
    number, unit = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", text).groups()
    return float(number) * UNITS[unit]


def seconds_of(text):
    """A time of the API, since the epoch."""
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").timestamp()


def series(name, value, **labels):
    inside = ",".join(f"{key}={json.dumps(text)}" for key, text in labels.items())
    return f"{name}{{{inside}}} {value:.17g}\n"


def of_pod(pod):
    meta, spec, status = pod["metadata"], pod["spec"], pod["status"]
    me = {"namespace": meta["namespace"], "pod": meta["name"], "uid": meta["uid"]}
    owner = next(iter(meta.get("ownerReferences", [])), {})
    yield series("kube_pod_info", 1, **me, node=spec.get("nodeName", ""), host_ip=status.get("hostIP", ""),
                 pod_ip=status.get("podIP", ""), created_by_kind=owner.get("kind", ""),
                 created_by_name=owner.get("name", ""), priority_class=spec.get("priorityClassName", ""),
                 host_network=str(spec.get("hostNetwork", False)).lower())
    yield series("kube_pod_owner", 1, **me, owner_kind=owner.get("kind", ""), owner_name=owner.get("name", ""),
                 owner_is_controller=str(owner.get("controller", "")).lower())
    yield series("kube_pod_status_qos_class", 1, **me, qos_class=status.get("qosClass", ""))
    for phase in PHASES:
        yield series("kube_pod_status_phase", status.get("phase") == phase, **me, phase=phase)
    for reason in REASONS:
        yield series("kube_pod_status_reason", status.get("reason") == reason, **me, reason=reason)
    ended = [each["state"].get("terminated", {}).get("finishedAt") for each in status.get("containerStatuses", [])]
    if ended and all(ended):
        yield series("kube_pod_completion_time", max(seconds_of(each) for each in ended), **me)
    for container in spec["containers"]:
        for kind in ("requests", "limits"):
            for resource, text in container.get("resources", {}).get(kind, {}).items():
                yield series(f"kube_pod_container_resource_{kind}", amount(text), **me, container=container["name"],
                             node=spec.get("nodeName", ""), resource=resource.replace("-", "_"),
                             unit=UNIT_OF.get(resource, ""))


def of_node(node):
    name, status = node["metadata"]["name"], node["status"]
    address = next((a["address"] for a in status.get("addresses", []) if a["type"] == "InternalIP"), "")
    yield series("kube_node_info", 1, node=name, internal_ip=address,
                 kernel_version=status["nodeInfo"]["kernelVersion"],
                 kubelet_version=status["nodeInfo"]["kubeletVersion"])
    for what in ("capacity", "allocatable"):
        for resource, text in status.get(what, {}).items():
            yield series(f"kube_node_status_{what}", amount(text), node=name, resource=resource.replace("-", "_"),
                         unit=UNIT_OF.get(resource, ""))
    for condition in status.get("conditions", []):
        for value in ("true", "false", "unknown"):
            yield series("kube_node_status_condition", condition["status"].lower() == value, node=name,
                         condition=condition["type"], status=value)


class ApiServer:
    def __init__(self, bed):
        port = int(re.search(r"^BASEPORT=(\d+)$", (bed / "settings").read_text(), re.MULTILINE).group(1)) + 3
        self.url = f"https://127.0.0.1:{port}/api/v1/"
        self.trust = ssl.create_default_context(cafile=bed / "pki/ca.crt")
        self.trust.load_cert_chain(bed / "pki/admin.crt", bed / "pki/admin.key")

    def items(self, kind):
        with urllib.request.urlopen(self.url + kind, context=self.trust, timeout=10) as answer:
            return json.load(answer)["items"]

    def metrics(self):
        lines = [line for pod in self.items("pods") for line in of_pod(pod)]
        lines += [line for node in self.items("nodes") for line in of_node(node)]
        return "".join(sorted(lines))  # the series of one name stand together


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: state_exporter.py BED PORT")
    server = ApiServer(pathlib.Path(sys.argv[1]))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            text = server.metrics().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()


if __name__ == "__main__":
    main()
