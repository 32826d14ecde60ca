#!/usr/bin/env python3
"""pages.py PROGRAM OUT: writes the man pages jettison.1, jettison.yaml.5 and jettison.8 into the folder OUT.

jettison.1: the commands and their options are what PROGRAM says with --help, put in the place of the line
.\\" COMMANDS in jettison.1.in. jettison.yaml.5: docs/configuration.md between jettison.yaml.5.in's first lines and
its last. jettison.8 is jettison.8.in. @VERSION@ is what PROGRAM says with --version.
"""
import itertools
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MARK = re.compile(r"^\.\\\" (COMMANDS|CONFIGURATION)$", re.MULTILINE)


def roff(text):
    """Plain text, safe anywhere in a line."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)


def line(text):
    """A text line; it is no request, whatever it begins with."""
    return ("\\&" if text[:1] in (".", "'") else "") + text


def example(lines):
    return [".PP", ".RS 4", ".EX", *(line(roff(text)) for text in lines), ".EE", ".RE"]


# --- jettison.1, from --help ------------------------------------------------------------------------------------------

def ask(program, *arguments):
    result = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            check=True, timeout=60)
    return result.stdout.rstrip("\n")


def blocks_of(text):
    """The parts between blank lines, each a list of lines."""
    return [block.split("\n") for block in re.split(r"\n\s*\n", text) if block.strip()]


def entries_of(lines):
    """Entries of a list of options: (what is written, what it means)."""
    entries = []
    for text in lines:
        found = re.match(r"^  (\S.*?)(?:\s{2,}(\S.*))?$", text)
        if found and len(found[1]) + 2 < 30 and text[2] != " ":
            entries.append([found[1].strip(), (found[2] or "").strip()])
        elif found and text[2] != " ":
            entries.append([text.strip(), ""])
        elif entries:
            entries[-1][1] = (entries[-1][1] + " " + text.strip()).strip()
    return entries


def option_head(text):
    """'-h,--help' or '--output TEXT:{text,json}=text REQUIRED' in the form of a man page."""
    names, _, rest = text.partition(" ")
    rest = rest.replace("REQUIRED", "").strip()
    head = ", ".join(f"\\fB{roff(name)}\\fR" for name in names.split(","))
    choices = re.search(r"\{([^}]*)\}", rest)
    if choices:
        value = choices[1].replace(",", "|")
        return f"{head} {roff(value)}"
    value = re.split(r"[ :=\[(]", rest)[0]
    return f"{head} \\fI{roff(value)}\\fR" if value else head


def default_of(text):
    found = re.search(r"(?:=|\[)([^\]=]+)\]?\s*(?:REQUIRED)?(?:\s*\.\.\.)?$", text.partition(" ")[2])
    return found[1].strip() if found and "{" not in found[1] and "Env" not in found[1] else ""


def variable_of(text):
    found = re.search(r"\(Env:(\w+)\)", text)
    return found[1] if found else ""


def option_lines(entries):
    lines = []
    for head, meaning in entries:
        notes = []
        default = default_of(re.sub(r"\(Env:\w+\)", "", head))
        if "REQUIRED" in head:
            notes.append("required")
        if default:
            notes.append(f"default {default}")
        if variable_of(head):
            notes.append(f"or from {variable_of(head)}")
        if notes:
            meaning += f" ({', '.join(notes)})"
        lines += [".TP", option_head(re.sub(r"\(Env:\w+\)", "", head).strip()), line(roff(meaning.strip()))]
    return lines


def is_list(block):
    """Whether the block lists options or arguments, its title in front."""
    if not re.match(r"^\S.*:$", block[0]) or len(block) < 2:
        return False
    return block[0] == "Positionals:" or re.match(r"^  -", block[1])


def footer_lines(block):
    """Text, and what is indented in it as it stands."""
    lines, begin = [], [".PP"]
    for indented, part in itertools.groupby(block, lambda text: text.startswith("  ")):
        texts = list(part)
        if indented:
            lines += example([text.removeprefix("  ") for text in texts])
        else:
            lines += begin + [line(roff(text)) for text in texts]
    return lines


def command_lines(program, name, shared):
    """What --help says of a command. Options in a group of their own are put into `shared`, by the group's title."""
    lines, groups = [], []
    for block in blocks_of(ask(program, name, "--help")):
        usage = next((i for i, text in enumerate(block) if text.startswith("Usage:")), None)
        if usage is not None:
            bold, bracket, rest = block[usage].removeprefix("Usage:").strip().partition(" [")
            about = " ".join(block[:usage]).strip().rstrip(".") + "."
            lines += [f".SS {name}", f"\\fB{roff(bold)}\\fR{roff(bracket + rest)}", ".PP", line(roff(about))]
        elif is_list(block):
            title, entries = block[0].rstrip(":"), entries_of(block[1:])
            if title in ("Options", "Positionals"):
                lines += option_lines([entry for entry in entries if entry[0] != "-h,--help"])
            else:
                shared.setdefault(title, option_lines(entries))
                groups.append(title)
        else:
            lines += footer_lines(block)
    for title in groups:
        lines += [".PP", f"Also the options under {title.upper()}."]
    return lines


