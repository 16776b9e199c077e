"""Choice of the embedding model by name, environment and settings."""

import os

from ..state import InputError, Settings
from ..state.lookups.settings import LIBRARY
from .model_spec import REHEARSAL, check_key, parse_spec

LEXICAL = "lexical"
"""Spec that disables embeddings, even if `MOOT_EMBEDDINGS` is set."""


def resolve_embedding_spec(requested_spec: str) -> str:
    """Return the requested embedding model, else `MOOT_EMBEDDINGS`, else an empty text.

    `lexical` also gives an empty text.

    Raises `InputError` for an invalid name, and for OpenAI without a key.
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
            f"a rehearsal has no embedding model; name a model, or `{LEXICAL}` to compare shared terms",
        )
    check_key("embeddings", spec)
    return spec


def find_embedding_spec(settings: Settings) -> str:
    """Return the embedding model that a run uses, from its settings or `MOOT_EMBEDDINGS`; empty for none.

    A run uses an embedding model to measure agreement, rank papers, or search the library in a look-up.
    """
    needs_vectors = hasattr(settings, "embeddings") and getattr(settings, "convergence", "embedding") == "embedding"
    if not needs_vectors and LIBRARY not in settings.tools:
        return ""
    spec = (str(getattr(settings, "embeddings", "")) or os.environ.get("MOOT_EMBEDDINGS", "")).strip()
    return "" if spec == LEXICAL else spec


def resolve_embeddings(settings: Settings) -> dict[str, str]:
    """Return the embeddings setting of a run that measures agreement by embedding; empty for other runs.

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
