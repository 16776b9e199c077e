"""From an embeddings spec to an embedding model: `openai:<name>`, `openai:<name>@<base_url>`, `<provider>:<name>`."""

import hashlib
import math
import os

from langchain_core.embeddings import Embeddings
from pydantic import SecretStr

from ..state.refusal import Refused
from .diagnosis import fault_of, troubles
from .faults import Stopped
from .models import Spec, parse

LEXICAL = "lexical"
"""The spec that asks for no embedding model, whatever `MOOT_EMBEDDINGS` says."""
SECONDS = 60.0
"""Longest wait for one embedding call; it is tried three times."""


class Named(Embeddings):
    """An embedding model with the name its vectors are kept under; what goes wrong is one clear error."""

    def __init__(self, model: Embeddings, name: str) -> None:
        self.model, self.name = model, name

    @property
    def key(self) -> str:
        """A store label for the vectors of this model, so that those of two models never meet."""
        return hashlib.sha256(self.name.encode()).hexdigest()[:16]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of the texts. Raises `Stopped` when the provider gives none."""
        try:
            return self._checked(texts, self.model.embed_documents(texts))
        except troubles() as error:
            raise self._stopped(error) from None

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of the texts. Raises `Stopped` when the provider gives none."""
        try:
            return self._checked(texts, await self.model.aembed_documents(texts))
        except troubles() as error:
            raise self._stopped(error) from None

    async def aembed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        return (await self.aembed_documents([text]))[0]

    def _checked(self, texts: list[str], vectors: list[list[float]]) -> list[list[float]]:
        if len(vectors) != len(texts) or not all(math.isfinite(number) for vector in vectors for number in vector):
            raise Stopped(f"embeddings = {self.name}: gave {len(vectors)} usable vectors for {len(texts)} texts")
        return vectors

    def _stopped(self, error: BaseException) -> Stopped:
        fault = fault_of(error, proven=False)
        if fault is None:
            raise error
        said = fault.told("en")
        return Stopped(f"embeddings = {self.name}: {said}; mend it, or use `{LEXICAL}` to rank by shared terms")


def embeddings_for(given: str | Embeddings | None) -> Named | None:
    """The embedding model for a spec or object; nothing given means `MOOT_EMBEDDINGS`, and without it none.

    Reads certificates: call it from a thread. Raises `Refused` for a spec that names nothing or lacks its package.
    """
    if isinstance(given, Embeddings):
        return Named(given, f"object:{type(given).__name__}:{getattr(given, 'model', '')}")
    spec = (given or os.environ.get("MOOT_EMBEDDINGS", "")).strip()
    if spec in ("", LEXICAL):
        return None
    parts = parse(spec)
    return Named(_openai(parts) if parts.provider == "openai" else _other(spec, parts), spec)


def _openai(parts: Spec) -> Embeddings:
    """Text goes out as text, not as OpenAI's tokens, which other servers do not read."""
    from langchain_openai import OpenAIEmbeddings

    return OpenAIEmbeddings(
        model=parts.name,
        base_url=parts.base_url or None,
        api_key=SecretStr(os.environ.get("OPENAI_API_KEY") or "none"),
        check_embedding_ctx_length=False,
        timeout=SECONDS,
        max_retries=2,
    )


def _other(spec: str, parts: Spec) -> Embeddings:
    try:
        from langchain.embeddings import init_embeddings  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise Refused("embeddings", spec, 'other providers need: pip install "moot[providers]"') from None
    try:
        return init_embeddings(parts.name, provider=parts.provider)  # type: ignore[no-any-return, unused-ignore]
    except (ImportError, ValueError) as fault:
        raise Refused("embeddings", spec, f"{fault}; for an OpenAI name with a colon write openai:{spec}") from None
