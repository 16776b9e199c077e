"""Reading of files by the separate parsing program, with a time limit for each file."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from .paper_fields import ParseResult, UnreadableFileError

FAILURE_MARK = "!"
"""Prefix of the last line of a program that failed on a file."""


async def read_papers(paths: Iterable[Path], seconds: float = 60.0) -> AsyncIterator[tuple[Path, ParseResult]]:
    """Read files in order. Yield each path with the contents of its file.

    A file that takes longer than `seconds` or crashes the program counts as broken. The next file gets a new program.
    """
    program: Process | None = None
    try:
        for path in paths:
            # With this Python; modules in the working folder are not importable there.
            # The result of one file has at most `limit` bytes.
            command = [sys.executable, "-P", "-m", str(__package__)]
            program = program or await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=2**28
            )
            try:
                result = await _parse_path(program, path, seconds)
            except UnreadableFileError as error:
                result = ParseResult(faults=[str(error)])
                await _end_program(program)
                program = None
            yield path, result
    finally:
        if program:
            await _end_program(program)


async def _parse_path(program: Process, path: Path, seconds: float) -> ParseResult:
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(json.dumps(str(path.absolute())).encode() + b"\n")
    try:
        line = (await asyncio.wait_for(program.stdout.readline(), seconds)).decode()
    except TimeoutError:
        raise UnreadableFileError(f"took longer than {seconds:g} seconds") from None
    if not line or line.startswith(FAILURE_MARK):
        await program.wait()
        raise UnreadableFileError(line[len(FAILURE_MARK) :].strip() or "the parser crashed")
    return ParseResult.model_validate_json(line)


async def _end_program(program: Process) -> None:
    if program.returncode is None:
        program.kill()
    await program.wait()
