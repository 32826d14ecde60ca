"""Requests and manifests that should not be sent to an agent."""
import contextlib
import json
import random
import socket
import time


def _request(dice):
    get, post = b"GET / HTTP/1.1\r\nHost: h\r\n", b"POST /api/v1/admit HTTP/1.1\r\nHost: h\r\n"
    kind = dice.randrange(9)
    if kind == 0:
        return dice.randbytes(200) + b"\r\n\r\n"
    if kind == 1:
        return b"GET /" + b"a" * 40_000
    if kind == 2:
        return get + b"X: slow\r\n"
    if kind == 3:
        return post + b"Content-Length: 1000000\r\n\r\nslow"
    if kind == 4:
        return post + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"
    if kind == 5:
        return b"GET /api/v1/watch HTTP/1.1\r\nHost: h\r\n\r\n"
    if kind == 6:
        body = b"{}" * 500_000
    elif kind == 7:
        body = b"[" * 400_000
    else:
        body = json.dumps({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{}] * 40_000}}).encode()
    return post + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def ask(path, noise, stop):
    """Sends hostile requests until it is told to stop, with up to 40 connections open at a time."""
    dice = random.Random(noise)
    clients = []
    while not stop.is_set():
        if len(clients) == 40:
            clients.pop(0).close()
        client = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError):
            client.settimeout(0.2)
            client.connect(str(path))
            clients.append(client)
            client.sendall(_request(dice))
            if dice.random() < 0.3:
                client.shutdown(socket.SHUT_WR)
        time.sleep(0.01)
    for client in clients:
        client.close()


def _pod(name, **container):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"containers": [{"name": "c", "image": "none", "imagePullPolicy": "Never",
                                     "command": ["/nonexistent/program"], **container}]}}


def manifest(way):
    """The text of a manifest that cannot be run."""
    if way == "variables":  # each ten times the one before: ten billion letters
        variables = [{"name": "V0", "value": "x" * 10}]
        variables += [{"name": f"V{n}", "value": f"$(V{n - 1})" * 10} for n in range(1, 10)]
        return json.dumps(_pod("bomb-variables", env=variables))
    if way == "large":
        return json.dumps(_pod("bomb-large", env=[{"name": "V", "value": "x" * 8_000_000}]))
    if way == "deep":
        return '{"apiVersion": "v1", "kind": "Pod", "metadata": ' + "[" * 100_000
    return "\n---\n".join(json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"Bad Name {n}"}}) for n in range(2000))
