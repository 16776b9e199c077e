"""Classification of an exception as a call failure, by type, status and error code.

The error's text decides in only two cases: a prompt that is too long, and an unsupported parameter.
"""

import base64
import errno
import os
import re
import sys
import traceback
from asyncio import CancelledError
from collections.abc import Iterator
from functools import lru_cache
from json import JSONDecodeError

import httpx
from langchain_core.exceptions import ContextOverflowError, LangChainException, ModelError

from ..state import repair_surrogates
from ..storage import compute_seconds_until
from .answer_size_limit import AnswerTooLongError, make_length_failure
from .api_keys import NO_KEY
from .failures import CallFailure

MAX_MESSAGE_LENGTH, KEY_PART = 4000, 8
"""Maximum characters of a server's message, and number of a key's letters that are masked if they appear together."""

OPTIONAL_SETTINGS = (
    "temperature",
    "max_completion_tokens",
    "max_tokens",
    "response_format",
    "stream_options",
    "seed",
    "tool_choice",
)
"""Settings that a request can omit."""

_TOO_LONG_PROMPT = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|exceeds? the (available )?context|exceed_context"
    r"|prompt is too long|input (length|is too long)|too many tokens",
    re.IGNORECASE,
)
_SETTING_NAME = re.compile(rf"(?<![\w-])({'|'.join((*OPTIONAL_SETTINGS, 'tools'))})(?![\w-])")
_KEY_PATTERN = re.compile(r"\b(?:sk|pk|key)[-_][\w*.-]{6,}|(?<=Bearer )\S{6,}")
_CONNECTION_ERRORS = {
    "APIConnectionError",
    "APIResponseValidationError",
    "APIError",
    "TransportError",
    "ConnectionError",
}


def list_call_errors() -> tuple[type[BaseException], ...]:
    """List the exception classes that a call may raise.

    They are the classes of LangChain, the HTTP clients and the system, and those of OpenAI's library if that is loaded.
    General classes are included, because client libraries raise them for malformed answers.
    """
    openai, httpx2 = sys.modules.get("openai"), sys.modules.get("httpx2")
    parsing_errors = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
    errors = (LangChainException, httpx.HTTPError, OSError, *parsing_errors)
    return (*errors, *([openai.OpenAIError] if openai else []), *([httpx2.HTTPError] if httpx2 else []))


def find_call_failure(error: BaseException, has_succeeded: bool) -> CallFailure | None:
    """Return the call failure that an exception stands for, or `None` for a defect in Moot.

    `has_succeeded`: whether an earlier call of this run succeeded. If so, a refused connection counts as temporary.
    """
    status, code = getattr(error, "status_code", None), _get_error_code(error)
    # HTTP clients differ in module, not in name.
    class_names = {error_class.__name__ for link in _list_causes(error) for error_class in type(link).__mro__}
    if isinstance(error, ContextOverflowError) or code == "context_length_exceeded":
        return CallFailure("overflow", extract_message(error))
    if isinstance(status, int):
        return _map_status(error, status)
    if re.fullmatch("[45][0-9][0-9]", code):  # the status in an answer with status 200
        return _map_status(error, int(code))
    if code == "insufficient_quota":
        return CallFailure("refused", extract_message(error), is_fatal=True)
    if isinstance(error, TimeoutError):
        return CallFailure("timeout", phrase_key="late")
    if class_names & {"ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror", "ClientConnectorError"}:
        return CallFailure(
            "unreachable", _get_root_message(error), is_fatal=not has_succeeded, phrase_key="unreachable"
        )
    if class_names & {"TimeoutException", "APITimeoutError", "TimeoutError"}:
        return CallFailure("timeout", phrase_key="late")
    if length_error := next((link for link in _list_causes(error) if isinstance(link, AnswerTooLongError)), None):
        return make_length_failure(length_error.limit)
    if "UnexpectedEncodingError" in class_names:
        return CallFailure("malformed", _get_root_message(error), phrase_key="packed")
    if isinstance(error, ModelError):
        return CallFailure("connection", extract_message(error), is_fatal=not error.is_retryable)
    if class_names & _CONNECTION_ERRORS:
        return CallFailure("connection", extract_message(error), phrase_key="broken_off")
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    sources = [str(frame.f_globals.get("__name__", "")).split(".")[0] for frame in frames]
    source = next((name for name in reversed(sources) if name != "pydantic"), "")
    is_raised_by_parser = source in ("openai", "langchain_openai", "langchain_core", "langchain", "json")
    if isinstance(error, JSONDecodeError | RecursionError) or is_raised_by_parser:
        return CallFailure("malformed", f"{type(error).__name__}: {extract_message(error)}", phrase_key="senseless")
    return None


