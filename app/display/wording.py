"""Phrases about a run in its language: turns, current steps, retries, requests, and evidence."""

from collections.abc import Mapping
from functools import partial
from math import floor, log10
from typing import Any

from ...prompts import get_term, load_phrases, load_table
from ...state import MODERATOR, Incident, Prices, clip_text


def translate_display_phrase(language: str, key: str, /, **values: object) -> str:
    """Return the phrase `key` of the display in a language, filled with `values`."""
    return load_phrases("display").translate_phrase(language, key, **values)


def translate_report_phrase(language: str, key: str, /, **values: object) -> str:
    """Return the phrase `key` of the report in a language, filled with `values`."""
    return load_phrases("report").translate_phrase(language, key, **values)


def get_label(language: str, section: str, key: str, kind: str = "report") -> str:
    """Return the phrase for an id in a section of the table `kind`, or the id if it has no phrase.

    `section`, `key`: section of the table, and the id. In place of a missing phrase for a protocol or section, the id
    gets a capital and no underscores.
    """
    phrases = load_phrases(kind)
    name = key.replace("_", " ").capitalize() if section in ("protocols", "sections") else key
    return phrases.translate_phrase(language, f"{section}.{key}") if key in phrases.list_keys(section) else name


def describe_step(step: str, name: str, language: str) -> str:
    """Return a phrase about a step in progress, or its name if no phrase exists.

    `name`: participant of the step, or empty.
    """
    return (
        translate_display_phrase(language, f"steps.{step}", who=name)
        if step in load_phrases("display").list_keys("steps")
        else step.replace("_", " ")
    )


def format_turn_heading(name: str, turn: int, language: str, max_turns: int = 0) -> str:
    """Return the heading of a turn: its speaker and number.

    `max_turns`: maximum number of turns, or 0 if unknown.
    """
    return translate_display_phrase(
        language, "turn.head_of" if max_turns else "turn.head", who=name, turn=turn, turns=max_turns
    )


def describe_retry(name: str, kind: str, language: str) -> str:
    """Return a sentence about a retry: the participant or role `name`, and the fault of the last answer."""
    label, fault = get_label(language, "roles", name, "display"), load_table("terms", language)["kinds"].get(kind, kind)
    return translate_display_phrase(language, "turn.asked_again", who=label, kind=fault)


def describe_missed_turn(incident: Incident, language: str, key: str = "turn.missed") -> str:
    """Return a sentence about a missed turn: participant, number and reason. `key`: key of the phrase."""
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
    """Return the cost of a run as text: money (if prices are known), calls and tokens."""
    language, raw_prices = document["language"], document["settings"].get("prices")
    counts = {name: f"{document[f'total{name.title()}']:,}" for name in ("calls", "tokens")}
    spending = translate_report_phrase(language, "opening.spent", **counts)
    if not raw_prices or document["totalCost"] is None:
        return spending
    money = format_money(document["totalCost"], Prices.model_validate(raw_prices))
    return f"{money}{get_term(language, 'lists', 'comma')}{spending}"


def format_money(money: float, prices: Prices) -> str:
    """Return an amount as text with its currency sign, if known: two decimals, below 1 two digits."""
    decimals = max(2, 1 - floor(log10(money))) if 0 < money < 1 else 2
    return f"{prices.currency_sign}{money:,.{decimals}f}"


QUOTATION_LIMIT = 160  # characters


def format_evidence(evidence: Mapping[str, Any], language: str) -> str:
    """Format the evidence as one line in the run's language; empty if there is no evidence."""
    report_phrase, turns, parts = partial(translate_report_phrase, language), evidence["turns"], list[str]()
    if turns:
        turn_list = get_term(language, "lists", "comma").join(map(str, turns))
        parts.append(f"{report_phrase('opening.turns' if len(turns) > 1 else 'opening.turn')} {turn_list}")
    further_parts = list_evidence_parts(evidence, language)
    if evidence["quote"] and not is_vote_evidence(evidence):
        quotation = " ".join(evidence["quote"].split())
        # A quotation that comes last leaves the full stop to the line.
        quotation = quotation if further_parts else quotation.rstrip(".。")
        parts.append(f"“{clip_text(quotation, QUOTATION_LIMIT)}”")
    parts += further_parts
    return report_phrase("opening.evidence_line", parts=report_phrase("opening.between").join(parts)) if parts else ""


def format_basis(document: Mapping[str, Any]) -> str:
    """Format the rule that ended the run, and its guarantee.

    The text is empty while the run is open, and for an ending by a limit or an event.
    """
    basis, language = document["basis"], document["language"]
    if not basis or basis["kind"] in ("event", "cap"):
        return ""
    rule = translate_report_phrase(language, "bases.rule", rule=get_label(language, "found_by", document["strategy"]))
    values = {key: basis[key] for key in ("alpha", "delta", "n")}
    values["sure"] = "" if basis["epsilon"] is None else f"{1 - basis['epsilon']:g}"
    guarantee = translate_report_phrase(language, f"bases.{basis['caveat'] or basis['kind']}", **values)
    return get_term(language, "headline", "between_sentences").join([rule, guarantee])


def is_vote_evidence(evidence: Mapping[str, Any]) -> bool:
    """Return whether the evidence comes from a vote. Its quotation is then the chosen option."""
    return evidence["note"] in load_phrases("report").list_keys("settled")


def list_evidence_parts(evidence: Mapping[str, Any], language: str) -> list[str]:
    """Return the evidence as texts, without turns and quotation.

    They are a figure with its measure and threshold, or the result of a vote. A note that has no translation stays as
    it is, on one line.
    """
    report_phrase, figure, note = partial(translate_report_phrase, language), evidence["figure"], evidence["note"]
    if evidence["searched"] is None:
        labels = [get_label(language, section, note) for section in ("settled", "measures", "reasons")]
        measure = next((label for label in labels if label != note), " ".join(note.split()))
    else:
        measure = report_phrase("measures.papers", count=evidence["searched"])
    if is_vote_evidence(evidence):
        return [measure, *([report_phrase("opening.votes", count=f"{figure:g}")] if figure else [])]
    if figure is not None and (evidence["turns"] or evidence["quote"] or measure):
        value, threshold = _format_figure(figure), _format_figure(evidence["threshold"])
        value = report_phrase("opening.figure_against", figure=value, threshold=threshold) if threshold else value
        return [report_phrase("opening.labelled", what=measure or report_phrase("opening.figure"), figure=value)]
    return [measure.rstrip(".")] if measure and evidence["quote"] and not evidence["turns"] else []


def _format_figure(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.0f}" if 1e3 <= abs(figure) < 1e15 else f"{figure:.3g}"
