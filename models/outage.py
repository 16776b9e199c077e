"""Failures of machines, in contrast to those of models: a turn that a machine's failure prevents is owed."""

from urllib.parse import urlsplit

from .failures import CallFailure
from .spec import CONNECT_SECONDS, parse_spec

MACHINE_KINDS = ("unreachable", "connection", "server", "rate_limit")
"""Kinds of failures that are always a machine's."""
PATIENCE = 30.0
"""Seconds from a server's first refusal until the run is parked."""
MAX_RETRY_AFTER = 60.0
"""Longest time in seconds that a run waits in its process because a server asks for it."""


async def is_machine_failure(failure: CallFailure, spec: str) -> bool:
    """Return whether a machine failed, not the model.

    A refusal and unusable content are the model's. So is silence, if its server answers other requests.
    """
    if failure.kind == "timeout":
        return not await is_server_ready(spec)
    return failure.kind in MACHINE_KINDS


def get_server_name(spec: str) -> str:
    """Return the host and port of a model's server, or the provider if its client chooses the server."""
    if spec.startswith("object:"):
        return spec
    parsed_spec = parse_spec(spec)
    return urlsplit(parsed_spec.url).netloc if _has_address(spec) else parsed_spec.provider


async def is_server_ready(spec: str) -> bool:
    """Return whether a model's server answers a request without content and key.

    `True` if the address of the server is unknown.
    """
    if not _has_address(spec):
        return True
    import httpx  # slow to load

    address = f"{parse_spec(spec).url.rstrip('/')}/models"
    try:
        async with (
            httpx.AsyncClient(timeout=CONNECT_SECONDS) as client,
            client.stream("GET", address) as response,
        ):
            return response.status_code < 500
    except httpx.HTTPError:
        return False


def _has_address(spec: str) -> bool:
    return not spec.startswith("object:") and parse_spec(spec).provider == "openai" and not parse_spec(spec).is_bridged