def _map_status(error: BaseException, status: int) -> CallFailure:
    message, code = extract_message(error), _get_error_code(error)
    if 300 <= status < 400:
        # Moot follows no redirect.
        headers = getattr(getattr(error, "response", None), "headers", {})
        address = mask_keys(repair_surrogates(str(headers.get("location", "another address")))).partition("?")[0][:200]
        return CallFailure("refused", f"the server redirects to {address} ({status}); use that address", is_fatal=True)
    is_invalid = status in (400, 413, 422)
    if is_invalid and (parameter := _extract_setting(getattr(error, "param", None))):
        return CallFailure("parameter", message, parameter=parameter)
    if is_invalid and _TOO_LONG_PROMPT.search(message):
        return CallFailure("overflow", message)
    if status == 400 and ("content_policy" in code or "content_filter" in code):
        return CallFailure("refusal", message, is_content_fault=True)
    if is_invalid and (parameter := _extract_setting(message)):
        return CallFailure("parameter", message, parameter=parameter)
    if status == 429 and "insufficient_quota" not in (code, getattr(error, "type", "")):
        return CallFailure("rate_limit", message, retry_after=_get_retry_delay(error))
    message = message if str(status) in message else f"{status} {message}"
    request = getattr(getattr(error, "response", None), "request", None)
    if status == 401 and getattr(request, "headers", {}).get("authorization") == f"Bearer {NO_KEY}":
        message += "; name the key's variable: openai:NAME@URL#NAME_API_KEY"
    if status in (408, 409) or status >= 500:
        return CallFailure("server", message, retry_after=_get_retry_delay(error))
    return CallFailure("refused", message, is_fatal=True, is_rejected_request=status == 400)


def _get_error_code(error: BaseException) -> str:
    return str(getattr(error, "code", None) or "")


def _extract_setting(text: object) -> str:
    match = _SETTING_NAME.search(text) if isinstance(text, str) else None
    return match[1] if match else ""


def _get_retry_delay(error: BaseException) -> float:
    """Return the seconds that the server asks to wait, at most 30 days; 0 if it states none."""
    value = str(getattr(getattr(error, "response", None), "headers", {}).get("retry-after", ""))
    seconds = float(value) if re.fullmatch(r"\d+(\.\d+)?", value) else compute_seconds_until(value)
    return min(30 * 86_400.0, max(0.0, seconds))


def extract_message(error: BaseException) -> str:
    """Return the server's message in `error` as one clipped line, without keys and odd characters."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    text = mask_keys(" ".join(repair_surrogates(str(message or error)[:MAX_MESSAGE_LENGTH]).split()))
    return text if len(text) <= 300 else text[:297] + "..."


def mask_keys(text: str) -> str:
    """Return `text` without the keys in this process's environment and anything that looks like a key."""
    for name, value in os.environ.items():
        if len(value) >= 6 and re.search(r"KEY|TOKEN|SECRET|PASSWORD", name) and not name.startswith("MOOT_ALLOW"):
            for form in _list_secret_forms(value):
                text = _mask_secret(text.replace(form, "…"), form)
    return _KEY_PATTERN.sub("…", text)


@lru_cache(maxsize=64)
def _list_secret_forms(secret: str) -> list[str]:
    """Return the forms in which a text may contain a secret.

    They are the secret as it is, in base64 at any offset, and with its bytes as numbers or escapes.
    """
    secret_bytes = secret.encode(errors="surrogateescape")
    base64_forms = [
        base64.b64encode(b"\0" * offset + secret_bytes).decode()[(0, 2, 3)[offset] :].rstrip("=")[:-1]
        for offset in range(3)
    ]
    escapes = ["".join(pattern % byte for byte in secret_bytes) for pattern in ("%02x", "x%02x", "u%04x", "%d")]
    return [secret, *base64_forms, *escapes]


def _mask_secret(text: str, secret: str) -> str:
    """Return `text` without a secret, in any letter case, even if other characters interrupt the secret.

    Parts of a long secret are removed too.
    """
    indexes = [index for index, character in enumerate(text) if character.isalnum()]
    letters = "".join(text[index].lower()[:1] for index in indexes)
    size, parts = _index_secret_parts(secret)
    starts = [start for start in range(len(letters) - size + 1) if letters[start : start + size] in parts]
    spans = list[tuple[int, int]]()
    for start in starts:
        span_start = spans.pop()[0] if spans and spans[-1][1] >= start else start
        spans.append((span_start, start + size))
    for span_start, end in reversed(spans):
        text = f"{text[: indexes[span_start]]}…{text[indexes[end - 1] + 1 :]}"
    return text


@lru_cache(maxsize=512)
def _index_secret_parts(secret: str) -> tuple[int, frozenset[str]]:
    """Return the length of the parts of a secret to remove, and the parts; none for a short secret."""
    letters = "".join(character.lower()[:1] for character in secret if character.isalnum())
    size = KEY_PART if len(letters) >= 2 * KEY_PART else len(letters)
    starts = range(len(letters) - size + 1) if size >= 6 else ()
    return size, frozenset(letters[start : start + size] for start in starts)


def _list_causes(error: BaseException) -> Iterator[BaseException]:
    visited: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in visited:
        visited.append(cause)
        yield cause
        cause = cause.__cause__ or cause.__context__


def _get_root_message(error: BaseException) -> str:
    """Return the message of the first exception in a chain of causes. Cancelled waits are ignored."""
    *_, root_message = (
        extract_message(cause) for cause in _list_causes(error) if not isinstance(cause, CancelledError)
    )
    return root_message or os.strerror(errno.ETIMEDOUT)
