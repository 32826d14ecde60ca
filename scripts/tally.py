#!/usr/bin/env python3
"""tally.py RESULTS.xml...: sums up test results in JUnit form, as ctest writes them.

Prints each test that failed, each skipped one with the reason it gave, then "N passed, N failed, N
skipped". Exit status 1 when a test failed, or when a file cannot be read.
"""
import re
import sys
import xml.etree.ElementTree

# The sanitizers and ctest let bytes through that XML does not allow.
NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")


def cases(path):
    """Yields (name, status, output) of each test; status is run, skip, fail, notrun or disabled."""
    with open(path, encoding="utf-8", errors="replace") as file:
        suite = xml.etree.ElementTree.fromstring(NOT_XML.sub("", file.read()))
    for case in suite.iter("testcase"):
        # A test that could not be run is "skipped" too; only one that said so itself counts as that.
        skipped = case.find("skipped")
        by_itself = skipped is not None and skipped.get("message", "").startswith("SKIP_")
        status = "skip" if by_itself else case.get("status", "fail")
        yield case.get("name", "?"), status, case.findtext("system-out") or ""


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
            for name, status, output in cases(path):
                if status == "run":
                    passed += 1
                elif status == "skip":
                    skips.append((name, reason_of(output)))
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
