"""Renders a chart as Helm does, as far as ours asks for it: `if`, `with` and `end` on lines of their own, and expressions
of paths, texts, numbers, parentheses, pipelines and the functions below. Anything else is an error."""
import json
import pathlib
import re

import objects

CHECKSUM = 'include (print $.Template.BasePath "/configuration.yaml") . | sha256sum'  # more than our expressions can
TOKEN = re.compile(r'\s*("[^"]*"|[()|]|[^\s()|]+)')


def shown(value):
    """A word or a number as a template shows it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    raise ValueError(f"{value} is shown as Go prints it")


def to_yaml(value):
    if isinstance(value, dict) and value:
        return "\n".join(f"{json.dumps(key)}: {json.dumps(member)}" for key, member in value.items())
    return json.dumps(value)


FUNCTIONS = {
    "and": lambda a, b: b if a else a,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "default": lambda otherwise, value: value or otherwise,
    "kindIs": lambda kind, value: kind == ("invalid" if value is None else type(value).__name__),
    "hasPrefix": lambda prefix, text: text.startswith(prefix),
    "dir": lambda path: str(pathlib.PurePosixPath(path).parent),
    "quote": lambda value: json.dumps(shown(value)),
    "replace": lambda old, new, text: text.replace(old, new),
    "indent": lambda spaces, text: "\n".join(" " * spaces + line for line in text.splitlines()),
    "toYaml": to_yaml,
    "fromYaml": lambda text: objects.documents(text)[0],
    "get": lambda value, key: value[key],
}


class Expression:
    def __init__(self, text, dot, functions):
        self.tokens, self.dot, self.functions = TOKEN.findall(text), dot, functions

    def value(self):
        value = self.pipeline()
        if self.tokens:
            raise ValueError(f"not understood: {self.tokens}")
        return value

    def pipeline(self):
        value = self.command([])
        while self.tokens and self.tokens[0] == "|":
            self.tokens.pop(0)
            value = self.command([value])
        return value

    def command(self, piped):
        if self.tokens[0] not in self.functions:
            return self.operand()
        function, arguments = self.functions[self.tokens.pop(0)], []
        while self.tokens and self.tokens[0] not in ("|", ")"):
            arguments.append(self.operand())
        return function(*arguments, *piped)

    def operand(self):
        token = self.tokens.pop(0)
        if token == "(":
            value = self.pipeline()
            assert self.tokens.pop(0) == ")"
            return value
        if token.startswith('"'):
            return token[1:-1]
        if not token.startswith("."):
            return int(token)
        value = self.dot
        for name in filter(None, token.split(".")):
            value = value[name]
        return value


def merged(base, over):
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    return base | {key: merged(base[key], value) if key in base else value for key, value in over.items()}


def released(values="{}", namespace="jettison-system"):
    """Every object of every template of our chart, by name; `values` are YAML, as those of `helm --values`."""
    folder = objects.KUBERNETES / "chart"
    functions = FUNCTIONS | {".Files.Get": lambda name: (folder / name).read_text()}
    root = {"Values": merged(objects.documents((folder / "values.yaml").read_text())[0], objects.documents(values)[0]),
            "Release": {"Namespace": namespace},
            "Chart": {"AppVersion": objects.documents((folder / "Chart.yaml").read_text())[0]["appVersion"]}}

    def filled(expression, dot):
        return "checksum" if expression == CHECKSUM else shown(Expression(expression, dot, functions).value())

    def rendered(text):
        blocks, lines = [(True, root)], []
        for line in text.splitlines():
            is_shown, dot = blocks[-1]
            block = re.fullmatch(r"\{\{- (if|with) (.*) \}\}", line)
            if line == "{{- end }}":
                blocks.pop()
            elif not block:
                if is_shown:
                    lines.append(re.sub(r"\{\{ (.*?) \}\}", lambda found, dot=dot: filled(found[1], dot), line))
            elif not is_shown:
                blocks.append((False, dot))
            else:
                value = Expression(block[2], dot, functions).value()
                blocks.append((bool(value), value if block[1] == "with" else dot))
        assert len(blocks) == 1, "a block without its end"
        return "\n".join(lines)

    templates = sorted((folder / "templates").iterdir())
    return objects.by_name([each for path in templates for each in objects.documents(rendered(path.read_text()))])
