"""Limit on the bytes of a server's answer. Every answer that a deliberation can use fits."""

import sys
import zlib
from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import Any

import httpx

from .failures import CallFailure

MAX_ANSWER_BYTES, MAX_BATCH_BYTES = 1_000_000, 64_000_000
"""Maximum unpacked bytes of an answer, and of a batch of vectors or a list of models."""
FRAME_BYTES, MIN_EVENT_BYTES = 500, 20
"""Bytes of a streamed event's frame, which are not counted, and minimum bytes that an event counts as."""


def make_length_failure(limit: int = MAX_ANSWER_BYTES) -> CallFailure:
    """Make the failure of an answer with more bytes than the limit."""
    return CallFailure("malformed", str(limit), phrase_key="too_long")


class AnswerTooLongError(httpx.HTTPError):
    """Error for an answer that exceeds the limit on bytes. The connection is closed."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"it continued after {limit} bytes")
        self.limit = limit


class UnexpectedEncodingError(httpx.HTTPError):
    """Error for an answer in an encoding that was not requested."""


class BoundedStream:
    """Stream of an answer's unpacked bytes. Raises `AnswerTooLongError` if they exceed the limit."""

    def __init__(self, stream: Any, encoding: str, has_events: bool, limit: int) -> None:
        self._stream, self._has_events, self._limit = stream, has_events, limit
        self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32) if encoding else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        byte_count = 0
        async for chunk in self._stream:
            for unpacked_bytes in self._unpack_chunk(chunk):
                # A streamed event counts without the bytes of its frame, but at least `MIN_EVENT_BYTES`.
                events = unpacked_bytes.count(b"\n\n") if self._has_events else 0
                byte_count += max(len(unpacked_bytes) - FRAME_BYTES * events, MIN_EVENT_BYTES * events)
                if byte_count > self._limit:
                    raise AnswerTooLongError(self._limit)
                yield unpacked_bytes

    def _unpack_chunk(self, chunk: bytes) -> Iterator[bytes]:
        while chunk and self._unpacker:
            try:
                unpacked_bytes = self._unpacker.decompress(chunk, 65_536)
            except zlib.error as error:
                raise UnexpectedEncodingError(str(error)) from None
            if unpacked_bytes:
                yield unpacked_bytes
            chunk = self._unpacker.unconsumed_tail
        if chunk:
            yield chunk

    async def aclose(self) -> None:
        """Close the connection, or return it to its pool."""
        await self._stream.aclose()


ENCODING_HEADERS = {"accept-encoding": "gzip, deflate"}
"""Headers with the encodings that an answer may have."""


async def limit_batch(response: Any) -> None:
    """Limit the bytes of a response with vectors or model names to `MAX_BATCH_BYTES`."""
    await limit_answer(response, MAX_BATCH_BYTES)


async def limit_answer(response: Any, limit: int = MAX_ANSWER_BYTES) -> None:
    """Limit the bytes of a response, counted after decompression.

    Raises `UnexpectedEncodingError` for an encoding that was not requested.
    """
    encoding = response.headers.pop("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip", "deflate"):
        raise UnexpectedEncodingError(encoding[:50])
    has_events = "event-stream" in response.headers.get("content-type", "")
    stream_class = _make_stream_class(type(response).__module__.partition(".")[0])
    response.stream = stream_class(response.stream, "" if encoding == "identity" else encoding, has_events, limit)


@cache
def _make_stream_class(library: str) -> type[Any]:
    """Make the class of limited streams for an HTTP library. It accepts only subclasses of its own."""
    return type("BoundedStream", (BoundedStream, sys.modules[library].AsyncByteStream), {})
