"""Errors of a saved run: its lock is held by another process, or its database fails."""

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ...models import RunStoppedError
from ...storage import get_timestamp


class RunLockedError(RunStoppedError):
    """Error for a run that another process is executing."""


class DatabaseRefusedError(RunStoppedError):
    """Error of a database that refuses a request, for example because its disk is full."""


class DatabaseLostError(DatabaseRefusedError):
    """Error of an open database whose connection dropped."""


def get_process_identity() -> dict[str, object]:
    """Return what identifies this process: pid, host and time, for storage."""
    return {"pid": os.getpid(), "host": socket.gethostname(), "since": get_timestamp()}


def make_lock_error(run: str, holder: Mapping[str, object]) -> RunLockedError:
    """Make the error for a run that another process executes.

    `holder`: that process as it was stored; may be empty.
    """
    reason = "another process is running it"
    if holder:
        reason = f"in use by process {holder['pid']} on {holder['host']}, since {holder['since']}"
    return RunLockedError(f"run = {run}: {reason}; wait for its end, or stop it first")


@contextmanager
def stop_on_error(
    address: str,
    error_types: type[Exception] | tuple[type[Exception], ...],
    stop_type: type[RunStoppedError] = DatabaseRefusedError,
) -> Iterator[None]:
    """Raise `stop_type` in place of database errors within the `with` block. Saved data stays complete.

    `error_types`: the database errors. `address`: address of the database for the message.
    """
    try:
        yield
    except error_types as error:
        raise make_database_error(address, error, stop_type) from error


def make_database_error(
    address: str, error: BaseException, stop_type: type[RunStoppedError] = DatabaseLostError
) -> RunStoppedError:
    """Make the one-line error for a database that failed with `error`."""
    message = " ".join(str(error).split()) or type(error).__name__
    return stop_type(f"db = {address}: {message}; everything saved before is complete")
