"""Outages: failures of a server or network, in contrast to failures of a model.

A turn lost to an outage is owed: the run makes it later.
"""

import time
from collections.abc import Sequence
from datetime import timedelta

from ..storage import format_local_time, format_time, get_time
from .failures import CallFailure, ServerOutageError
from .model_spec import CONNECT_SECONDS, get_server_name, has_address, parse_spec

MACHINE_KINDS = ("unreachable", "connection", "server", "rate_limit")
"""Kinds of failures that are always a machine's."""
PATIENCE = 30.0
"""Seconds from a server's first failure until the run is parked."""
MAX_RETRY_AFTER = 60.0
"""Maximum seconds that a server can make a run wait before the run is parked."""


async def is_machine_failure(failure: CallFailure, spec: str) -> bool:
    """Return whether a server or network failed, and not the model.

    Refusals and unusable content are failures of the model. So is a timeout, if the model's server answers other
    requests.
    """
    return failure.kind in MACHINE_KINDS or (failure.kind == "timeout" and not await is_server_ready(spec))


async def is_server_ready(spec: str) -> bool:
    """Return whether the server of the model `spec` answers a request for its list of models.

    The request contains no key. Return `True` if the address of the server is unknown.
    """
    if not has_address(spec):
        return True
    import httpx  # slow to load

    from .http_clients import make_http_client

    address = f"{parse_spec(spec).url.rstrip('/')}/models"
    try:
        async with (
            make_http_client(timeout=CONNECT_SECONDS) as client,
            client.stream("GET", address) as response,
        ):
            return bool(response.status_code < 500)
    except httpx.HTTPError:
        return False


def make_outage_error(failure: CallFailure, spec: str, owed_turns: Sequence[tuple[int, str]] = ()) -> ServerOutageError:
    """Make the error that pauses a run until the server answers, or until a time that the server named.

    `owed_turns`: turns and names of the failed questions.
    """
    message, retry_at = failure.translate_message("en").rstrip("."), ""
    if failure.retry_after:
        moment = get_time() + timedelta(seconds=failure.retry_after)
        message, retry_at = f"the server asks to wait until {format_local_time(moment)}", format_time(moment)
    return ServerOutageError(f"waiting for {get_server_name(spec)}: {message}", spec, retry_at, owed_turns)


def compute_patience(failure: CallFailure, spec: str, outage_times: dict[str, float]) -> float:
    """Return how many more seconds to retry before the run is paused.

    The time starts at the first failure of the server in this superstep. If the server asks for a short wait, it starts
    again. After a timeout, or if the requested wait is too long, 0 seconds are left. `outage_times`: time of the first
    failure of each server, in seconds of the monotonic clock. A first failure is added to it.
    """
    if failure.kind == "timeout" or failure.retry_after > MAX_RETRY_AFTER:
        return 0.0
    now = time.monotonic()
    first_time = outage_times.setdefault(get_server_name(spec), now)
    return PATIENCE if failure.retry_after else first_time + PATIENCE - now
