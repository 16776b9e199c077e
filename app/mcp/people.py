"""People in a deliberation of an assistant: asked by the client's own form, wherever it can show one."""

from datetime import datetime
from typing import Any

from mcp_types import ClientCapabilities, ElicitRequestFormParams, ElicitResult

from ...nodes.asking.outside import PASS
from ...nodes.clock import now
from ..display.wording import answer_head, say, turn_head
from ..failure import Waits
from ..people.waiting import Waiting, seen, waiting
from ..saved import Saved
from .forms import entered, flat


class Asks(Waits):
    """A run waits for a person. `one`: the question; `asking`: the form that puts it."""

    def __init__(self, waits: Waits, saved: Saved) -> None:
        super().__init__(waits.who, str(waits))
        self.run, self.one = saved.run.run, waiting(saved)[0]
        self.asking = form_of(saved, self.one)

    @property
    def sign(self) -> str:
        """What tells this question from every other."""
        return sign_of(self.run, self.one)

    @property
    def seconds(self) -> float | None:
        """Seconds until the time of whoever is asked is over; none: it has no end."""
        until = self.one["deadline"]
        return max(0.0, (datetime.fromisoformat(until) - now()).total_seconds()) if until else None


def sign_of(run: str, one: Waiting) -> str:
    """What tells a question from every other."""
    return f"{run} {one['id']} {one['attempt']}"


def form_of(saved: Saved, one: Waiting) -> ElicitRequestFormParams:
    """The form of a question: what was said since they spoke last, what only they are told, and what is asked."""
    who, language = one["who"], one["language"]
    heard = seen(saved, who)
    since = max((each.turn for each in heard if each.speaker == who), default=0)
    is_turn = one["purpose"] == "statement"
    head = turn_head(who, one["turn"], language) if is_turn else f"{who}: {answer_head(one['purpose'], language)}"
    told = {"attempt": one["attempt"], "attempts": one["attempts"]}
    parts = [
        *(f"{each.turn}. {each.speaker}: {each.content}" for each in heard if each.turn > since),
        head,
        *(say(language, f"seat.{key}", text=text) for key in ("private", "memory") if (text := one[key])),
        one["words"],
        say(language, "seat.until", deadline=one["deadline"]) if one["deadline"] else "",
        say(language, "seat.wrong", fault=one["fault"], **told) if one["fault"] else "",
    ]
    message = "\n\n".join(filter(None, parts))
    return ElicitRequestFormParams(message=message, requested_schema=flat(one["schema"], head))


def answered(asks: Asks, result: ElicitResult) -> Any:
    """The answer that was entered; a form that was declined lets the question pass.

    Raises `Waits` for one that was put away: the run waits on.
    """
    if result.action == "cancel":
        raise Waits(asks.who, str(asks))
    return entered(asks.one["schema"], result.content or {}) if result.action == "accept" else {PASS: True}


def can_show_forms(known: ClientCapabilities | None) -> bool:
    """Whether a client can show a form to its user."""
    shows = known.elicitation if known else None
    return shows is not None and (shows.form is not None or shows.url is None)
