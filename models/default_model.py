"""Default models: the default of this machine or of a run, and the models that a server lists."""

import asyncio
import warnings
from collections.abc import Sequence

from ..state import InputError, Participant, Settings, format_model
from .api_keys import get_base_url, get_key_variable, read_key
from .failures import RunStoppedError
from .model_spec import CONNECT_SECONDS, REHEARSAL, get_configured_model, get_environment_model, pick_first_model
from .recipients import check_stay, locate_model

REHEARSAL_WARNING = (
    "no model was named and no key is set: Moot rehearses with made-up text, without a language model; "
    "name one with context={'model': 'openai:gpt-5-mini'} or MOOT_MODEL, or name 'rehearsal' to hide this warning"
)

LIST_SECONDS, MAX_ID_LENGTH = 30.0, 300
"""Maximum seconds for a server's list of models, and maximum characters of a model's name."""


async def fetch_default_spec() -> str:
    """Return the name (spec) of the default model. If the environment names a server, ask the server.

    The default is the first available of: `MOOT_MODEL`, OpenAI's default model if there is a key, the server's first
    model, the rehearsal.
    """
    if spec := get_configured_model():
        return spec
    url = get_base_url()
    return f"openai:{(await fetch_models(url))[0]}@{url}" if url else REHEARSAL


def find_seat_model(settings: Settings, participants: Sequence[Participant]) -> str:
    """Return the model of the first seat, not counting people and programs.

    The text is empty unless every such seat names a model.
    """
    specs = [
        format_model(settings.models.get(participant.name) or participant.model)
        for participant in participants
        if participant.kind == "model"
    ]
    return specs[0] if specs and all(specs) else ""


def check_default_server(settings: Settings) -> None:
    """Check that `stay` allows a request to the server in `OPENAI_BASE_URL` for its models.

    Raises `InputError`.
    """
    if not get_configured_model():
        check_stay(settings, "OPENAI_BASE_URL", get_base_url(), locate_model(""))


async def choose_run_model(settings: Settings, participants: Sequence[Participant], *, is_nested: bool = False) -> str:
    """Return the model for all seats and roles that name none: the run's, a seat's, or the default.

    If the run has no model and every seat has one, the first seat's applies. If only the rehearsal is left as the
    default, the first real model of a seat applies instead. Without such a model, a warning announces the rehearsal.
    `is_nested`: whether the run is part of another graph, which gets an `InputError` instead of the warning. Raises
    `InputError` if `stay` forbids the request for the default.
    """
    if spec := format_model(settings.model) or find_seat_model(settings, participants):
        return spec
    check_default_server(settings)
    spec = await fetch_default_spec()
    if spec != REHEARSAL or get_environment_model():
        return spec
    if seat_spec := pick_first_model(participant.model for participant in participants):
        return seat_spec
    if is_nested:
        raise InputError(
            "model", "", "name one, as in moot.agent('debate', model='openai:gpt-5-mini'), or name 'rehearsal'"
        )
    warnings.warn(REHEARSAL_WARNING, UserWarning, stacklevel=2)
    return spec


async def fetch_models(url: str) -> list[str]:
    """Return the names of the models that the OpenAI-compatible server at `url` lists.

    Raises `RunStoppedError` if the server is unreachable or its list is empty.
    """
    import httpx

    from .answer_size_limit import ENCODING_HEADERS, limit_batch
    from .http_clients import make_http_client

    address = f"{url.rstrip('/')}/models"
    headers = {"Authorization": f"Bearer {read_key(get_key_variable(url))}"}
    client = make_http_client(
        timeout=CONNECT_SECONDS, headers=ENCODING_HEADERS, event_hooks={"response": [limit_batch]}
    )
    try:
        async with asyncio.timeout(LIST_SECONDS), client:
            listing = (await client.get(address, headers=headers)).raise_for_status().json()
    except (httpx.HTTPError, TimeoutError, ValueError, RecursionError) as error:
        raise RunStoppedError(
            f"OPENAI_BASE_URL = {url}: {address} gave no list of models ({type(error).__name__}); "
            "start the server, or name a model with --model"
        ) from None
    models = listing.get("data") if isinstance(listing, dict) else None
    entries = models if isinstance(models, list) else []
    ids = [str(entry.get("id") or "") for entry in entries if isinstance(entry, dict)]
    names = [id for id in ids if 0 < len(id) <= MAX_ID_LENGTH]
    if not names:
        raise RunStoppedError(f"OPENAI_BASE_URL = {url}: {address} lists no model; name one with --model")
    return names
