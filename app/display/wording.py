"""Display phrases in the run's language: turns, current steps, retries."""

from collections.abc import Mapping
from typing import Any

from ...prompts import load_phrases, load_table
from ...state.incident import Incident
from ...state.prices import Prices
from ...state.statement import MODERATOR


def translate_display_phrase(language: str, key: str, /, **values: object) -> str:
    """Return a phrase of the display in a language."""
    return load_phrases("display").translate_phrase(language, key, **values)


def describe_step(step: str, name: str, language: str) -> str:
    """Describe a step in progress, or return its name if it has no phrase."""
    has_phrase = step in load_phrases("display").list_keys("steps")
    return translate_display_phrase(language, f"steps.{step}", who=name) if has_phrase else step.replace("_", " ")


def format_turn_heading(name: str, turn: int, language: str, max_turns: int = 0) -> str:
    """Format the heading of a turn: speaker and number.

    `max_turns`: the most turns possible, 0 if unknown.
    """
    return translate_display_phrase(
        language, "turn.head_of" if max_turns else "turn.head", who=name, turn=turn, turns=max_turns
    )


def format_answer_heading(purpose: str, language: str) -> str:
    """Format the heading of an answer that is no statement."""
    has_phrase = purpose in load_phrases("report").list_keys("stages")
    return (
        load_phrases("report").translate_phrase(language, f"stages.{purpose}") if has_phrase else purpose
    ).capitalize()


def describe_retry(name: str, kind: str, language: str) -> str:
    """Describe a retry: the participant or role, and the fault of its last answer."""
    label = (
        translate_display_phrase(language, f"roles.{name}")
        if name in load_phrases("display").list_keys("roles")
        else name
    )
    return translate_display_phrase(
        language, "turn.asked_again", who=label, kind=load_table("terms", language)["kinds"].get(kind, kind)
    )


def describe_missed_turn(incident: Incident, language: str, key: str = "turn.passed_over") -> str:
    """Describe a missed turn: participant, number and reason."""
    return translate_display_phrase(language, key, who=incident.who, turn=incident.turn, what=incident.what)


def count_statements(document: Mapping[str, Any]) -> int:
    """Count the statements in a run's document, without lines of the protocol itself."""
    return sum(turn["speakerId"] != MODERATOR for turn in document["turns"])


def format_token_count(count: int, language: str) -> str:
    """Format the number of tokens a statement took."""
    return load_phrases("report").translate_phrase(language, "talk.tokens", count=f"{count:,}")


def format_money(money: float, prices: Prices) -> str:
    """Format an amount of money with its currency sign, if known."""
    return f"{prices.sign}{money:,.4g}"
