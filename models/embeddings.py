"""Embedding models by name: `openai:<name>`, `openai:<name>@<base_url>`, `<provider>:<name>`."""

import asyncio
import binascii
import hashlib
import math
import time
from collections.abc import Callable, Sequence

from langchain_core.embeddings import Embeddings
from pydantic import SecretStr

from ..state import EMBEDDING_PURPOSE, LOST, Call, InputError
from ..storage import count_milliseconds_since, open_entry
from .answer_size_limit import ENCODING_HEADERS, limit_batch
from .call_limiter import CallLimiter, check_client_waits, find_call_limiter
from .chat_model import drop_account_headers, drop_account_headers_async
from .embedding_spec import LEXICAL, resolve_embedding_spec
from .error_classification import find_call_failure, list_call_errors
from .failures import CallFailure, RunStoppedError
from .http_clients import make_http_client
from .model_spec import ModelSpec, parse_spec
from .operator_policy import get_operator_policy, get_server_key, is_server_client
from .outage import MAX_RETRY_AFTER

REQUEST_SECONDS, MAX_ATTEMPTS, RETRY_SECONDS = 60.0, 3, 0.5
"""Time limit of a request in seconds, maximum number of attempts, and seconds before the second attempt."""
RANKING_REMEDY = f"correct the model or its server, or use `{LEXICAL}` to rank by shared words"
"""Remedy in the error of a ranking of papers whose embedding model fails."""


class EmbeddingError(RunStoppedError):
    """Error of an embedding request that returned no comparable vectors. `attempts`: number of requests."""

    def __init__(self, line: str, failure: CallFailure | None = None) -> None:
        super().__init__(line)
        self.failure, self.attempts = failure or CallFailure("refused", is_fatal=True), 1


class NamedEmbeddings(Embeddings):
    """Embedding model that checks its vectors and counts requests. Failures raise `EmbeddingError`.

    `calls`: requests so far. The libraries report no token counts, so caps count each byte of text as a token.
    """

    def __init__(self, model: Embeddings, name: str, remedy: str = RANKING_REMEDY) -> None:
        self.model, self.name, self.remedy = model, name, remedy
        self.calls: list[Call] = []
        self.can_afford: Callable[[Sequence[Call]], bool] = lambda calls: True
        """Function that returns whether a run can afford the last of these requests after the others."""
        self.plain_texts: dict[str, str] = {}
        """Plain text of each encrypted text that is stored in its place."""

    @property
    def key(self) -> str:
        """Return the label of this model's vectors in the store, so that two models never share vectors."""
        return hashlib.sha256(self.name.encode()).hexdigest()[:16]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text.

        Raises `EmbeddingError` if the request fails or the vectors are invalid.
        """
        try:
            vectors = self.model.embed_documents([self.plain_texts.get(text, text) for text in texts])
        except list_call_errors() as error:
            raise self._translate_error(error) from None
        return self._check_vectors(texts, vectors)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of one text."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text.

        Raises `EmbeddingError` if the budget denies the request, the request fails or the vectors are invalid.
        """
        texts = [self.plain_texts.get(text, text) for text in texts]
        attempts = 0
        while True:
            check_client_waits()
            call = Call(
                purpose=EMBEDDING_PURPOSE,
                model=self.name,
                assumed_input=count_text_bytes(texts),
                attempt=attempts + 1,
            )
            limiter = find_call_limiter()
            if not self.can_afford([*self.calls, call]) or (limiter and not await limiter.admit_call(call, None)):
                budget_error = self._make_embedding_error(CallFailure("budget_spent", phrase_key="no_call_left"))
                budget_error.attempts = attempts
                raise budget_error
            attempts += 1
            try:
                return await (
                    self._request_within_limit(limiter, texts, call) if limiter else self._send_request(texts, call)
                )
            except EmbeddingError as error:
                error.attempts = attempts
                is_temporary = error.failure.kind in ("timeout", "rate_limit", "server", "connection", "unreachable")
                if attempts == MAX_ATTEMPTS or not is_temporary or error.failure.retry_after > MAX_RETRY_AFTER:
                    raise
                await asyncio.sleep(max(error.failure.retry_after, RETRY_SECONDS * 2 ** (attempts - 1)))

    async def _request_within_limit(self, limiter: CallLimiter, texts: list[str], call: Call) -> list[list[float]]:
        record = None
        try:
            vectors = await self._send_request(texts, call)
            record = self.calls[-1]
            return vectors
        finally:
            await limiter.count_call(call, record)

    async def _send_request(self, texts: list[str], call: Call) -> list[list[float]]:
        async with open_entry(
            call, hashlib.sha256("\0".join(texts).encode(errors="replace")).hexdigest()[:32]
        ) as entry:
            start, outcome = time.perf_counter(), LOST
            try:
                vectors = self._check_vectors(texts, await self.model.aembed_documents(texts))
                outcome = "ok"
                return vectors
            except EmbeddingError as vector_error:
                outcome = vector_error.failure.kind
                raise
            except list_call_errors() as error:
                embedding_error = self._translate_error(error)
                outcome = embedding_error.failure.kind
                raise embedding_error from None
            finally:
                entry.calls = [call.model_copy(update={"outcome": outcome, "ms": count_milliseconds_since(start)})]
                self.calls += entry.calls

    async def aembed_query(self, text: str) -> list[float]:
        """Return the vector of one text."""
        return (await self.aembed_documents([text]))[0]

    def _check_vectors(self, texts: list[str], vectors: list[list[float]]) -> list[list[float]]:
        usable_vectors = [
            vector
            for vector in vectors
            if vector and all(isinstance(number, int | float) and math.isfinite(number) for number in vector)
        ]
        lengths = {len(vector) for vector in usable_vectors}
        if len(usable_vectors) != len(texts) or len(vectors) != len(texts):
            raise self._make_embedding_error(
                _make_malformed_failure(f"{len(usable_vectors)} usable vectors for {len(texts)} texts")
            )
        if len(lengths) > 1:
            raise self._make_embedding_error(
                _make_malformed_failure(f"vectors of {min(lengths)} and of {max(lengths)} numbers")
            )
        return vectors

    def _translate_error(self, error: BaseException) -> EmbeddingError:
        is_garbled = isinstance(error, binascii.Error)  # vectors that arrive as invalid base64
        failure = _make_malformed_failure(str(error)) if is_garbled else find_call_failure(error, has_succeeded=False)
        if failure is None:
            raise error
        return self._make_embedding_error(failure)

    def _make_embedding_error(self, failure: CallFailure) -> EmbeddingError:
        return EmbeddingError(f"embeddings = {self.name}: {failure.translate_message('en')}; {self.remedy}", failure)


