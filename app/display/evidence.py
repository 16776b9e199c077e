"""One-line evidence of an ending: turns, a quotation, a figure with its measure."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ...prompts import get_term, load_phrases
from ...state.text import clip_text

QUOTATION_LIMIT = 160
"""Length limit of a shown quotation, in characters."""


def format_evidence(evidence: Mapping[str, Any], language: str) -> str:
    """Format the evidence as one line in the run's language; empty if there is no evidence."""
    say, turns = partial(load_phrases("report").translate_phrase, language), evidence["turns"]
    parts = []
    if turns:
        turn_list = get_term(language, "lists", "comma").join(map(str, turns))
        parts.append(f"{say('opening.turns' if len(turns) > 1 else 'opening.turn')} {turn_list}")
    if evidence["quote"] and not is_vote_evidence(evidence):
        parts.append(f"“{clip_text(' '.join(evidence['quote'].split()), QUOTATION_LIMIT)}”")
    parts += list_evidence_parts(evidence, language)
    return say("opening.evidence_line", parts=say("opening.between").join(parts)) if parts else ""


def format_basis(document: Mapping[str, Any]) -> str:
    """Format the rule that ended the run and its guarantee; empty while the run is open."""
    basis = document["promise"]
    if not basis:
        return ""
    say = partial(load_phrases("report").translate_phrase, document["language"])
    values = {key: basis[key] for key in ("alpha", "delta", "n")}
    reliability = "" if basis["epsilon"] is None else f"{1 - basis['epsilon']:g}"
    guarantee = say(f"promises.{basis['caveat'] or basis['kind']}", sure=reliability, **values)
    rule = say("promises.rule", rule=get_rule_name(document["strategy"], document["language"]))
    return get_term(document["language"], "headline", "between_sentences").join([rule, guarantee])


def get_rule_name(strategy: str, language: str) -> str:
    """Return a rule's name in words, or its setting name if it has no phrase."""
    for section in ("found_by", "count_rules"):
        if strategy in load_phrases("report").list_keys(section):
            return load_phrases("report").translate_phrase(language, f"{section}.{strategy}")
    return strategy


def is_vote_evidence(evidence: Mapping[str, Any]) -> bool:
    """Return whether the evidence comes from a vote. Its quotation is then the chosen option."""
    return evidence["note"] in load_phrases("report").list_keys("settled")


def list_evidence_parts(evidence: Mapping[str, Any], language: str) -> list[str]:
    """List the evidence without turns and quotation.

    It is a figure with its measure and threshold, or a vote's result.
    """
    say, figure = partial(load_phrases("report").translate_phrase, language), evidence["figure"]
    measure = describe_figure(evidence, language)
    if is_vote_evidence(evidence):
        return [measure, *([say("opening.votes", count=f"{figure:g}")] if figure else [])]
    if figure is not None and (evidence["turns"] or evidence["quote"] or measure):
        key = "opening.figure" if evidence["threshold"] is None else "opening.figure_against"
        value = say(key, figure=_format_figure(figure), threshold=_format_figure(evidence["threshold"]))
        return [say("opening.measure", what=measure, figure=value) if measure else value]
    return [measure.rstrip(".")] if measure and evidence["quote"] and not evidence["turns"] else []


def describe_figure(evidence: Mapping[str, Any], language: str) -> str:
    """Describe the measure behind a figure, or the result of a count.

    A note without a phrase appears on one line.
    """
    if evidence["searched"] is not None:
        return load_phrases("report").translate_phrase(language, "measures.papers", count=evidence["searched"])
    note = evidence["note"]
    key = "phrase" if note.startswith("phrase of ") else note
    for section in ("settled", "measures", "reasons"):
        if key in load_phrases("report").list_keys(section):
            return load_phrases("report").translate_phrase(language, f"{section}.{key}")
    return " ".join(note.split())


def _format_figure(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.0f}" if 1e3 <= abs(figure) < 1e15 else f"{figure:.3g}"
