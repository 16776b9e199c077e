"""Tell observers what entered a session's log: custom events of the stream."""

from langgraph.config import get_stream_writer

from ..state.deliberation import Update


def announced(logged: int, news: Update) -> Update:
    """`news`, its events put on the stream as `{event, seq, who, turn, text, …}`; `logged` entries came before them."""
    for seq, event in enumerate(news.get("events", []), start=logged + 1):
        told = event.model_dump(exclude={"kind"}) | {"seq": seq}
        get_stream_writer()({"event": event.kind} | told)
    return news
