#!/usr/bin/env python3
"""spdx.py BUILD: writes an SPDX document (2.3, JSON) of what the programs of a build folder are made of.

It reads the build itself (which libraries are linked, which headers were read), dpkg (to which packages they belong), and the lock
file of the dashboard, whose page is built in. A license that is not in LICENSES becomes NOASSERTION, and a test complains.
"""
import collections
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ("jettison", "jettison-shim")

# By source package of Debian, of the parts that are linked.
LICENSES = {
    "abseil": "Apache-2.0",
    "c-ares": "MIT",
    "cli11": "BSD-3-Clause",
    "curl": "curl",
    "fmtlib": "MIT",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "gnutls28": "LGPL-2.1-or-later",
    "grpc": "Apache-2.0",
    "libmicrohttpd": "LGPL-2.1-or-later",
    "libzstd": "BSD-3-Clause",
    "linux": "GPL-2.0-only WITH Linux-syscall-note",
    "nlohmann-json3": "MIT",
    "protobuf": "BSD-3-Clause",
    "re2": "BSD-3-Clause",
    "simdjson": "Apache-2.0",
    "systemd": "LGPL-2.1-or-later",
    "tl-expected": "CC0-1.0",
    "upb": "BSD-3-Clause",
    "xxhash": "BSD-2-Clause",
    "yaml-cpp": "MIT",
    "zlib": "Zlib",
}
HOW = {"static": "STATIC_LINK", "dynamic": "DYNAMIC_LINK", "headers": "CONTAINS"}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def linked(build):
    """Paths of libraries by how they are linked."""
    found = {"static": set(), "dynamic": set()}
    text = (build / "build.ninja").read_text()
    for program in PROGRAMS:
        rule = re.search(rf"^build {program}:.*?\n\n", text, re.MULTILINE | re.DOTALL).group()
        libraries = re.search(r"^  LINK_LIBRARIES = (.*)$", rule, re.MULTILINE)
        for word in (libraries.group(1) if libraries else "").split():
            if word.startswith("/usr/") and re.search(r"\.(a|so[.0-9]*)$", word):
                found["static" if word.endswith(".a") else "dynamic"].add(word)
        flags = re.search(r"^  LINK_FLAGS = (.*)$", rule, re.MULTILINE)
        if flags and "-static" in flags.group(1).split():
            found["static"] |= {run("g++", "-print-file-name=" + name).strip()
                                for name in ("libc.a", "libstdc++.a", "libgcc.a")}
    found["dynamic"] |= {run("g++", "-print-file-name=" + name).strip() for name in ("libc.so", "libstdc++.so")}
    return found


def headers(build):
    """Headers of others that the sources have read, tests apart."""
    paths, wanted = set(), False
    for line in run("ninja", "-C", str(build), "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            name = line.split(":")[0]
            wanted = name.startswith("src/") and "_test" not in name and "/jettison_" in name
        elif wanted and line.strip().startswith("/usr/include/"):
            paths.add(line.strip())
    return paths


def packages_of(paths):
    """(source package, version) of files; those of no package are left out."""
    real = sorted({os.path.realpath(path) for path in paths})
    owners = collections.OrderedDict()
    for begin in range(0, len(real), 500):
        said = subprocess.run(["dpkg", "-S", *real[begin:begin + 500]], capture_output=True, text=True).stdout
        for line in said.splitlines():
            owners[line.split(": ")[0].split(",")[0]] = None
    if not owners:
        return set()
    listed = run("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}\n", *owners)
    return {tuple(line.split()) for line in listed.splitlines()}


def package(name, version, license_, where):
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "licenseConcluded": license_,
        "licenseDeclared": license_,
        "copyrightText": "NOASSERTION",
        "downloadLocation": where,
        "filesAnalyzed": False,
    }


def document(build):
    version = re.search(r"^project\(jettison VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)
    parts = {}  # the closest way counts
    found = linked(build)
    for how, paths in (("static", found["static"]), ("dynamic", found["dynamic"]), ("headers", headers(build))):
        for name, its_version in sorted(packages_of(paths)):
            parts.setdefault(name, (its_version, how))
    packages = [package("jettison", version, "Apache-2.0", "NOASSERTION")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-jettison")]
    for name, (its_version, how) in sorted(parts.items()):
        where = f"https://snapshot.debian.org/package/{name}/{its_version.split(':')[-1]}/"
        packages.append(package(name, its_version, LICENSES.get(name, "NOASSERTION"), where))
        relations.append(("SPDXRef-jettison", HOW[how], packages[-1]["SPDXID"]))
    lock = json.loads((SOURCE / "dashboard/package-lock.json").read_text())
    for path, entry in sorted(lock["packages"].items()):
        if path and not entry.get("dev"):
            name = path.removeprefix("node_modules/")
            packages.append(package(name, entry["version"], entry.get("license", "NOASSERTION"),
                                    f"https://registry.npmjs.org/{name}/-/{name}-{entry['version']}.tgz"))
            relations.append(("SPDXRef-jettison", "CONTAINS", packages[-1]["SPDXID"]))
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    digest = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"jettison-{version}",
        "documentNamespace": f"https://jettison.io/spdx/jettison-{version}-{digest[:32]}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: jettison-spdx.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": a, "relationshipType": how, "relatedSpdxElement": b} for a, how, b in relations],
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n", 1)[0])
    json.dump(document(pathlib.Path(sys.argv[1]).resolve()), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
