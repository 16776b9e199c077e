"""Tell observers what entered a session's log: custom events of the stream."""

from collections.abc import Sequence

from langgraph.config import get_stream_writer

from ..state.session import Event
from ..state.session_state import SessionUpdate
from ..state.statement import Statement


def announced(logged: int, news: SessionUpdate) -> SessionUpdate:
    """`news`, its events put on the stream as `{event, seq, who, turn, text, …}`; `logged` entries came before them."""
    for seq, event in enumerate(delivered(news.get("events", []), news.get("history", [])), start=logged + 1):
        told = event.model_dump(exclude={"kind"}) | {"seq": seq}
        get_stream_writer()({"event": event.kind} | told)
    return news


def delivered(events: Sequence[Event], history: Sequence[Statement]) -> list[Event]:
    """The events as those they are delivered to get them: a text with its words, which the log does not keep twice."""
    said = {one.turn: one.content for one in history}
    return [one.model_copy(update={"text": said.get(one.turn, "")}) if one.kind == "text" else one for one in events]
