"""Files are parsed in a program of their own: one that brings it down or never ends costs only itself."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from moot.papers.parsers import parsing_program as reading
from moot.papers.parsers.parsing_program import read_papers


def outcomes(paths: list[Path], seconds: float = 60) -> list[str]:
    async def read() -> list[str]:
        return [(parsed.faults or [parsed.papers[0].title])[0] async for _, parsed in read_papers(paths, seconds)]

    return asyncio.run(read())


@pytest.mark.long
def test_a_file_whose_parsing_never_ends_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# Fine")
    began, program = tmp_path / "began", tmp_path / "program"
    program.write_text(f'#!/bin/sh\n[ -e {began} ] && exec {sys.executable} "$@"\ntouch {began}\nexec sleep 1000\n')
    program.chmod(0o700)
    monkeypatch.setattr(reading.sys, "executable", str(program))
    assert outcomes([tmp_path / "a.md", tmp_path / "b.md"], seconds=6) == ["took longer than 6 seconds", "Fine"]


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ("1 / 0", "the parser failed: ZeroDivisionError: division by zero"),
        ("bytearray(2**40)", "needs too much memory"),
    ],
)
def test_the_parsing_program_says_what_brought_it_down(fault: str, word: str) -> None:
    program = "import moot.papers.parsers.__main__ as program; "
    program += f"program.parse_file = lambda path: {fault}; program.main()"
    ran = subprocess.run([sys.executable, "-c", program], input='"a.md"\n"b.md"\n', capture_output=True, text=True)
    assert ran.stdout.splitlines() == [f"!{word}"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [("exit 1", "the parser crashed"), ("read path; echo '!needs too much memory'", "needs too much memory")],
)
def test_each_file_gets_a_fresh_program_after_one_brought_it_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str
) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setattr(reading.sys, "executable", str(program))
    assert outcomes([tmp_path / "a.md", tmp_path / "b.md"]) == [reason] * 2