def commands_of(program):
    """The names of all commands that are shown."""
    for block in blocks_of(ask(program, "--help")):
        if block[0] == "Subcommands:":
            return [head for head, _ in entries_of(block[1:])]
    raise SystemExit(f"{program} --help names no commands")


def commands(program):
    shared = {}
    lines = [text for name in commands_of(program) for text in command_lines(program, name, shared)]
    for title, options in shared.items():
        lines += [f".SH {title.upper()}", *options]
    return "\n".join(lines)


# --- jettison.yaml.5, from docs/configuration.md ----------------------------------------------------------------------

def inline(text):
    """Links become their text, `code` and **strong** bold."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    pieces = re.split(r"(`[^`]+`|\*\*[^*]+\*\*)", text)
    return "".join(f"\\fB{roff(piece[1:-1] if piece[0] == '`' else piece[2:-2])}\\fR" if i % 2 else roff(piece)
                   for i, piece in enumerate(pieces))


def table_lines(rows):
    lines = []
    for row in rows[2:]:  # behind the header and its rule
        cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
        default = f"Default: {inline(cells[1])}. " if len(cells) > 2 else ""
        lines += [".TP", line(inline(cells[0])), line(default + inline(cells[-1]))]
    return lines


def markdown_lines(text):
    lines, rest = [], text.split("\n")
    while rest:
        first = rest.pop(0)
        block = [first]
        if first.startswith("```"):
            while rest and not rest[0].startswith("```"):
                block.append(rest.pop(0))
            rest.pop(0)
            lines += example(block[1:])
        elif first.startswith("<!-- "):
            continue  # a remark to who runs the page
        elif first.startswith("|"):
            while rest and rest[0].startswith("|"):
                block.append(rest.pop(0))
            lines += table_lines(block)
        elif first.startswith("#"):
            level, _, title = first.partition(" ")
            lines.append(f".SH {title.upper()}" if level == "##" else f".SS {title}")
        elif first.strip():
            while rest and rest[0].strip() and not re.match(r"^(- |\||#|```)", rest[0]):
                block.append(rest.pop(0))
            is_item = first.startswith("- ")
            words = " ".join(part.strip() for part in block).removeprefix("- ")
            begin = [".IP \\(bu 2"] if is_item else [".PP"]
            if lines and lines[-1].startswith((".SH", ".SS")):
                begin = begin if is_item else []
            lines += [*begin, line(inline(words))]
    return lines


def configuration():
    page = (HERE.parent / "docs" / "configuration.md").read_text(encoding="utf-8")
    _, _, body = page.partition("\n")  # the title has a section of its own
    return "\n".join([".SH DESCRIPTION", *markdown_lines(body.strip())])


def main():
    if len(sys.argv) != 3:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    program, out = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    version = ask(program, "--version")
    out.mkdir(parents=True, exist_ok=True)
    made = {"COMMANDS": lambda: commands(program), "CONFIGURATION": configuration}
    for source in sorted(HERE.glob("*.in")):
        text = source.read_text(encoding="utf-8").replace("@VERSION@", version)
        text = MARK.sub(lambda found: made[found[1]](), text)
        text = re.sub(r"^(\.S[HS] .*\n)\.PP\n", r"\1", text, flags=re.MULTILINE)
        (out / source.stem).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
