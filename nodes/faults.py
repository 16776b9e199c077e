"""What can go wrong with a call, told apart: by exception type, status and error code, never by guessing at prose
except for the providers' own wordings of a context that is too long."""

import re
import sys
from dataclasses import dataclass
from json import JSONDecodeError

import httpx
from langchain_core.exceptions import ContextOverflowError, LangChainException, ModelError

from ..state.incident import Call, Incident

_OVERFLOW = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|exceeds? the (available )?context|exceed_context"
    r"|prompt is too long|input (length|is too long)|too many tokens",
    re.IGNORECASE,
)
_PARAMETERS = ("temperature", "max_completion_tokens", "max_tokens", "response_format", "stream_options", "seed")


class Stopped(RuntimeError):
    """The run cannot go on for now, and nothing was lost: mend the cause and resume it."""


class Unavailable(Exception):
    """A participant or role gave no usable answer within its tries.

    `calls` and `incidents` are the record of what was tried.
    """

    def __init__(self, kind: str, calls: list[Call], incidents: list[Incident]) -> None:
        super().__init__(kind)
        self.kind, self.calls, self.incidents = kind, calls, incidents


@dataclass(frozen=True)
class Fault:
    """One failed call: its class, what the server said, and whether and when to try again."""

    kind: str
    said: str
    retry: bool = False
    fatal: bool = False
    after: float = 0.0
    parameter: str = ""


def fault_of(error: BaseException, proven: bool) -> Fault | None:
    """The fault an exception stands for, or `None` for one that is no provider's fault but a defect.

    `proven`: whether a call of this run has succeeded before, so that a refused connection is a passing one.
    """
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _of_status(error, status)
    if isinstance(error, ContextOverflowError):
        return Fault("overflow", _said(error))
    if isinstance(error, TimeoutError) or _caused_by(error, httpx.ReadTimeout, httpx.WriteTimeout, httpx.PoolTimeout):
        return Fault("timeout", "no answer in time", retry=True)
    if _caused_by(error, httpx.ConnectError, httpx.ConnectTimeout):
        return Fault("unreachable", "the server cannot be reached", retry=proven, fatal=not proven)
    if type(error).__name__ in ("LengthFinishReasonError", "OpenAILengthFinishReasonError"):
        return Fault("cut_off", "the answer was cut off before it was whole", retry=True)
    if type(error).__name__ == "ContentFilterFinishReasonError":
        return Fault("refusal", "the content filter stopped the answer", retry=True)
    if isinstance(error, ModelError):
        return Fault("connection", _said(error), retry=error.is_retryable, fatal=not error.is_retryable)
    if _is_transport(error):
        return Fault("connection", "the connection broke off", retry=True)
    return None


def _of_status(error: BaseException, status: int) -> Fault:
    said, code = _said(error), str(getattr(error, "code", "") or "")
    if status in (400, 413, 422) and (code == "context_length_exceeded" or _OVERFLOW.search(said)):
        return Fault("overflow", said)
    if status == 400 and ("content_policy" in code or "content_filter" in code):
        return Fault("refusal", said, retry=True)
    if status in (400, 422) and (parameter := _parameter(error, said)):
        return Fault("parameter", said, parameter=parameter)
    if status == 429 and code != "insufficient_quota":
        return Fault("rate_limit", said, retry=True, after=_retry_after(error))
    if status in (408, 409) or status >= 500:
        return Fault("server", said, retry=True, after=_retry_after(error))
    return Fault("refused", f"{status} {said}".strip(), fatal=True)


def _parameter(error: BaseException, said: str) -> str:
    """The parameter a 400 names as unwelcome, if it is one we can leave out."""
    named = str(getattr(error, "param", "") or "").split(".")[0]
    if named in _PARAMETERS:
        return named
    quoted = re.findall(r"['\"`]([a-z_]+)['\"`]", said)
    return next((word for word in quoted if word in _PARAMETERS), "")


def _retry_after(error: BaseException) -> float:
    response = getattr(error, "response", None)
    value = response.headers.get("retry-after", "") if isinstance(response, httpx.Response) else ""
    return min(60.0, float(value)) if re.fullmatch(r"\d+(\.\d+)?", value) else 0.0


def _said(error: BaseException) -> str:
    """What the server said, on one line, shortened, with anything that looks like a key masked."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    text = " ".join(str(message or error).split())
    text = re.sub(r"\b(sk|key|Bearer)[-_ ][\w*.-]{6,}", r"\1-…", text)
    return text if len(text) <= 300 else text[:297] + "..."


def _chain(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or current.__context__
    return chain


def _caused_by(error: BaseException, *kinds: type[BaseException]) -> bool:
    return any(isinstance(link, kinds) for link in _chain(error))


def _is_transport(error: BaseException) -> bool:
    """A broken connection, or an answer that is not the JSON it claims to be."""

    names = {type(link).__name__ for link in _chain(error)}
    known = names & {"APIConnectionError", "APIResponseValidationError", "APIError", "OpenAIAPIError"}
    return bool(known) or _caused_by(error, httpx.TransportError, ConnectionError, JSONDecodeError)


def troubles() -> tuple[type[BaseException], ...]:
    """The exceptions a call may end with: LangChain's, the HTTP client's, and OpenAI's where in use."""
    openai = sys.modules.get("openai")
    known = (LangChainException, httpx.HTTPError, OSError, JSONDecodeError)
    return (*known, openai.OpenAIError) if openai else known
