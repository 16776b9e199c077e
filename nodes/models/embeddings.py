"""From an embeddings spec to an embedding model: `openai:<name>`, `openai:<name>@<base_url>`, `<provider>:<name>`."""

import asyncio
import binascii
import hashlib
import math
import time
from collections.abc import Callable, Sequence

from langchain_core.embeddings import Embeddings
from pydantic import SecretStr

from ...state.incident import EMBEDDING, Call
from ...state.refused import Refused
from ..clock import milliseconds_since
from .chat import disown, unnamed
from .diagnosis import fault_of, troubles
from .embedding_spec import LEXICAL, spec_meant
from .failures import Fault, Stopped
from .gate import Gate, gate
from .operator_limits import check_spec_of_stranger, is_stranger, key_for
from .spec import Spec, parse
from .wire import PACKINGS, bound_many

SECONDS, TRIES, PAUSE = 60.0, 3, 0.5
"""Longest wait for one request; how often one that may succeed later is made; seconds before the second time."""
PASSING = ("timeout", "rate_limit", "server", "connection", "unreachable")
"""What may succeed later."""
RANKED = f"mend it, or use `{LEXICAL}` to rank by shared terms"
"""What to do where papers are ranked."""


class Unembedded(Stopped):
    """An embedding model gave no vectors that can be compared. `tries`: requests made for them."""

    def __init__(self, line: str, fault: Fault | None = None) -> None:
        super().__init__(line)
        self.fault, self.tries = fault or Fault("refused", fatal=True), 1


class Named(Embeddings):
    """An embedding model with the name its vectors are kept under; what goes wrong is one clear error.

    `calls`: its requests so far. Its library tells nothing of their cost: caps take a byte for a token.
    """

    def __init__(self, model: Embeddings, name: str, remedy: str = RANKED) -> None:
        self.model, self.name, self.remedy = model, name, remedy
        self.calls: list[Call] = []
        self.affords: Callable[[Sequence[Call]], bool] = lambda calls: True
        """Whether a run may make the last of these requests, once it has made the others."""
        self.plain: dict[str, str] = {}
        """What encrypted texts, which are kept in place of plain ones, stand for."""

    @property
    def key(self) -> str:
        """A store label for the vectors of this model, so that those of two models never meet."""
        return hashlib.sha256(self.name.encode()).hexdigest()[:16]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of the texts. Raises `Unembedded` when the provider gives none."""
        try:
            vectors = self.model.embed_documents([self.plain.get(text, text) for text in texts])
        except troubles() as error:
            raise self._failed(error) from None
        return self._checked(texts, vectors)

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of the texts. Raises `Unembedded` when the provider gives none."""
        texts = [self.plain.get(text, text) for text in texts]
        made = 0
        while True:
            call = Call(purpose=EMBEDDING, model=self.name, assumed_input=size(texts), try_number=made + 1)
            passed = gate()
            if not self.affords([*self.calls, call]) or (passed and not await passed.enter(call, None)):
                lost = self._unembedded(Fault("budget_spent", own="no_call_left"))
                lost.tries = made
                raise lost
            made += 1
            try:
                return await (self._past(passed, texts, call) if passed else self._requested(texts, call))
            except Unembedded as failed:
                failed.tries = made
                if made == TRIES or failed.fault.kind not in PASSING:
                    raise
                await asyncio.sleep(max(failed.fault.after, PAUSE * 2 ** (made - 1)))

    async def _past(self, passed: Gate, texts: list[str], call: Call) -> list[list[float]]:
        """The vectors of one request that the gate of the run was told of before, and is told of after."""
        made = None
        try:
            vectors = await self._requested(texts, call)
            made = self.calls[-1]
            return vectors
        finally:
            await passed.leave(call, made)

    async def _requested(self, texts: list[str], call: Call) -> list[list[float]]:
        """The vectors one request brings, which is put on record."""
        started, outcome = time.perf_counter(), "ok"
        try:
            return self._checked(texts, await self.model.aembed_documents(texts))
        except Unembedded as senseless:
            outcome = senseless.fault.kind
            raise
        except troubles() as error:
            lost = self._failed(error)
            outcome = lost.fault.kind
            raise lost from None
        finally:
            self.calls.append(call.model_copy(update={"outcome": outcome, "ms": milliseconds_since(started)}))

    async def aembed_query(self, text: str) -> list[float]:
        """The vector of one text."""
        return (await self.aembed_documents([text]))[0]

    def _checked(self, texts: list[str], vectors: list[list[float]]) -> list[list[float]]:
        usable = [vector for vector in vectors if vector and all(map(_is_finite, vector))]
        lengths = {len(vector) for vector in usable}
        if len(usable) != len(texts) or len(vectors) != len(texts):
            raise self._unembedded(_senseless(f"{len(usable)} usable vectors for {len(texts)} texts"))
        if len(lengths) > 1:
            raise self._unembedded(_senseless(f"vectors of {min(lengths)} and of {max(lengths)} numbers"))
        return vectors

    def _failed(self, error: BaseException) -> Unembedded:
        garbled = isinstance(error, binascii.Error)  # vectors that come in base64, and are none
        fault = _senseless(str(error)) if garbled else fault_of(error, proven=False)
        if fault is None:
            raise error
        return self._unembedded(fault)

    def _unembedded(self, fault: Fault) -> Unembedded:
        return Unembedded(f"embeddings = {self.name}: {fault.told('en')}; {self.remedy}", fault)


def size(texts: Sequence[str]) -> int:
    """Bytes of the texts of a request: as many tokens as caps take it for."""
    return max(1, sum(len(text.encode(errors="replace")) for text in texts))


def _senseless(what: str) -> Fault:
    return Fault("malformed", what, own="senseless")


def _is_finite(number: object) -> bool:
    return isinstance(number, int | float) and math.isfinite(number)


def embeddings_for(given: str | Embeddings | None, remedy: str = RANKED) -> Named | None:
    """The embedding model for a spec or object; nothing given means `MOOT_EMBEDDINGS`, and without it none.

    Reads certificates: call it from a thread. Raises `Refused` for a spec that names nothing or lacks its package.
    """
    if isinstance(given, Embeddings):
        return Named(given, f"object:{type(given).__name__}:{getattr(given, 'model', '')}", remedy)
    if not (spec := spec_meant(given or "")):
        return None
    if is_stranger():
        check_spec_of_stranger("embeddings", spec)
    parts = parse(spec)
    return Named(_openai(spec, parts) if parts.provider == "openai" else _other(spec, parts), spec, remedy)


def _openai(spec: str, parts: Spec) -> Embeddings:
    """Text goes out as text, not as OpenAI's tokens, which other servers do not read."""
    from langchain_openai import OpenAIEmbeddings
    from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

    return OpenAIEmbeddings(
        model=parts.name,
        base_url=parts.url,
        api_key=SecretStr(key_for(spec)),
        check_embedding_ctx_length=False,
        timeout=SECONDS,
        max_retries=0,
        http_client=DefaultHttpxClient(follow_redirects=False, event_hooks={"request": [disown]}),
        http_async_client=DefaultAsyncHttpxClient(
            follow_redirects=False, event_hooks={"request": [unnamed], "response": [bound_many]}, headers=PACKINGS
        ),
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
