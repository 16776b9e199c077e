"""Which embedding model is meant, by a spec, by the environment, and by the rules of a deliberation."""

import os

from ...state.refused import Refused
from ...state.rules import Rules
from .spec import REHEARSAL, check_key, parse

LEXICAL = "lexical"
"""The spec that asks for no embedding model, whatever `MOOT_EMBEDDINGS` says."""
MEASURED = "convergence by embedding needs a model: give embeddings=openai:NAME, or set MOOT_EMBEDDINGS"


def spec_meant(given: str) -> str:
    """The spec of the embedding model that is meant: the one given, else `MOOT_EMBEDDINGS`; empty: none.

    Raises `Refused` for a spec that names nothing, and for OpenAI itself where there is no key.
    """
    spec = (given or os.environ.get("MOOT_EMBEDDINGS", "")).strip()
    if spec in ("", LEXICAL):
        return ""
    try:
        parts = parse(spec)
    except Refused as no:
        raise Refused("embeddings", no.value, no.remedy.removesuffix(f" or {REHEARSAL}")) from None
    if parts.provider == REHEARSAL:
        raise Refused("embeddings", spec, f"the rehearsal makes no vectors; name a model, or `{LEXICAL}` for none")
    check_key("embeddings", spec)
    return spec


def meaning(rules: Rules) -> dict[str, str]:
    """The embedding model that measures convergence, to be settled in rules that ask for one; else nothing.

    Raises `Refused` where there is none.
    """
    if getattr(rules, "convergence", "") != "embedding":  # a consensus's own; other protocols do not load it
        return {}
    given = str(getattr(rules, "embeddings", ""))
    if rules.replay:
        return {"embeddings": given}
    if spec := spec_meant(given):
        return {"embeddings": spec}
    raise Refused("embeddings", given, MEASURED)
