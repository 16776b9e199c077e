"""What a model server remembers: every request, how many were under way at once, what went wrong with the test."""

import threading
from collections import Counter
from collections.abc import Callable

from fakeserver.connection import Call
from fakeserver.exchange import Json, Request

CHAT, EMBED = "/v1/chat/completions", "/v1/embeddings"


class Record:
    """Requests in the order they came; safe to read from any thread.

    `keep`: whether requests are kept, or only counted (for benchmarks). `errors`: what no model would do wrong.
    """

    def __init__(self, keep: bool = True) -> None:
        self.keep = keep
        self.errors: list[str] = []
        self.counts: Counter[str] = Counter()  # requests by path
        self.spent: Counter[str] = Counter()  # prompt, cached and completion tokens
        self.peak = 0  # greatest number of chat and embedding requests in flight
        self._kept: list[Request] = []
        self._in_flight = 0
        self._news = threading.Condition()

    def arrive(self, call: Call, body: Json) -> Request:
        with self._news:
            self.counts[call.path] += 1
            request = Request(self.counts.total(), self.counts[call.path], call.path, call.headers, body)
            if self.keep:
                self._kept.append(request)
            self._in_flight += 1
            self.peak = max(self.peak, self._in_flight)
            self._news.notify_all()
        return request

    def leave(self) -> None:
        with self._news:
            self._in_flight -= 1
            self._news.notify_all()

    @property
    def requests(self) -> list[Request]:
        with self._news:
            return list(self._kept)

    @property
    def chats(self) -> list[Request]:
        return [request for request in self.requests if request.path == CHAT]

    @property
    def embeds(self) -> list[Request]:
        return [request for request in self.requests if request.path == EMBED]

    def seen(self, text: str) -> list[Request]:
        """The requests that were told this text."""
        return [request for request in self.requests if text in request.text]

    def wait_for(self, n: int, path: str = CHAT, within: float = 10.0) -> None:
        """Block until `n` requests came to `path`. Raises TimeoutError after `within` seconds, naming what came."""
        self._wait(lambda: self.counts[path] >= n, within, f"{n} requests to {path}")

    def wait_idle(self, within: float = 10.0) -> None:
        """Block until no request is in flight. Raises TimeoutError after `within` seconds."""
        self._wait(lambda: self._in_flight == 0, within, "no request in flight")

    def _wait(self, reached: Callable[[], bool], within: float, what: str) -> None:
        with self._news:
            if not self._news.wait_for(reached, within):
                came = f"came: {dict(self.counts)}, in flight: {self._in_flight}, errors: {self.errors}"
                raise TimeoutError(f"waited {within} s for {what}; {came}")

    def stats(self) -> Json:
        """Counts and token sums, as GET /stats gives them to another process."""
        with self._news:
            return {
                "chats": self.counts[CHAT],
                "embeds": self.counts[EMBED],
                "peak": self.peak,
                **{f"{kind}_tokens": self.spent[kind] for kind in ("prompt", "cached", "completion")},
                "errors": self.errors,
            }

    def reset(self) -> None:
        """Forget everything but requests now in flight."""
        with self._news:
            self.counts.clear()
            self.spent.clear()
            self._kept.clear()
            self.errors.clear()
            self.peak = self._in_flight
