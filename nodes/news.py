"""News: what a step is about to write, put together and read before it is written."""

from typing import cast

from ..state.session_state import SessionStage, SessionUpdate


def with_news(state: SessionStage, news: SessionUpdate) -> SessionStage:
    """The channels as they will be when `news` is recorded."""
    history, events = news.get("history", []), news.get("events", [])
    grown = {"history": [*state["history"], *history], "events": [*state["events"], *events]}
    return cast(SessionStage, {**state, **news, **grown})


def joined(first: SessionUpdate, then: SessionUpdate) -> SessionUpdate:
    """Two pieces of news as one."""
    events = [*first.get("events", []), *then.get("events", [])]
    return first | then | SessionUpdate(events=events) if events else first | then
