"""Every Python and shell script of the repository parses, those that no fast test runs included."""
import ast
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ".ci", "man", "packaging", "scripts", "tests"


def fault_of(path):
    """What is wrong with a script; None: nothing, or it is no script."""
    text = path.read_bytes()
    first = text.split(b"\n", 1)[0]
    if path.suffix == ".py" or first.startswith(b"#!") and b"python" in first:
        try:
            ast.parse(text, str(path))
        except SyntaxError as error:
            return f"{error.filename}:{error.lineno}: {error.msg}"
    elif first.startswith(b"#!") and first.rstrip().endswith((b"bash", b"/sh", b"sh -e", b"sh -eu")):
        checked = subprocess.run(["bash", "-n", path], capture_output=True, text=True, check=False)
        return checked.stderr.strip() or None
    return None


def main():
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    faults = [fault for path in paths if (fault := fault_of(path))]
    print("\n".join(faults) or f"all scripts among {len(paths)} files parse")
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
