"""What a command says when it cannot do its work, and the exit code that goes with it."""

import errno
from collections.abc import Sequence
from typing import NamedTuple

import typer
from pydantic import ValidationError
from typer.exceptions import TyperException

from ..nodes.models.failures import Stopped
from ..nodes.models.recording import NotRecorded
from ..prompts import TemplateFault
from ..state.refused import Refused, refused_input
from .display.plain import one_line, plain

DONE, FAILED, REFUSED, STOPPED, INTERRUPTED = 0, 1, 2, 3, 130


class Failure(NamedTuple):
    """An exit code and the one line for stderr. `note`: what is shown under it; empty: nothing."""

    code: int
    line: str
    note: str = ""


class Interrupted(RuntimeError):
    """Ctrl-C; the message says what is saved and how to go on."""


class Waits(Stopped):
    """A run waits for people. `who`: their names; empty where it waits for somebody who would have to come back."""

    def __init__(self, who: Sequence[str], said: str = "") -> None:
        super().__init__(said or f"waiting for {' and '.join(who)}")
        self.who = list(who)


def failure(error: Exception) -> Failure:
    """The failure an exception stands for; raises the exception again if it is a defect."""
    code = code_of(error)
    if code is None:
        raise error
    said = error.format_message() if isinstance(error, TyperException) else str(error)
    if isinstance(error, ValidationError):
        said = str(refused_input(error))
    if isinstance(error, typer.Abort):
        said = "interrupted"
    return Failure(code, one_line(said), plain(_note(error)))


def defect(error: BaseException) -> str:
    """What is told of a defect, beside the traceback that is logged."""
    return f"a defect ({type(error).__name__}); what was saved is whole"


def _note(error: BaseException | None) -> str:
    """What an error, or what it was raised from, shows under its line."""
    found = error.differs if isinstance(error, NotRecorded) else ""
    return found or (_note(error.__cause__) if error else "")


def code_of(error: Exception) -> int | None:
    """The exit code for an exception; none for a defect."""
    if isinstance(error, TyperException):
        return error.exit_code
    if isinstance(error, Interrupted | typer.Abort):
        return INTERRUPTED
    if isinstance(error, Stopped):
        return STOPPED
    if isinstance(error, OSError):
        return STOPPED if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO) else FAILED
    return REFUSED if isinstance(error, Refused | ValidationError | TemplateFault) else None
