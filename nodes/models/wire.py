"""How much of an answer is read from the wire: no more than a deliberation can use, however it is packed."""

import sys
import zlib
from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import Any

import httpx

from .failures import Fault

LONGEST, MOST = 1_000_000, 64_000_000
"""Bytes of an answer, unpacked, that are read at most; of a batch of vectors, or a list of models."""
FRAME, LEAST = 500, 20
"""Bytes of each event of a stream that are its frame's and do not count, and those that each event counts at least."""
PIECE = 65_536
"""Bytes that are unpacked at a time."""


def too_long(most: int = LONGEST) -> Fault:
    """The fault of an answer of more bytes than these."""
    return Fault("malformed", str(most), own="too_long")


class TooLong(httpx.HTTPError):
    """An answer went on after as many bytes as are read of it; the connection is closed."""

    def __init__(self, most: int) -> None:
        super().__init__(f"it went on after {most} bytes")
        self.most = most


class Packed(httpx.HTTPError):
    """An answer came packed in a way that was not asked for."""


class Bounded:
    """The bytes of an answer, unpacked. Raises `TooLong` where they go on after `most`."""

    def __init__(self, stream: Any, packing: str, streams: bool, most: int) -> None:
        self._stream, self._streams, self._most = stream, streams, most
        self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32) if packing else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        counted = 0
        async for chunk in self._stream:
            for piece in self._unpacked(chunk):
                counted += self._size(piece)
                if counted > self._most:
                    raise TooLong(self._most)
                yield piece

    def _size(self, piece: bytes) -> int:
        """The bytes of a piece that count: of a stream's events only what is more than their frames."""
        events = piece.count(b"\n\n") if self._streams else 0
        return max(len(piece) - FRAME * events, LEAST * events)

    def _unpacked(self, chunk: bytes) -> Iterator[bytes]:
        while chunk and self._unpacker:
            try:
                piece = self._unpacker.decompress(chunk, PIECE)
            except zlib.error as fault:
                raise Packed(str(fault)) from None
            if piece:
                yield piece
            chunk = self._unpacker.unconsumed_tail
        if chunk:
            yield chunk

    async def aclose(self) -> None:
        """Close the connection, or give it back."""
        await self._stream.aclose()


PACKINGS = {"accept-encoding": "gzip, deflate"}
"""How a request says in which ways its answer may be packed."""


async def bound_many(response: Any) -> None:
    """Let no more of a batch of vectors, or of a list of models, be read than `MOST` bytes."""
    await bound(response, MOST)


async def bound(response: Any, most: int = LONGEST) -> None:
    """Let no more of an answer be read than these bytes, counted after unpacking."""
    packing = response.headers.pop("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip", "deflate"):
        raise Packed(packing[:50])
    streams = "event-stream" in response.headers.get("content-type", "")
    kind = _kind(type(response).__module__.partition(".")[0])
    response.stream = kind(response.stream, "" if packing == "identity" else packing, streams, most)


@cache
def _kind(library: str) -> type[Any]:
    """The same as a stream of the HTTP library in use, which takes none but its own."""
    return type("BoundedStream", (Bounded, sys.modules[library].AsyncByteStream), {})
