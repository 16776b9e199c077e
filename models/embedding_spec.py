"""Choice of a run's embedding model: by its settings or by an environment variable."""

import os

from ..state import InputError, Settings
from ..state.lookups.settings import LIBRARY
from .model_spec import REHEARSAL, check_key, parse_spec

LEXICAL = "lexical"
"""Spec that disables embeddings, even if `MOOT_EMBEDDINGS` is set."""


def resolve_embedding_spec(requested_spec: str) -> str:
    """Return `requested_spec` or, if it is empty, the embedding model in `MOOT_EMBEDDINGS`.

    The text is empty without either, and for `lexical`. Raises `InputError` for an invalid name, and for OpenAI without
    a key.
    """
    spec = (requested_spec or os.environ.get("MOOT_EMBEDDINGS", "")).strip()
    if spec in ("", LEXICAL):
        return ""
    try:
        parsed_spec = parse_spec(spec)
    except InputError as error:
        raise InputError("embeddings", error.value, error.remedy.removesuffix(f" or {REHEARSAL}")) from None
    if parsed_spec.provider == REHEARSAL:
        raise InputError(
            "embeddings",
            spec,
            f"a rehearsal has no embedding model; name a model, or `{LEXICAL}` to compare shared words",
        )
    check_key("embeddings", spec)
    return spec


def find_embedding_spec(settings: Settings) -> str:
    """Return the name (spec) of the embedding model that a run uses; empty if it uses none.

    The name comes from the settings or `MOOT_EMBEDDINGS`. A run uses an embedding model to measure agreement, rank
    papers, or search the library in a look-up.
    """
    needs_vectors = hasattr(settings, "embeddings") and getattr(settings, "convergence", "embedding") == "embedding"
    if not needs_vectors and LIBRARY not in settings.tools:
        return ""
    spec = (str(getattr(settings, "embeddings", "")) or os.environ.get("MOOT_EMBEDDINGS", "")).strip()
    return "" if spec == LEXICAL else spec


def resolve_embeddings(settings: Settings) -> dict[str, str]:
    """Return the setting `embeddings` of a run that measures agreement by embedding; empty for other runs.

    Raises `InputError` if no embedding model is configured, except for a replay.
    """
    if getattr(settings, "convergence", "") != "embedding":  # only a consensus has it; other protocols do not load it
        return {}
    requested_spec = str(getattr(settings, "embeddings", ""))
    if settings.replay:
        return {"embeddings": requested_spec}
    if spec := resolve_embedding_spec(requested_spec):
        return {"embeddings": spec}
    raise InputError(
        "embeddings",
        requested_spec,
        "convergence by embedding needs a model: give embeddings=openai:NAME, or set MOOT_EMBEDDINGS",
    )
