"""HTTP answers as bytes."""

import json
from collections.abc import Mapping
from http import HTTPStatus

import orjson

from fakeserver.exchange import Json

CHUNK_END = b"0\r\n\r\n"
REASONS = {status.value: status.phrase for status in HTTPStatus}


def head(status: int, kind: str, length: int | None, extra: Mapping[str, str]) -> bytes:
    """The head of an answer; without a length the body comes in chunks."""
    size = "transfer-encoding: chunked" if length is None else f"content-length: {length}"
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Unknown')}", f"content-type: {kind}", size]
    return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in extra.items()), "", ""]).encode()


def plain(body: Json | str, status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    """An answer with a body of known length, as one piece."""
    data = body.encode() if isinstance(body, str) else dumped(body)
    kind = "text/html" if data.startswith(b"<") else "application/json"
    return head(status, kind, len(data), headers or {}) + data


def dumped(body: Json) -> bytes:
    """JSON, in which half of a surrogate pair stands escaped, as some servers send it."""
    try:
        return orjson.dumps(body)
    except TypeError:
        return json.dumps(body).encode()


def halves(whole: bytes) -> list[bytes]:
    """The head of an answer and two halves of its body."""
    start = whole.index(b"\r\n\r\n") + 4
    middle = (start + len(whole)) // 2
    return [whole[:start], whole[start:middle], whole[middle:]]


def sse(data: bytes) -> bytes:
    """One server-sent event as one chunk."""
    return b"%x\r\ndata: %b\n\n\r\n" % (len(data) + 8, data)
