"""Version of saved runs; a run of another version is refused."""

from typing import Literal

from ...state.errors import InputError

RUN_VERSION: Literal[2] = 2
"""Newest known version of a stored run."""


def make_version_error(key: str, name: str, version: object) -> InputError:
    """Make the error of data saved by a later version of Moot, or by a pre-release version."""
    if version == 1:
        return InputError(key, name, "saved by a pre-release version that this one does not read")
    return InputError(
        key, name, f"saved with schema_version {version}, this Moot knows {RUN_VERSION}; install a newer Moot"
    )
