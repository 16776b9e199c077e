"""Failure of a command: its message and its exit code."""

import errno
from collections.abc import Sequence
from typing import NamedTuple

import typer
from pydantic import ValidationError
from typer.exceptions import TyperException

from ...models import ReplayMissError, RunStoppedError
from ...prompts import TemplateError, join_words
from ...state import InputError, convert_input_error
from ..display.plain_text import flatten_line, strip_controls
from ..saved import DatabaseRefusedError

EXIT_DONE, EXIT_FAILED, EXIT_REFUSED, EXIT_STOPPED, EXIT_INTERRUPTED = 0, 1, 2, 3, 130


class CommandFailure(NamedTuple):
    """Exit code of a failed command, and one line for stderr.

    `note`: additional text below the line, or empty.
    """

    code: int
    line: str
    note: str = ""


class RunInterruptedError(RuntimeError):
    """Error of a run interrupted by Ctrl-C.

    The message contains the saved run and the command that continues it.
    """


class WaitingForPeopleError(RunStoppedError):
    """Error of a run that waits for people.

    `who`: their names; empty if the run waits for someone to rejoin.
    """

    def __init__(self, names: Sequence[str], message: str = "") -> None:
        super().__init__(message or f"Waiting for {join_words('en', [*names])}")
        self.who = list(names)


def with_continuation(error: Exception, command: str) -> Exception:
    """Return the error of a stopped run, with `command`, which continues the run, in its message.

    The message says "Saved." except for a failed database, which may have lost the run.
    """
    saved = "" if isinstance(error, DatabaseRefusedError) else "Saved. "
    return type(error)(f"{str(error).rstrip('.')}. {saved}Continue: {command}")


def explain_failure(error: Exception) -> CommandFailure:
    """Return the exit code and the line for an exception. Raise it again if it is a defect in Moot."""
    if (code := find_exit_code(error)) is None:
        raise error
    message = error.format_message() if isinstance(error, TyperException) else str(error)
    if isinstance(error, ValidationError):
        message = str(convert_input_error(error))
    if isinstance(error, typer.Abort):
        message = "interrupted"
    if context := getattr(error, "ctx", None):  # a mistake in the words of the command
        message += "" if message.endswith((".", "?")) else "."
        message += f" See `{context.command_path} --help`."
    return CommandFailure(code, flatten_line(message), strip_controls(_get_note(error)))


def describe_defect(error: BaseException) -> str:
    """Return a few words about a defect in Moot. The traceback is in the log."""
    return f"a defect of Moot ({type(error).__name__}); saved data are complete"


def _get_note(error: BaseException | None) -> str:
    differences = error.diff if isinstance(error, ReplayMissError) else ""
    return differences or (_get_note(error.__cause__) if error else "")


def find_exit_code(error: Exception) -> int | None:
    """Return the exit code for an exception, or `None` for a defect in Moot."""
    if isinstance(error, TyperException):
        return error.exit_code
    if isinstance(error, RunInterruptedError | typer.Abort):
        return EXIT_INTERRUPTED
    if isinstance(error, RunStoppedError):
        return EXIT_STOPPED
    if isinstance(error, OSError):
        return EXIT_STOPPED if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO) else EXIT_FAILED
    return EXIT_REFUSED if isinstance(error, InputError | ValidationError | TemplateError) else None
