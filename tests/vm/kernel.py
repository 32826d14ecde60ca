"""Debian's kernels for virtual machines: fetched and unpacked beside the system, never installed."""

import fcntl
import glob
import lzma
import os
import re
import subprocess

# Packages that depend on the newest kernel of their series. The cloud kernels boot fastest.
PACKAGES = {"6.12": "linux-image-6.12-cloud-amd64", "6.1": "linux-image-cloud-amd64"}


class Unavailable(Exception):
    """This machine cannot have that kernel, or nothing that boots it."""


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("JETTISON_VM_CACHE") or os.path.join(base, "jettison-vm")


def _run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unavailable(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def _package_of(series):
    """The package that the series' package stands for: linux-image-6.12.9-cloud-amd64."""
    for line in _run("apt-cache", "depends", PACKAGES[series]).splitlines():
        found = re.match(r"\s*Depends: (linux-image-[0-9]\S*)", line)
        if found:
            return found[1]
    raise Unavailable(f"apt knows no {PACKAGES[series]}: run apt-get update")


class Kernel:
    """An unpacked kernel package."""

    def __init__(self, series):
        self.folder = os.path.join(cache_folder(), series)
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, ".lock"), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self._images():
                self._fetch(series)
        self.image = self._images()[0]

    def _images(self):
        return glob.glob(os.path.join(self.folder, "boot", "vmlinuz-*"))

    def _fetch(self, series):
        package = _package_of(series)
        # apt's own user may not write here.
        _run("apt-get", "-o", "APT::Sandbox::User=root", "download", package, cwd=self.folder)
        archive = glob.glob(os.path.join(self.folder, "*.deb"))[0]
        _run("dpkg", "-x", archive, self.folder)
        os.remove(archive)

    def modules(self, names):
        """(name, content) of these modules and of what they need, in an order to load them in."""
        files = {_name_of(path): path for path in glob.glob(
            os.path.join(self.folder, "lib/modules/**/*.ko*"), recursive=True)}
        ordered = {}

        def add(name):
            if name in ordered or name not in files:  # what is not a file is built in
                return
            content = _content_of(files[name])
            for needed in _depends_of(content):
                add(needed)
            ordered[name] = content

        for name in names:
            add(name.replace("-", "_"))
        return list(ordered.items())


def _name_of(path):
    return os.path.basename(path).split(".ko")[0].replace("-", "_")


def _content_of(path):
    with open(path, "rb") as file:
        content = file.read()
    return lzma.decompress(content) if path.endswith(".xz") else content


def _depends_of(content):
    found = re.search(rb"\0depends=([^\0]*)\0", content)
    return [name.replace("-", "_") for name in found[1].decode().split(",") if name] if found else []
