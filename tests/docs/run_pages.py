#!/usr/bin/env python3
"""run_pages.py --build BUILD PAGE...: does what pages of Markdown tell their reader to do, and compares what is printed.

Each page runs in a temporary folder of its own, with the programs of BUILD first on the PATH. The README beside this
file says how a page is written. Exit status 1 when a page and the programs disagree, 77 when a page needs what this
machine does not have.
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import time

import compare
import page
import shell

SKIPPED = 77


def missing_of(needs):
    """What a page needs and this machine does not have: root, or a program."""
    return [need for need in needs if not (os.geteuid() == 0 if need == "root" else shutil.which(need))]


def run_until_it_agrees(step, terminal):
    deadline = time.monotonic() + step.within
    while True:
        status, printed = terminal.run(step.text)
        agrees = compare.agree(step.expected, printed, step.figures_vary) or not step.compared
        if (agrees and status == 0) or time.monotonic() >= deadline:
            return status, printed, agrees
        time.sleep(0.2)


def fault_of(step, terminal):
    """What is wrong with a step, or nothing."""
    if step.file:
        path = terminal.folder / step.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step.text)
        return ""
    status, printed, agrees = run_until_it_agrees(step, terminal)
    if not agrees:
        return compare.difference(step.expected, printed, step.figures_vary)
    return f"exit status {status}\n" + "\n".join(printed) if status else ""


def run_page(path, programs):
    """The faults of a page, as text with the line in front."""
    content, faults = page.read(pathlib.Path(path).read_text()), []
    with tempfile.TemporaryDirectory(prefix="page-") as folder:
        terminal, given_up = shell.Shell(folder, programs, path), False
        for step in content.steps:
            if given_up and not step.clean_up:
                continue
            try:
                fault = fault_of(step, terminal)
            except (shell.Gone, BrokenPipeError) as gone:
                fault, given_up = str(gone), True
                terminal.close()
                terminal = shell.Shell(folder, programs, path)
            if fault:
                faults.append(f"{path}:{step.line}: {step.text if not step.file else step.file}\n{fault}")
        terminal.close()
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, metavar="BUILD", help="the folder that has the programs")
    parser.add_argument("pages", nargs="+", metavar="PAGE")
    options = parser.parse_args()
    programs = pathlib.Path(options.build).resolve()
    status = 0
    for path in options.pages:
        try:
            missing = missing_of(page.read(pathlib.Path(path).read_text()).needs)
            if missing:
                print(f"{path}: Skipped\nthis machine does not have: {', '.join(missing)}")
                status = status or SKIPPED
                continue
            faults = run_page(path, programs)
        except page.PageError as error:
            faults = [f"{path}: {error}"]
        print("\n\n".join(faults) if faults else f"{path}: as it says")
        status = 1 if faults else status
    return status


if __name__ == "__main__":
    sys.exit(main())
