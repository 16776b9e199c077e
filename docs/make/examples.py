"""Examples in the pages: `python docs/make/examples.py` runs them and writes what they print.

The blocks of a page run in order, in a folder and with saved runs of their own:

- `sh`: lines that begin with `moot` are run, and `make` targets must exist. `bash` is for what needs a key, a server or
  a person at a terminal: only the commands and options of its `moot` lines are checked.
- `python`: the block is run, and can import the files of the page.
- `text` after one of these contains what it printed. A note above the block selects lines:
  `<!-- first 4, last 9 lines -->` puts `[…]` between them, `<!-- 9 lines from [6] CON -->` begins at a line. Output
  of a command is broken as on a terminal.
- With `<!-- refused -->` above, the commands of a `sh` block must end with exit code 2.
- With `<!-- file NAME -->` above, a block is a file of that name.

The name of a saved run follows from the command that begins it, so a page may use the name further down.
"""

import io
import os
import random
import re
import shlex
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from moot.app.main import app
from moot.app.saved import runs
from typer.main import get_command
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"(?:^<!-- (?P<note>[^\n]*?) -->\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
CUT = re.compile(r"first (\d+)(?:, last (\d+))? lines")
EXCERPT = re.compile(r"(\d+) lines from (.+)")
WIDTH = 100
"""Columns of the terminal whose lines are shown."""
PASSING = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?|\b\d+(\.\d+)? ?m?s\b")
"""What differs from one time to the next: moments and durations."""


class Block(NamedTuple):
    """Fenced block of a page: its position, its language, its text, and the note above it."""

    start: int
    end: int
    kind: str
    text: str
    note: str


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    return [
        Block(*match.span("text"), match["kind"], match["text"], match["note"] or "") for match in BLOCK.finditer(page)
    ]


def commands(block: Block) -> list[list[str]]:
    """Return the shell commands in a block, each as a list of words.

    Comments, and the programs that a command is piped into, are left out.
    """
    lines = [re.split(r" [|&]", line)[0] for line in block.text.replace("\\\n", " ").splitlines()]
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def written(page: str, place: Path) -> str:
    """Return the page with the current outputs of its examples, which run in the folder `place`.

    Raises `AssertionError` for an example that cannot be run.
    """
    text, at, printed = "", 0, ""
    with _surroundings(place):
        for block in blocks(page):
            printed, shown = _block(block, place, printed)
            text += page[at : block.start] + shown
            at = block.end
    return text + page[at:]


def lasting(page: str) -> str:
    """Return the page without the parts that differ between runs, such as times."""
    return PASSING.sub("…", page)


@contextmanager
def _surroundings(place: Path) -> Iterator[None]:
    env = {"MOOT_DB": str(place / "moot.db"), "XDG_DATA_HOME": str(place / "data"), "COLUMNS": str(WIDTH)}
    (place / "examples").symlink_to(ROOT / "examples")
    before = set(sys.modules)
    with patch.dict(os.environ, env), patch.multiple(sys, argv=["moot"], path=[str(place), *sys.path]), chdir(place):
        yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(place)):
            del sys.modules[name]


def _block(block: Block, place: Path, printed: str) -> tuple[str, str]:
    """Run a block or fill it in. Return what it printed, and its new text.

    `printed`: output of the block before it.
    """
    match block.note.split(" ", 1), block.kind:
        case ["file", name], _:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(block.text, "utf-8")
        case _, "sh":
            code = 2 if block.note == "refused" else 0
            return _wrapped("".join(_run(words, code) for words in commands(block))), block.text
        case _, "bash":
            for words in commands(block):
                _read(words)
        case _, "python":
            return _python(block.text), block.text
        case _, "text" if printed:
            return "", _cut(printed, block.note)
    return "", block.text


def _run(words: list[str], code: int) -> str:
    """Run a command and return its output, with standard error.

    Only `moot` is run. Raises `AssertionError` unless its exit code is `code`.
    """
    if words[0] != "moot":
        _read(words)
        return ""
    with patch.object(runs, "secrets", random.Random(" ".join(words))):
        state = CliRunner().invoke(app, words[1:], prog_name="moot", catch_exceptions=False)
    assert state.exit_code == code, f"{shlex.join(words)} ended with {state.exit_code}: {state.output}"
    return re.sub(r" +$", "", state.output, flags=re.MULTILINE)


def _read(words: list[str]) -> None:
    """Check a command without running it: its name, options and `make` targets must exist.

    Raises `AssertionError` otherwise.
    """
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert {word for word in words[1:] if "=" not in word} <= set(targets), shlex.join(words)
    command, left = get_command(app), words[1:] if words[0] == "moot" else []
    while left:
        context: Any = command.make_context("moot", left)
        resolve = getattr(command, "resolve_command", None)
        _, command, left = resolve(context, [*context._protected_args, *context.args]) if resolve else (0, command, [])


def _python(text: str) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings(action="ignore"):  # of a rehearsal nobody asked for
        exec(compile(text, "example", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


def _wrapped(printed: str) -> str:
    """Return an output with its lines broken at a terminal's width. Lines of a table stay whole."""
    return "\n".join(
        "\n".join(textwrap.wrap(line, WIDTH)) if len(line) > WIDTH and not re.search(r"\S  |\t", line) else line
        for line in printed.splitlines()
    )


def _cut(printed: str, note: str) -> str:
    """Return the lines of an output that the note of a block asks for."""
    lines = printed.strip("\n").splitlines()
    if excerpt := EXCERPT.fullmatch(note):
        start = next(number for number, line in enumerate(lines) if line.startswith(excerpt[2]))
        return "\n".join(lines[start : start + int(excerpt[1])]) + "\n"
    if match := CUT.fullmatch(note):
        first, last = int(match[1]), len(lines) - int(match[2] or 0)
        lines = [*lines[:first], "[…]", *lines[last:]] if last > first + 1 else lines
    return "\n".join(lines) + "\n"


def main(pages: list[Path]) -> None:
    """Run the examples of these pages, and write their outputs into the pages."""
    for page in pages:
        text = page.read_text("utf-8")
        with tempfile.TemporaryDirectory() as place:
            new = written(text, Path(place))
        if lasting(new) != lasting(text):
            page.write_text(new, "utf-8")
            print(f"{page.name}: written anew")


if __name__ == "__main__":
    main([Path(name).resolve() for name in sys.argv[1:]] or PAGES)
