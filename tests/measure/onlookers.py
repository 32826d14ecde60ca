"""What a hundred requests a second cost the agent: the time of its passes."""
import itertools
import re
import statistics
import threading
import time

from host import ask

PATHS = ("/metrics", "/stats/summary", "/api/v1/explain")
REQUESTS_PER_S = 100
PASS_SUM = re.compile(r'^jettison_pass_duration_seconds_(sum|count)\{kind="full"\} ([0-9.e+-]+)$', re.MULTILINE)


def full_passes(path_of_socket):
    """Seconds in all full passes so far, and their number."""
    found = dict(PASS_SUM.findall(ask(path_of_socket, "/metrics")))
    return float(found["sum"]), int(float(found["count"]))


def ask_until(path_of_socket, stop, times):
    began = time.monotonic()
    for number, path in enumerate(itertools.cycle(PATHS)):
        if stop.wait(max(0.0, began + number / REQUESTS_PER_S - time.monotonic())):
            return
        asked = time.monotonic()
        ask(path_of_socket, path)
        times.setdefault(path, []).append(time.monotonic() - asked)


def pass_ms(path_of_socket, seconds, times):
    """Mean milliseconds of a full pass within `seconds`, with requests all the time if `times` is a dict."""
    stop = threading.Event()
    asker = threading.Thread(target=ask_until, args=(path_of_socket, stop, times)) if times is not None else None
    if asker:
        asker.start()
    before = full_passes(path_of_socket)
    time.sleep(seconds)
    after = full_passes(path_of_socket)
    stop.set()
    if asker:
        asker.join()
    return 1000 * (after[0] - before[0]) / (after[1] - before[1])


def compare(path_of_socket, rounds=5, seconds=4.0):
    """Alternately without and with requests: medians of the pass, and of each path's answer, in milliseconds."""
    alone, asked, times = [], [], {}
    for _ in range(rounds):
        alone.append(pass_ms(path_of_socket, seconds, None))
        asked.append(pass_ms(path_of_socket, seconds, times))
    answers = {path: 1000 * statistics.median(taken) for path, taken in times.items()}
    return statistics.median(alone), statistics.median(asked), answers
