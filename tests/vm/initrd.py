"""An initial file system for a virtual machine, as the archive that Linux unpacks (cpio, newc)."""

import os
import re
import shutil
import stat
import subprocess
import tempfile


# Folders that are links to those of the same names in /usr, as on Debian: whoever gives a container
# the machine's /usr gives it all programs and libraries.
MERGED = ("bin", "lib", "lib64", "sbin")


class Initrd:
    """Collects folders and files, then writes them out."""

    def __init__(self):
        self._entries = {}  # path -> (mode, content)
        for name in MERGED:
            self.folder(name)
            self._entries[name] = (stat.S_IFLNK | 0o777, f"usr/{name}".encode())

    def folder(self, path):
        path = _without_links(path)
        if path and path not in self._entries:
            self.folder(os.path.dirname(path))
            self._entries[path] = (stat.S_IFDIR | 0o755, b"")

    def put(self, path, content, mode=0o755):
        path = _without_links(path)
        self.folder(os.path.dirname(path))
        self._entries[path] = (stat.S_IFREG | mode, content)

    def put_file(self, source, path):
        """A file of the host, without its debugging symbols where it is a program, with the
        libraries that it needs."""
        with open(source, "rb") as file:
            content = file.read()
        if content.startswith(b"\x7fELF"):
            if b".debug_info" in content:
                content = _stripped(source)
            for library in _libraries_of(source):
                with open(library, "rb") as file:
                    self.put(library, file.read())
        self.put(path, content)

    def write(self, file):
        for number, (path, (mode, content)) in enumerate(self._entries.items(), start=1):
            _write_entry(file, number, path, mode, content)
        _write_entry(file, 0, "TRAILER!!!", 0, b"")


def _without_links(path):
    path = path.strip("/")
    return f"usr/{path}" if path.split("/")[0] in MERGED else path


def _write_entry(file, number, path, mode, content):
    name = path.encode() + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = [number, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(name), 0]
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name
    file.write(head + b"\0" * (-len(head) % 4) + content + b"\0" * (-len(content) % 4))


def _stripped(program):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "stripped")
        strip = shutil.which("strip")
        done = strip and subprocess.run([strip, "--strip-debug", "-o", out, program], check=False)
        with open(out if done and done.returncode == 0 else program, "rb") as file:
            return file.read()


def _libraries_of(program):
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return re.findall(r"(/\S+) \(0x", listed)
