"""A shell in which the commands of a page run one after the other."""
import os
import pathlib
import select
import signal
import subprocess
import time

MARK = "--end-of-a-command--"


class Gone(Exception):
    """The shell ended, or a command of it took too long."""


class Shell:
    def __init__(self, folder, programs, page):
        self.folder = pathlib.Path(folder)
        environment = {
            "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
            "COLUMNS": "80", "TERM": "dumb", "TZ": "UTC", "PAGE_FOLDER": str(pathlib.Path(page).resolve().parent)}
        self.process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, command, seconds=120):
        """(exit status, lines printed) of a command. What goes on behind it should write to a file."""
        script = self.folder / ".command"
        script.write_text(command + "\n")
        self.process.stdin.write(f". ./.command </dev/null; printf '\\n{MARK} %d\\n' $?\n".replace(
            "./.command", str(script)).encode())
        self.process.stdin.flush()
        text, deadline = b"", time.monotonic() + seconds
        while not (text.endswith(b"\n") and f"\n{MARK} ".encode() in text):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            text += piece
            if not piece:
                why = "the shell has ended" if ready else f"no end within {seconds} s"
                raise Gone(f"{why}; until then it printed:\n{text.decode(errors='replace')}")
        printed, _, status = text.decode(errors="replace").rpartition(f"\n{MARK} ")
        return int(status), printed.splitlines()

    def close(self):
        """Ends the shell and whatever it left running, which has ten seconds for it."""
        self.process.stdin.close()
        group = self.process.pid
        for number, seconds in ((signal.SIGTERM, 10), (signal.SIGKILL, 1)):
            try:
                os.killpg(group, number)
            except ProcessLookupError:
                break
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline and self._lives(group):
                time.sleep(0.05)
        self.process.wait()
        self.process.stdout.close()

    def _lives(self, group):
        self.process.poll()
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        return True
