"""A page of Markdown as steps: what a reader does with it, and what it says that they will see."""
import dataclasses
import re

FENCE = re.compile(r"^```(\w*)\s*$")
COMMENT = re.compile(r"^<!-- (.*) -->$")
REMARKS = ("file: ", "before: ", "needs: ", "not run: ", "figures vary", "within ", "clean up")


class PageError(Exception):
    pass


@dataclasses.dataclass
class Step:
    """One command, or one file to be written (`file`, then `text` is its content)."""
    line: int
    text: str
    file: str = ""
    expected: list = dataclasses.field(default_factory=list)
    compared: bool = True  # whether what it prints is compared
    figures_vary: bool = False
    within: float = 0  # seconds in which the output has to come about; 0: at once
    clean_up: bool = False  # run even after a page had to be given up


@dataclasses.dataclass
class Page:
    needs: list
    steps: list


def commands_of(lines, first_line):
    """(line, command, output) of a console block."""
    found = []
    for number, line in enumerate(lines, first_line):
        if line.startswith("$ "):
            found.append((number, [line[2:]], []))
        elif not found:
            raise PageError(f"line {number}: output before the first command of a block")
        elif line.startswith("> ") and not found[-1][2]:
            found[-1][1].append(line[2:])
        else:
            found[-1][2].append(line)
    return [(number, "\n".join(command), output) for number, command, output in found]


def steps_of_block(language, lines, line, remarks):
    """The steps of a fenced block whose content begins at `line`."""
    said = {kind: rest for remark in remarks for kind in REMARKS if remark.startswith(kind)
            for rest in [remark[len(kind):]]}
    if "file: " in said:
        return [Step(line, "\n".join(lines) + "\n", file=said["file: "])]
    if "not run: " in said:
        return []
    if language != "console":
        if any(text.startswith("$ ") for text in lines):
            raise PageError(f"line {line}: a block with commands that is neither console nor marked as not run")
        return []
    within = float(said["within "].removesuffix(" s")) if "within " in said else 0
    return [Step(number, command, expected=output, figures_vary="figures vary" in said, within=within,
                 clean_up="clean up" in said)
            for number, command, output in commands_of(lines, line)]


def read(text):
    """The Page in a text. Raises PageError where the text is not in the form that the README describes."""
    page, remarks, block = Page([], []), [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence, comment = FENCE.match(line), COMMENT.match(line)
        if block is not None:
            if line.rstrip() == "```":
                page.steps += steps_of_block(block[0], block[2], block[1], remarks)
                block, remarks = None, []
            else:
                block[2].append(line)
        elif fence:
            block = (fence.group(1), number + 1, [])
        elif comment:
            remark = comment.group(1)
            if not remark.startswith(REMARKS):
                raise PageError(f"line {number}: a remark that nobody understands: {remark}")
            if remark.startswith("needs: "):
                page.needs += remark[len("needs: "):].split()
            elif remark.startswith("before: "):
                page.steps.append(Step(number, remark[len("before: "):], compared=False))
            else:
                remarks.append(remark)
        elif line.strip() and remarks:
            raise PageError(f"line {number}: a remark has to stand right before its block")
    if block is not None:
        raise PageError(f"line {block[1]}: a block without an end")
    return page
