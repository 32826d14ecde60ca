#!/usr/bin/env python3
"""usage: pages.py PREFIX FOLDER

Writes the pages of docs/ and what they show into FOLDER, as they are installed below PREFIX. A link to what is
not installed becomes plain text, and a path below /usr/local/share/doc/jettison or /usr/local/lib/jettison
one below that prefix.
"""
import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
USUAL = re.compile(r"/usr/local(?=/(share/doc|lib)/jettison)")
LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]+)\)")


def installed():
    """What lies where, below the folder of the pages, by its path in the project."""
    docs = {path: path.relative_to(SOURCE / "docs") for path in (SOURCE / "docs").rglob("*") if path.is_file()}
    packaging = SOURCE / "packaging"
    return docs | {packaging / "README.md": pathlib.Path("packaging.md"),
                   packaging / "prometheus/jettison-alerts.yaml": pathlib.Path("prometheus/jettison-alerts.yaml"),
                   packaging / "grafana/jettison.json": pathlib.Path("grafana/jettison.json"),
                   packaging / "kubernetes/fleet-replay.yaml": pathlib.Path("kubernetes/fleet-replay.yaml")}


def as_installed(page, text, where):
    """The text of a page with links that lead somewhere from its place in `where`."""
    def link(match):
        path, hash_sign, anchor = match[2].partition("#")
        if re.match(r"[a-z]+:", path) or not path:
            return match[0]
        goal = where.get((page.parent / path).resolve())
        if goal is None:
            return match[1]
        return match[0].replace(match[2], os.path.relpath(goal, where[page].parent) + hash_sign + anchor)
    return LINK.sub(link, text)


def write(prefix, folder):
    where = installed()
    for source, place in where.items():
        goal = folder / place
        goal.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = as_installed(source, source.read_text(encoding="utf-8"), where)
            goal.write_text(USUAL.sub(lambda _: prefix, text), encoding="utf-8")
        else:
            goal.write_bytes(source.read_bytes())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(sys.argv[1].rstrip("/"), pathlib.Path(sys.argv[2]))
