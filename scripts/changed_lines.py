#!/usr/bin/env python3
"""usage: changed_lines.py REVISION [MOST]

Prints each source (*.cc) that has lines of code that differ from where HEAD left REVISION, in itself or in the header
beside it, and after it these lines as --line-filter of clang-tidy takes them; both end with a NUL. Uncommitted and new
files are included. Lines that are comments or blank do not count. With MOST only so many are printed, those with the
most lines first; how many are left out is said on standard error.
"""
import json
import os
import re
import subprocess
import sys

HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,\d+)? @@")


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def code_lines(diff):
    """The numbers of added lines of code, by file."""
    lines, name, at = {}, None, 0
    for line in diff.splitlines():
        if line.startswith("+++ b/"):
            name = line[6:]
        elif hunk := HUNK.match(line):
            at = int(hunk[1])
        elif line.startswith("+") and name:
            if not re.match(r"\+\s*(//.*)?$", line):
                lines.setdefault(name, []).append(at)
            at += 1
    return lines


def new_files():
    names = git("ls-files", "--others", "--exclude-standard", "-z", "--", "*.cc", "*.h").split("\0")
    return {name: [1, 999_999] for name in names if name}


def ranges(numbers):
    """[[first, last], ...] of ascending numbers; a new file is one range."""
    if numbers == [1, 999_999]:
        return [numbers]
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    lines = code_lines(git("diff", "--merge-base", "--unified=0", "--diff-filter=d", sys.argv[1], "--", "*.cc", "*.h")) | new_files()
    sources = {}
    for name, numbers in lines.items():
        source = re.sub(r"\.h$", ".cc", name)
        if os.path.exists(source):
            sources.setdefault(source, []).append({"name": name, "lines": ranges(numbers)})
    order = sorted(sources, key=lambda source: (-sum(len(lines[each["name"]]) for each in sources[source]), source))
    most = int(sys.argv[2]) if len(sys.argv) == 3 else len(order)
    for source in order[:most]:
        sys.stdout.write(f"{source}\0{json.dumps(sources[source])}\0")
    if len(order) > most:
        print(f"{len(order) - most} of {len(order)} changed sources, those with the fewest changes, are left out", file=sys.stderr)


if __name__ == "__main__":
    main()
