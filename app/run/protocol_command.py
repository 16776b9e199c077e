"""Common part of the commands that start a run.

Its imports wait for the start, so that help is quick.
"""

from pathlib import Path
from typing import Any

from ...state import InputError
from ..protocols.protocol import get_protocol
from .command_options import ViewOptions
from .config_file import read_text
from .deliberation_options import RunOptions


def build_topic_input(topic: str | None, material: Path | None) -> dict[str, Any]:
    """Build the input that most protocols share: topic and material."""
    return {"topic": topic, "material": read_text(material, "material") if material else None}


def start_run(name: str, input: dict[str, Any], options: RunOptions, view: ViewOptions) -> None:
    """Check the request, run it and show its ending. Entries of `input` that are `None` count as absent.

    Raises `InputError` for an unusable request.
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
