"""Prometheus' HTTP API, as far as `jettison import` asks it, over samples that stand in a text.

A line is `name{label="value"} 12.5 1767225600.123`, with its time in seconds.
"""
import contextlib
import http.server
import json
import re
import threading
import urllib.parse

LABEL = re.compile(r'(\w+)="([^"]*)"')
MATCHER = re.compile(r'(\w+)(=~|=)"([^"]*)"')


def series_of(lines):
    """[(labels, [(time, value)])] with the name as `__name__`, by the order of the lines."""
    series = {}
    for line in lines:
        if not line.startswith("#"):
            which, value, at = line.rsplit(" ", 2)
            series.setdefault(which, []).append((float(at), value))
    return [({"__name__": which.partition("{")[0], **dict(LABEL.findall(which))}, samples) for which, samples in series.items()]


def selected(series, selector):
    name = selector.partition("{")[0]
    wanted = [(label, re.compile(value if kind == "=~" else re.escape(value))) for label, kind, value in MATCHER.findall(selector)]
    for labels, samples in series:
        if name in ("", labels["__name__"]) and all(pattern.fullmatch(labels.get(label, "")) for label, pattern in wanted):
            yield labels, samples


def answer(series, path, form):
    if path == "/api/v1/series":
        return [labels for selector in form["match[]"] for labels, _ in selected(series, selector)]
    selector, length = re.fullmatch(r"(.*)\[(\d+)ms\]", form["query"][0]).groups()
    end = float(form["time"][0])
    begin = end - int(length) / 1000
    found = [{"metric": labels, "values": [(at, value) for at, value in samples if begin < at <= end]}
             for labels, samples in selected(series, selector)]
    return {"resultType": "matrix", "result": [each for each in found if each["values"]]}


@contextlib.contextmanager
def serving(series):
    """Its URL."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            body = json.dumps({"status": "success", "data": answer(series, self.path, form)}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
