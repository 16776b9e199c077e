"""From an exception to the fault it stands for: told apart by type, status and error code, never by guessing at prose
except for the servers' own wordings of a context that is too long and of a setting they do not take."""

import errno
import os
import re
import sys
import traceback
from asyncio import CancelledError
from collections.abc import Iterator
from json import JSONDecodeError

import httpx
from langchain_core.exceptions import ContextOverflowError, LangChainException, ModelError

from ...state.fence import storable
from ..clock import seconds_until
from .failures import Fault
from .wire import TooLong, too_long

LONGEST_WAIT = 60.0
"""Seconds a server's Retry-After is honoured at most."""

READ, PART = 4000, 8
"""Characters that are read of what a server said, and letters of a key that are too many to be shown."""

SETTINGS = ("temperature", "max_completion_tokens", "max_tokens", "response_format", "stream_options")
"""The settings of a request that can be left out."""

_OVERFLOW = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|exceeds? the (available )?context|exceed_context"
    r"|prompt is too long|input (length|is too long)|too many tokens",
    re.IGNORECASE,
)
_SETTING = re.compile(rf"(?<![\w-])({'|'.join((*SETTINGS, 'seed'))})(?![\w-])")
_KEY = re.compile(r"\b(?:sk|pk|key)[-_][\w*.-]{6,}|(?<=Bearer )\S{6,}")
_CLIENTS = ("openai", "langchain_openai", "langchain_core", "langchain")
_UNREACHABLE = {"ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror", "ClientConnectorError"}
_LATE = {"TimeoutException", "APITimeoutError", "TimeoutError"}
_BROKEN = {"APIConnectionError", "APIResponseValidationError", "APIError", "TransportError", "ConnectionError"}


def troubles() -> tuple[type[BaseException], ...]:
    """The exceptions a call may end with: those of LangChain, of the HTTP clients and of OpenAI's library where it is
    in use, and what a client library stumbles with over an answer that makes no sense."""
    openai, httpx2 = sys.modules.get("openai"), sys.modules.get("httpx2")
    stumbles = (ValueError, TypeError, LookupError, AttributeError)
    known = (LangChainException, httpx.HTTPError, OSError, *stumbles)
    return (*known, *([openai.OpenAIError] if openai else []), *([httpx2.HTTPError] if httpx2 else []))


def fault_of(error: BaseException, proven: bool) -> Fault | None:
    """The fault an exception stands for, or `None` for one that is no provider's fault but a defect.

    `proven`: whether a call of this run has succeeded before, so that a refused connection is a passing one.
    """
    status, named = getattr(error, "status_code", None), _names(error)
    if isinstance(error, ContextOverflowError) or _code(error) == "context_length_exceeded":
        return Fault("overflow", said_by(error))
    if isinstance(status, int):
        return _of_status(error, status)
    if _code(error) == "insufficient_quota":
        return Fault("refused", said_by(error), fatal=True)
    if isinstance(error, TimeoutError):
        return Fault("timeout", own="late")
    if named & _UNREACHABLE:
        return Fault("unreachable", _root(error), fatal=not proven, own="unreachable")
    if named & _LATE:
        return Fault("timeout", own="late")
    if late := next((link for link in _chain(error) if isinstance(link, TooLong)), None):
        return too_long(late.most)
    if "Packed" in named:
        return Fault("malformed", _root(error), own="packed")
    if isinstance(error, ModelError):
        return Fault("connection", said_by(error), fatal=not error.is_retryable)
    if named & _BROKEN:
        return Fault("connection", said_by(error), own="broken_off")
    if isinstance(error, JSONDecodeError) or _stumbled(error):
        return Fault("malformed", f"{type(error).__name__}: {said_by(error)}", own="senseless")
    return None


