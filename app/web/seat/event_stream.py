"""Stream of a seat's events, limited to the statements that the seat may see."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from starlette.types import Send

from ...saved import SavedRun
from ..event_stream import EventStream
from ..run_events import StreamEvent, describe_next_step, get_run_state, list_awaited_names
from ..run_subscribers import Hub, Subscriber
from .view import find_question, list_statements_of_others


class SeatStream(EventStream):
    """Stream that checks the view of a seat after each event of the run.

    `read_count`: number of other participants' statements on the seat's page. `load_state`: load the run, and whether a
    process runs it; `None` after the seat's link was revoked.
    """

    def __init__(
        self,
        hub: Hub,
        run: str,
        subscriber: Subscriber,
        name: str,
        read_count: int,
        load_state: Callable[[], Awaitable[tuple[SavedRun, bool] | None]],
    ) -> None:
        super().__init__(hub, run, subscriber)
        self.name, self.read_count, self.load_state = name, read_count, load_state
        self.last_state: dict[str, Any] = {}

    async def _send_part(self, send: Send, part: bytes) -> None:
        """Send the news of the seat in place of the event for all subscribers."""
        if part.startswith((b"event: doing", b"event: words")):
            return
        if not part.startswith((b"id:", b"event:")):
            await super()._send_part(send, part)
        run_and_lock = await self.load_state()
        if run_and_lock is None:
            self.subscriber.is_dropped = True
            return
        for event in self._list_news(*run_and_lock):
            await super()._send_part(send, event.encode())

    def _list_news(self, saved_run: SavedRun, is_locked: bool) -> Iterator[StreamEvent]:
        statements = list_statements_of_others(saved_run, self.name)
        if len(statements) < self.read_count:
            yield StreamEvent("anew", {})
        for count, statement in enumerate(statements[self.read_count :], self.read_count + 1):
            yield StreamEvent(
                "said", {"turn": statement.turn, "who": statement.speaker, "text": statement.content}, (count,)
            )
        self.read_count = len(statements)
        question = find_question(saved_run, self.name)
        state = {
            "state": get_run_state(saved_run, is_locked),
            "who": list_awaited_names(saved_run),
            "doing": describe_next_step(saved_run),
        }
        state["asked"] = question["id"] if question else ""
        if state != self.last_state:
            self.last_state = state
            yield StreamEvent("waiting", state, (self.read_count,))
