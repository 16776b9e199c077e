"""Reading files through the parsing program, with a time limit for each."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from .parsed import Parsed, Unreadable

SECONDS = 60.0
"""Longest that one file may take."""
LONGEST = 2**28
"""Most bytes of one answer."""
FAILED = "!"
"""What the program's last line begins with when a file brought it down."""


async def read_papers(paths: Iterable[Path], seconds: float = SECONDS) -> AsyncIterator[tuple[Path, Parsed]]:
    """What each file holds, in the order given.

    A file that takes longer than `seconds` or brings the program down is broken for that reason, and the next one
    gets a fresh program.
    """
    program: Process | None = None
    try:
        for path in paths:
            program = program or await _started()
            try:
                answer = await _answer(program, path, seconds)
            except Unreadable as reason:
                answer = Parsed(broken=[str(reason)])
                await _stopped(program)
                program = None
            yield path, answer
    finally:
        if program:
            await _stopped(program)


async def _started() -> Process:
    """The program, run by this Python without the working folder on its path, where other modules may lie."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", __package__, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST
    )


async def _answer(program: Process, path: Path, seconds: float) -> Parsed:
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(json.dumps(str(path.absolute())).encode() + b"\n")
    try:
        line = (await asyncio.wait_for(program.stdout.readline(), seconds)).decode()
    except TimeoutError:
        raise Unreadable(f"took longer than {seconds:g} seconds") from None
    if not line or line.startswith(FAILED):
        await program.wait()
        raise Unreadable(line[len(FAILED) :].strip() or "the parser crashed")
    return Parsed.model_validate_json(line)


async def _stopped(program: Process) -> None:
    if program.returncode is None:
        program.kill()
    await program.wait()
