#!/usr/bin/env python3
"""tally.py RESULTS.xml...: sums up test results in JUnit form, as ctest writes them.

Where a test of ctest is a whole program of tests, whose own results GoogleTest has left in
programs/NAME.xml beside the file, those are counted instead.
Prints each test that failed, each skipped one with the reason it gave, then "N passed, N failed, N
skipped". Exit status 1 when a test failed, or when a file cannot be read.
"""
import os
import re
import sys
import xml.etree.ElementTree

# The sanitizers and ctest let bytes through that XML does not allow.
NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")


def testcases(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return xml.etree.ElementTree.fromstring(NOT_XML.sub("", file.read())).iter("testcase")


def cases(path):
    """Yields (name, status, reason) of each test; status is run, skip, fail, notrun or disabled."""
    for case in testcases(path):
        name = case.get("name", "?")
        own = os.path.join(os.path.dirname(path), "programs", name + ".xml")
        if os.path.exists(own):
            yield from cases_of_program(name, own, case.get("status") != "run")
            continue
        # A test that could not be run is "skipped" too; only one that said so itself counts as that.
        skipped = case.find("skipped")
        by_itself = skipped is not None and skipped.get("message", "").startswith("SKIP_")
        status = "skip" if by_itself else case.get("status", "fail")
        yield name, status, reason_of(case.findtext("system-out") or "")


def cases_of_program(program, path, failed):
    """The same of a whole program; one that failed although its tests passed is a case of its own."""
    for case in testcases(path):
        name = case.get("classname", "?") + "." + case.get("name", "?")
        skipped = case.find("skipped")
        if case.find("failure") is not None:
            failed = False
            yield name, "fail", ""
        elif skipped is not None:
            yield name, "skip", " ".join(skipped.get("message", "").split("\n")[1:]).strip() or "no reason given"
        elif case.get("status") == "run":
            yield name, "run", ""
    if failed:
        yield program, "fail", ""


def reason_of(output):
    """What GTEST_SKIP said: the lines after "FILE:LINE: Skipped"."""
    lines = output.splitlines()
    for at, line in enumerate(lines):
        if line.endswith(": Skipped"):
            said = [text.strip() for text in lines[at + 1:] if text.strip() and not text.startswith("[")]
            return " ".join(said) or "no reason given"
    return "no reason given"


def main():
    passed = failed = 0
    skips = []
    for path in sys.argv[1:]:
        try:
            for name, status, reason in cases(path):
                if status == "run":
                    passed += 1
                elif status == "skip":
                    skips.append((name, reason))
                else:
                    failed += 1
                    print(f"failed: {name}")
        except (OSError, xml.etree.ElementTree.ParseError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            failed += 1
    for name, reason in skips:
        print(f"skipped: {name}: {reason}")
    print(f"{passed} passed, {failed} failed, {len(skips)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
