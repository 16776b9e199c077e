"""Common part of the commands that start a run.

Its imports happen only at the start of a run, so that help is quick.
"""

from pathlib import Path
from typing import Any

from ...state import InputError
from ..protocols.registry import get_protocol
from .command_options import ViewOptions
from .config_file import read_text
from .deliberation_options import RunOptions


def build_topic_input(topic: str | None, material: Path | None) -> dict[str, Any]:
    """Return the input that most protocols share: topic and material.

    `material`: file to read; `None` for no material. Raises `InputError` for an unreadable file.
    """
    return {"topic": topic, "material": read_text(material, "material") if material else None}


def start_run(name: str, input: dict[str, Any], options: RunOptions, view: ViewOptions) -> None:
    """Run a protocol from the command line and show its ending.

    `name`: name of the protocol. `input`: entries that are `None` count as absent. Raises `InputError` for an unusable
    request.
    """
    from .request import build_request
    from .start import execute_request

    protocol = get_protocol(name)
    try:
        request = build_request(protocol, input, options)
    except InputError as error:
        if error.key != protocol.topic_key or error.value is not None:
            raise
        raise InputError(error.key, None, f'must be given; write moot {name} "Tea or coffee?"') from None
    execute_request(request, view)
