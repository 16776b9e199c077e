"""Phrases a display shows during a run, in the run's language: turns, steps under way, repeated questions."""

from collections.abc import Mapping
from typing import Any

from ...prompts import phrases, table
from ...state.incident import Incident
from ...state.settings import Prices
from ...state.statement import MODERATOR


def say(language: str, key: str, /, **values: object) -> str:
    """A phrase of the display's own."""
    return phrases("display").say(language, key, **values)


def doing(step: str, who: str, language: str) -> str:
    """What is shown while a step is under way; a step without a phrase is shown by its name."""
    known = step in phrases("display").keys("steps")
    return say(language, f"steps.{step}", who=who) if known else step.replace("_", " ")


def turn_head(who: str, turn: int, language: str, turns: int = 0) -> str:
    """The heading of a turn: speaker and number; `turns`: how many there can be, 0: unknown."""
    return say(language, "turn.head_of" if turns else "turn.head", who=who, turn=turn, turns=turns)


def answer_head(purpose: str, language: str) -> str:
    """The heading of an answer that is no statement."""
    known = purpose in phrases("report").keys("stages")
    return (phrases("report").say(language, f"stages.{purpose}") if known else purpose).capitalize()


def asked_again(who: str, kind: str, language: str) -> str:
    """Who has to answer anew, and what was wrong with the last answer."""
    named = say(language, f"roles.{who}") if who in phrases("display").keys("roles") else who
    return say(language, "turn.asked_again", who=named, kind=table("terms", language)["kinds"].get(kind, kind))


def passed_over(incident: Incident, language: str, key: str = "turn.passed_over") -> str:
    """Who missed which turn, and why."""
    return say(language, key, who=incident.who, turn=incident.turn, what=incident.what)


def statements(document: Mapping[str, Any]) -> int:
    """How many statements a run's document has; the lines of the protocol's own are none."""
    return sum(one["speakerId"] != MODERATOR for one in document["turns"])


def cost(count: int, language: str) -> str:
    """What a statement cost."""
    return phrases("report").say(language, "talk.tokens", count=f"{count:,}")


def amount(money: float, prices: Prices) -> str:
    """An amount of money, with the sign of its currency where that is known."""
    return f"{prices.sign}{money:,.4g}"
