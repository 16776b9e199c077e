"""Display phrases in the run's language: turns, current steps, retries."""

from collections.abc import Mapping
from math import floor, log10
from typing import Any

from ...prompts import get_term, load_phrases, load_table
from ...state import MODERATOR, Incident, Prices


def translate_display_phrase(language: str, key: str, /, **values: object) -> str:
    """Return a phrase of the display in a language."""
    return load_phrases("display").translate_phrase(language, key, **values)


def translate_report_phrase(language: str, key: str, /, **values: object) -> str:
    """Return a phrase of the report in a language."""
    return load_phrases("report").translate_phrase(language, key, **values)


def get_label(language: str, section: str, key: str, kind: str = "report") -> str:
    """Return the phrase for an id, or the id if it has no phrase."""
    phrases = load_phrases(kind)
    return phrases.translate_phrase(language, f"{section}.{key}") if key in phrases.list_keys(section) else key


def describe_step(step: str, name: str, language: str) -> str:
    """Describe a step in progress, or return its name if no phrase exists."""
    has_phrase = step in load_phrases("display").list_keys("steps")
    return translate_display_phrase(language, f"steps.{step}", who=name) if has_phrase else step.replace("_", " ")


def format_turn_heading(name: str, turn: int, language: str, max_turns: int = 0) -> str:
    """Format the heading of a turn: speaker and number.

    `max_turns`: maximum number of turns, or 0 if unknown.
    """
    return translate_display_phrase(
        language, "turn.head_of" if max_turns else "turn.head", who=name, turn=turn, turns=max_turns
    )


def describe_retry(name: str, kind: str, language: str) -> str:
    """Describe a retry: the participant or role, and the fault of the last answer."""
    label, fault = get_label(language, "roles", name, "display"), load_table("terms", language)["kinds"].get(kind, kind)
    return translate_display_phrase(language, "turn.asked_again", who=label, kind=fault)


def describe_missed_turn(incident: Incident, language: str, key: str = "turn.missed") -> str:
    """Describe a missed turn: participant, number and reason."""
    return translate_display_phrase(language, key, who=incident.who, turn=incident.turn, what=incident.what)


def count_statements(document: Mapping[str, Any]) -> int:
    """Count the statements in a run's document, except lines of the protocol."""
    return sum(turn["speakerId"] != MODERATOR for turn in document["turns"])


def format_requests(document: Mapping[str, Any]) -> str:
    """Format a run's paid requests as a sum, such as "12 sent = 11 recorded + 1 lost"; empty without any."""
    counts = {key: document[f"{key}Requests"] for key in ("sent", "recorded", "lost", "open")}
    key = "requests.under_way" if counts["open"] else "requests.sum"
    return translate_report_phrase(document["language"], key, **counts) if counts["sent"] else ""


def describe_requests(document: Mapping[str, Any]) -> list[str]:
    """Return the transcript's line about paid requests; empty without any."""
    if not (requests := format_requests(document)):
        return []
    key = "requests.with_lost" if document["lostRequests"] else "requests.line"
    return [translate_report_phrase(document["language"], key, requests=requests)]


def format_spending(document: Mapping[str, Any]) -> str:
    """Format what a run cost: money if its prices are known, calls and tokens."""
    language, raw_prices = document["language"], document["settings"].get("prices")
    key = "opening.spent_one" if document["totalCalls"] == 1 else "opening.spent"
    counts = {name: f"{document[f'total{name.title()}']:,}" for name in ("calls", "tokens")}
    spending = translate_report_phrase(language, key, **counts)
    if not raw_prices or document["totalCost"] is None:
        return spending
    money = format_money(document["totalCost"], Prices.model_validate(raw_prices))
    return f"{money}{get_term(language, 'lists', 'comma')}{spending}"


def format_money(money: float, prices: Prices) -> str:
    """Format an amount with its currency sign, if known: two decimals, below 1 two digits."""
    decimals = max(2, 1 - floor(log10(money))) if 0 < money < 1 else 2
    return f"{prices.sign}{money:,.{decimals}f}"
