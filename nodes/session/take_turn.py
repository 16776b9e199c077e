"""A model's turn in a session: like any turn, and the floor goes on whether or not it was used."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, cast

from pydantic import BaseModel, ConfigDict, Field

from ...prompts import Catalogue, term
from ...state.discussion import DiscussionRules
from ...state.fence import storable
from ...state.incident import PASSED_OVER, Incident
from ...state.session import SessionState, overdue
from ...state.session.channels import SessionStage, SessionUpdate
from ...state.statement import Participant
from ...state.writes import Update
from ..asking import Asking, Brief, asking_participant, at
from ..asking.ask import Answer, Check, ask
from ..asking.cost import cost
from ..clock import now, written
from ..models.failures import Unavailable
from ..statement import heard, holder, raw_kept, sound, stated, told_to_speak
from .deliver import announced
from .events import closed, joined, moved_on, run_out, session_of, violations, with_news


class Say(BaseModel):
    """A statement whose speaker may close the session."""

    model_config = ConfigDict(extra="forbid")

    statement: str = Field(max_length=100_000)
    close: bool = Field(description="close")
    reason: str = Field(max_length=2000, description="close_reason")


class Said(NamedTuple):
    """What a turn brought: statement, calls, incidents; and why its speaker closes the session, if it does."""

    news: Update
    ending: str | None = None


def take_turn(words: Catalogue) -> Callable[[SessionStage], object]:
    """The step in which the model that holds the floor speaks."""

    async def take_turn(state: SessionStage) -> SessionUpdate:
        """Ask whoever holds the floor; record the statement or the missed turn, and pass the floor on.

        Reads what was given, floor, round, turn, record, memory, summary, view_limits and the session's channels;
        writes history, calls, incidents, floor, round, turn, events, status, since, warned, view_limits, memory.
        """
        began = now()
        news = run_out(state, began)
        if not news:
            said = await _asked(state, words, holder(state))
            news = arrived({**state, "since": written(began)}, said, now())
        return announced(len(state["events"]), news)

    return take_turn


async def _asked(state: SessionStage, words: Catalogue, speaker: Participant) -> Said:
    rules, told = state["rules"], told_to_speak(state, words, speaker)
    asking = at(asking_participant(state, speaker), state["turn"] + 1, max(1, state["round"]))
    if not isinstance(rules, DiscussionRules) or not rules.models_may_close:
        return Said(await heard(told, asking, speaker, rules))
    return await _heard_or_closed(told, replace(asking, schema=Say), speaker)


async def _heard_or_closed(told: Brief, asking: Asking, one: Participant) -> Said:
    """A statement that comes with a word on whether to go on."""
    try:
        answer = await ask(told, asking, _sound_or_closing(sound(told, one, asking.rules)))
    except Unavailable as lost:
        return Said(cost(one.name, lost))
    assert isinstance(answer.value, Say)
    news = cost(one.name, raw_kept(_plain(answer), one.name))
    if answer.value.statement.strip():
        news["history"] = [stated(_plain(answer), one, asking.turn, asking.round)]
    return Said(news, answer.value.reason if answer.value.close else None)


def _sound_or_closing(check: Check) -> Check:
    def checked(answer: Answer) -> str | None:
        wordless = isinstance(answer.value, Say) and answer.value.close and not answer.value.statement.strip()
        return None if wordless else check(_plain(answer))

    return checked


def _plain(answer: Answer) -> Answer:
    """The answer as if it had been given without a form."""
    said = answer.value
    return replace(answer, text=storable(said.statement), value=None) if isinstance(said, Say) else answer


def arrived(state: SessionStage, said: Said, moment: datetime) -> SessionUpdate:
    """A model's answer comes in: taken, unless the session is over by now or it is later than a hiding would be.

    A model's clock runs while it is asked. It cannot come back by itself, so one that is too late loses this turn only.
    """
    session, late = session_of(state), overdue(session_of(state), moment)
    over = run_out(state, moment)
    news = cast(SessionUpdate, said.news) | SessionUpdate(events=violations(session, late, moment))
    if over or (late and late[-1].action == "hide"):
        said = Said(news)
        news = _too_late(news, session, written(moment))
    if over:
        return joined(news, over)
    used = bool(news.get("history"))
    news = joined(news, moved_on(state, session.expected, "text" if used else "turn_passed", moment))
    if said.ending is None:
        return news
    return joined(news, closed(with_news(state, news), session.expected, said.ending, moment))


def _too_late(news: SessionUpdate, session: SessionState, at: str) -> SessionUpdate:
    """The same without its statement, and why."""
    if "history" not in news:
        return news
    late = Incident(
        where="take_turn",
        who=session.expected,
        what=term(session.rules.language, "noted", "came_late"),
        kind="late",
        consequence=PASSED_OVER,
        turn=session.turn + 1,
        at=at,
        severity="degraded",
    )
    kept = cast(SessionUpdate, {key: value for key, value in news.items() if key != "history"})
    return kept | SessionUpdate(incidents=[*news.get("incidents", []), late])
