#!/usr/bin/env python3
"""usage: scripts/record-demo.py [BUILD_DIR [FILE]]

Records `jettison demo` of a build (build/release by default) and draws it as an animated picture
(docs/demo.svg by default). Needs root, and the Debian packages asciinema, python3-pyte and npm: svg-term-cli,
which draws the picture, is fetched from the npm registry. Takes about a minute and a half.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import pyte

COLUMNS, LINES = 104, 34
BEGIN = 5.5  # seconds that are left out: the pods start
EVERY = 1.5  # seconds from one picture to the next: the file grows with their number
HOLD = 5.0  # seconds for which the last one stands
DRAW = "svg-term-cli@2.1.1"
FOREGROUND = {"black": 30, "red": 31, "green": 32, "brown": 33, "blue": 34, "magenta": 35, "cyan": 36, "white": 37}


def record(program, cast):
    """The output of the demo, with times; its exit status is asciinema's."""
    # The shell stays, so that the demo runs as a user runs it.
    subprocess.run(["asciinema", "rec", "--quiet", "--overwrite", "--cols", str(COLUMNS), "--rows", str(LINES),
                    "--command", f"'{program}' demo || echo 'the demo failed'", cast],
                   stdin=subprocess.DEVNULL, check=True)


def picture(screen):
    """A screen as text that draws it anew from an empty one."""
    rows = []
    for y in range(LINES):
        row, before = "", None
        for x in range(COLUMNS):
            cell = screen.buffer[y][x]
            style = (cell.bold, FOREGROUND.get(cell.fg))
            if style != before:
                row += "\x1b[0" + (";1" if cell.bold else "") + (f";{style[1]}" if style[1] else "") + "m"
                before = style
            row += cell.data
        rows.append(row.rstrip() + "\x1b[0m")
    return "\x1b[H\x1b[2J" + "\r\n".join(rows)


def thin_out(lines):
    """The recording with one picture every EVERY seconds, and none that shows nothing new."""
    header, *events = map(json.loads, lines)
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.Stream(screen)
    # Whoever shows no animation shows the first picture, so it begins with one that holds something.
    kept, shown, due = [], picture(screen), BEGIN
    for at, kind, text in events:
        if kind != "o":
            continue
        if at >= due and (now := picture(screen)) != shown:
            kept.append([at - BEGIN, "o", now])
            shown, due = now, at + EVERY
        stream.feed(text)
    end = events[-1][0] - BEGIN
    kept += [[end, "o", picture(screen)], [end + HOLD, "o", ""]]
    return [header, *kept]


def main():
    if len(sys.argv) > 3 or "--help" in sys.argv:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
    target = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "docs/demo.svg").resolve()
    with tempfile.TemporaryDirectory() as folder:
        cast = pathlib.Path(folder, "demo.cast")
        record(build / "jettison", str(cast))
        text = cast.read_text(encoding="utf-8")
        if "the demo failed" in text:
            sys.exit("the demo failed; nothing was drawn")
        cast.write_text("\n".join(map(json.dumps, thin_out(text.splitlines()))), encoding="utf-8")
        subprocess.run(["npx", "--yes", DRAW, "--in", str(cast), "--out", str(target), "--window", "--no-cursor"],
                       cwd=folder, check=True)
    print(f"{target}: {target.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
