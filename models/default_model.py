"""Default models: of this machine, of a run, and those that a server lists."""

import warnings
from collections.abc import Iterable

from ..state import InputError
from .failures import RunStoppedError
from .keys import LOOPBACK_MOUNTS, get_base_url, get_key_variable, read_key
from .spec import CONNECT_SECONDS, REHEARSAL, get_configured_model, get_environment_model, pick_first_model

REHEARSAL_WARNING = (
    "no model was named and no key is set: the rehearsal speaks, which is no language model; "
    "name one with context={'model': 'openai:gpt-5-mini'} or MOOT_MODEL, or name 'rehearsal' to silence this"
)


async def fetch_default_spec() -> str:
    """Return the default model. If the environment names a local server, ask the server.

    The default is the first available of: `MOOT_MODEL`, OpenAI's default model if there is a key, the server's first
    model, the rehearsal.
    """
    if spec := get_configured_model():
        return spec
    url = get_base_url()
    return f"openai:{(await fetch_models(url))[0]}@{url}" if url else REHEARSAL


async def fetch_run_spec(own_specs: Iterable[str] = (), *, is_nested: bool = False) -> str:
    """Return the default model of a run. Warn if it is the rehearsal, which is not a language model.

    `own_specs`: participants' own models. The first one replaces the rehearsal for the others. `is_nested`: whether
    the run is part of another graph, which gets an `InputError` instead of a warning.
    """
    spec = await fetch_default_spec()
    if spec == REHEARSAL and not get_environment_model():
        if own_spec := pick_first_model(own_specs):
            return own_spec
        if is_nested:
            raise InputError(
                "model", "", "name one, as in moot.agent('debate', model='openai:gpt-5-mini'), or name 'rehearsal'"
            )
        warnings.warn(REHEARSAL_WARNING, UserWarning, stacklevel=2)
    return spec


async def fetch_models(url: str) -> list[str]:
    """Return the models of a compatible server.

    Raises `RunStoppedError` if it is unreachable or its list is empty.
    """
    import httpx

    from .answer_size_limit import ENCODING_HEADERS, limit_batch

    address = f"{url.rstrip('/')}/models"
    headers = {"Authorization": f"Bearer {read_key(get_key_variable(url))}"}
    try:
        hooks = {"response": [limit_batch]}
        async with httpx.AsyncClient(
            timeout=CONNECT_SECONDS, headers=ENCODING_HEADERS, event_hooks=hooks, mounts=LOOPBACK_MOUNTS
        ) as client:
            response = await client.get(address, headers=headers)
            listing = response.raise_for_status().json()
    except (httpx.HTTPError, ValueError, RecursionError) as error:
        raise RunStoppedError(
            f"OPENAI_BASE_URL = {url}: {address} gave no list of models ({type(error).__name__}); "
            "start the server, or name a model with --model"
        ) from None
    models = listing.get("data") if isinstance(listing, dict) else None
    entries = models if isinstance(models, list) else []
    names = [str(entry["id"]) for entry in entries if isinstance(entry, dict) and entry.get("id")]
    if not names:
        raise RunStoppedError(f"OPENAI_BASE_URL = {url}: {address} lists no model; name one with --model")
    return names