def _of_status(error: BaseException, status: int) -> Fault:
    said, code = said_by(error), _code(error)
    if 300 <= status < 400:
        return Fault("refused", f"{status} leads to {_elsewhere(error)}; name that address", fatal=True)
    wrong = status in (400, 413, 422)
    if wrong and (parameter := _setting(getattr(error, "param", None))):
        return Fault("parameter", said, parameter=parameter)
    if wrong and _OVERFLOW.search(said):
        return Fault("overflow", said)
    if status == 400 and ("content_policy" in code or "content_filter" in code):
        return Fault("refusal", said, content=True)
    if wrong and (parameter := _setting(said)):
        return Fault("parameter", said, parameter=parameter)
    if status == 429 and "insufficient_quota" not in (code, getattr(error, "type", "")):
        return Fault("rate_limit", said, after=_retry_after(error))
    said = said if str(status) in said else f"{status} {said}"
    if status in (408, 409) or status >= 500:
        return Fault("server", said, after=_retry_after(error))
    return Fault("refused", said, fatal=True)


def _elsewhere(error: BaseException) -> str:
    """Where a redirect points, which is not followed: what is asked goes to the server that was named."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    return masked(storable(str(headers.get("location", "another address")))).partition("?")[0][:200]


def _code(error: BaseException) -> str:
    return str(getattr(error, "code", None) or "")


def _setting(text: object) -> str:
    """The setting a refusal names as unwelcome, if it is one that can be left out."""
    found = _SETTING.search(text) if isinstance(text, str) else None
    return found[1] if found else ""


def _retry_after(error: BaseException) -> float:
    """Seconds the server asks to wait, from a number or a date; 0 for none."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    value = str(headers.get("retry-after", ""))
    seconds = float(value) if re.fullmatch(r"\d+(\.\d+)?", value) else seconds_until(value)
    return min(LONGEST_WAIT, max(0.0, seconds))


def said_by(error: BaseException) -> str:
    """What the server said, on one line, shortened, with every key masked, in signs that can be written."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    text = masked(" ".join(storable(str(message or error)[:READ]).split()))
    return text if len(text) <= 300 else text[:297] + "..."


def masked(text: str) -> str:
    """`text` without the keys of this process's environment and without anything that looks like one."""
    for name, value in os.environ.items():
        if len(value) >= 6 and re.search(r"KEY|TOKEN|SECRET|PASSWORD", name) and not name.startswith("MOOT_ALLOW"):
            text = _without(text.replace(value, "…"), value)
    return _KEY.sub("…", text)


def _without(text: str, secret: str) -> str:
    """`text` without a secret in another case, with other signs in it, or, of a long one, a part of it."""
    places = [place for place, sign in enumerate(text) if sign.isalnum()]
    said = "".join(text[place].lower()[:1] for place in places)
    key = "".join(sign.lower()[:1] for sign in secret if sign.isalnum())
    size = PART if len(key) >= 2 * PART else len(key)
    if size < 6:
        return text
    parts = {key[start : start + size] for start in range(len(key) - size + 1)}
    found = sorted({hit.start() for part in parts for hit in re.finditer(f"(?={part})", said)})
    spans = list[tuple[int, int]]()
    for start in found:
        begins = spans.pop()[0] if spans and spans[-1][1] >= start else start
        spans.append((begins, start + size))
    for begins, ends in reversed(spans):
        text = f"{text[: places[begins]]}…{text[places[ends - 1] + 1 :]}"
    return text


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in seen:
        seen.append(current)
        yield current
        current = current.__cause__ or current.__context__


def _names(error: BaseException) -> set[str]:
    """The names of all exception classes in the chain: HTTP clients differ in module, not in name."""
    return {kind.__name__ for link in _chain(error) for kind in type(link).__mro__}


def _root(error: BaseException) -> str:
    """What the first of a chain said; that a wait was cancelled at its deadline says nothing of the server."""
    *_, first = (said_by(link) for link in _chain(error) if not isinstance(link, CancelledError))
    return first or os.strerror(errno.ETIMEDOUT)


def _stumbled(error: BaseException) -> bool:
    """Whether it was raised inside a client library, over an answer that makes no sense."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and str(frames[-1].f_globals.get("__name__", "")).split(".")[0] in _CLIENTS