def count_text_bytes(texts: Sequence[str]) -> int:
    """Count the bytes of a request's texts, with a minimum of 1. Caps count each byte as a token."""
    return max(1, sum(len(text.encode(errors="replace")) for text in texts))


def _make_malformed_failure(message: str) -> CallFailure:
    return CallFailure("malformed", message, phrase_key="senseless")


def load_embeddings(requested_model: str | Embeddings | None, remedy: str = RANKING_REMEDY) -> NamedEmbeddings | None:
    """Load the requested embedding model or, without one, the model in `MOOT_EMBEDDINGS`.

    Returns `None` if neither is set. Raises `InputError` for an unusable name or a missing package. Reads certificates,
    so call it from a thread.
    """
    if isinstance(requested_model, Embeddings):
        return NamedEmbeddings(
            requested_model, f"object:{type(requested_model).__name__}:{getattr(requested_model, 'model', '')}", remedy
        )
    if not (spec := resolve_embedding_spec(requested_model or "")):
        return None
    if is_server_client():
        get_operator_policy().check_spec("embeddings", spec)
    parsed_spec = parse_spec(spec)
    build_model = _build_openai_embeddings if parsed_spec.provider == "openai" else _build_provider_embeddings
    return NamedEmbeddings(build_model(spec, parsed_spec), spec, remedy)


def _build_openai_embeddings(spec: str, parsed_spec: ModelSpec) -> Embeddings:
    """Build the embedding model of OpenAI's library for `spec`.

    It sends texts instead of tokens, because other servers use other tokens.
    """
    from langchain_openai import OpenAIEmbeddings
    from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

    return OpenAIEmbeddings(
        model=parsed_spec.name,
        base_url=parsed_spec.url,
        api_key=SecretStr(get_server_key(spec)),
        check_embedding_ctx_length=False,
        timeout=REQUEST_SECONDS,
        max_retries=0,
        http_client=make_http_client(DefaultHttpxClient, event_hooks={"request": [drop_account_headers]}),
        http_async_client=make_http_client(
            DefaultAsyncHttpxClient,
            event_hooks={"request": [drop_account_headers_async], "response": [limit_batch]},
            headers=ENCODING_HEADERS,
        ),
    )


def _build_provider_embeddings(spec: str, parsed_spec: ModelSpec) -> Embeddings:
    try:
        from langchain.embeddings import init_embeddings  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InputError("embeddings", spec, 'other providers need: pip install "moot[providers]"') from None
    try:
        return init_embeddings(parsed_spec.name, provider=parsed_spec.provider)  # type: ignore[no-any-return, unused-ignore]
    except (ImportError, ValueError) as error:
        raise InputError("embeddings", spec, f"{error}; for an OpenAI name with a colon write openai:{spec}") from None
