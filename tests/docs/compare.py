"""Whether a command printed what its page says."""
import difflib
import re

FIGURE = r"(?:\d[\d.:]*(?:[hm](?=\d))?)+(?: ?(?:[KMGT]i?B?|B|ms|us|s|min|m|h|d)\b)?"
TOKEN = re.compile(rf"(?P<any>\.\.\.)|(?P<figure>{FIGURE})|(?P<blanks> +)")


def pattern_of_line(line, figures_vary):
    """A regular expression for one line: `...` is any text, and a figure any figure where they vary."""
    pattern, end = "", 0
    for token in TOKEN.finditer(line):
        pattern += re.escape(line[end:token.start()])
        end = token.end()
        if token["any"]:
            pattern += ".*"
        elif not figures_vary:
            pattern += re.escape(token[0])
        else:
            pattern += FIGURE if token["figure"] else " +"
    return pattern + re.escape(line[end:])


def agree(expected, printed, figures_vary=False):
    """A line `...` stands for any number of lines."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else pattern_of_line(line, figures_vary) + r" *\n"
                      for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def difference(expected, printed, figures_vary=False):
    """The two as a diff, in which lines that agree are the page's."""
    patterns = [(re.compile(pattern_of_line(line, figures_vary) + " *"), line)
                for line in expected if line.strip() != "..."]
    shown = [next((line for pattern, line in patterns if pattern.fullmatch(text)), text) for text in printed]
    return "\n".join(difflib.unified_diff(expected, shown, "the page", "printed", lineterm="", n=2))
