"""Clients that make the agent hold as much memory for them as possible: how much it grows meanwhile."""
import socket
import threading
import time

AT_ONCE = 30
BODY = 1 << 20
SMALL_BODY = 250_000  # less than the limit of one body

PODS = 10
ANNOTATION = 200_000
MANIFEST = """apiVersion: v1
kind: Pod
metadata:
  name: large-{number}
  annotations: {{note: {note}}}
spec:
  containers:
    - {{name: main, image: none, command: [/bin/sleep, infinity]}}
"""


def repeated(start, part, end, size):
    return start + part * ((size - len(start) - len(end)) // len(part)) + end


def aliases():
    """Each line names the one before it nine times."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 9) + "]" for i in range(1, 12)]
    return "\n".join(lines).encode()


JSON, YAML = "application/json", "application/yaml"
BODIES = {
    "empty containers": (JSON, repeated(b'{"spec":{"containers":[', b"{},", b"{}]}}", SMALL_BODY)),
    "zeros": (JSON, repeated(b"[", b"0,", b"0]", SMALL_BODY)),
    "YAML, empty lists": (YAML, repeated(b"a: [", b"[],", b"[]]", SMALL_BODY)),
    "YAML, a list of keys": (YAML, repeated(b"- ", b"a: [a]\n- ", b"a", SMALL_BODY)),
    "YAML, aliases": (YAML, aliases()),
    "deep": (YAML, b"[" * SMALL_BODY),
    "1 MiB of {}": (JSON, repeated(b"", b"{}", b"", BODY)),
    "1 MiB of empty containers": (JSON, repeated(b'{"spec":{"containers":[', b"{},", b"{}]}}", BODY)),
}


def write_manifests(folder):
    for number in range(PODS):
        with open(f"{folder}/large-{number}.yaml", "w") as manifest:
            manifest.write(MANIFEST.format(number=number, note="x" * ANNOTATION))


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(30)
    client.connect(path)
    return client


def post(path, kind, body, statuses):
    head = (f"POST /api/v1/admit HTTP/1.1\r\nHost: h\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n").encode()
    try:
        with connect(path) as client:
            try:
                client.sendall(head + body)
            except OSError:
                pass  # refused before all of it was sent; the answer may have arrived
            status = client.recv(65536)[9:12].decode()
            while client.recv(1 << 20):
                pass
    except OSError:
        status = "cut"
    statuses[status or "cut"] = statuses.get(status or "cut", 0) + 1


def post_at_once(path, kind, body):
    statuses = {}
    clients = [threading.Thread(target=post, args=(path, kind, body, statuses)) for _ in range(AT_ONCE)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return statuses


def never_read(path, what, count):
    """Clients that send a request and read no byte of the answer."""
    clients = []
    for _ in range(count):
        client = connect(path)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(f"GET {what} HTTP/1.1\r\nHost: h\r\n\r\n".encode())
        clients.append(client)
    time.sleep(3)
    return clients


def hoard(path, peak_of):
    """(kind, peak above what it held before in KiB, answer) for each kind of client."""
    rows = []
    for what, count in (("/api/v1/watch", 60), ("/pods", 60), ("/api/v1/cycles?n=100", 60)):
        with peak_of() as peak:
            clients = never_read(path, what, count)
        for client in clients:
            client.close()
        rows.append((f"{count} unread {what}", peak.kib, {}))
        time.sleep(0.5)
    for what, (kind, body) in BODIES.items():
        with peak_of() as peak:
            answered = post_at_once(path, kind, body)
        rows.append((f"{AT_ONCE} x {what}", peak.kib, answered))
    return rows
