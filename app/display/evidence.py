"""Evidence of an ending on one line: turns, a quotation, and a figure with its measure."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ...prompts import get_term, load_phrases
from ...state import clip_text
from .wording import get_label, translate_report_phrase

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
    """Format the rule that ended the run, and how far to trust it.

    Empty while the run is open, and for a limit or an event, which need no judgement.
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
    """List the evidence except turns and quotation.

    The parts are a figure with its measure and threshold, or the result of a vote. A note that has no translation
    stays as it is, on one line.
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
        key = "opening.figure" if evidence["threshold"] is None else "opening.figure_against"
        value = report_phrase(key, figure=_format_figure(figure), threshold=_format_figure(evidence["threshold"]))
        return [report_phrase("opening.labelled", what=measure, figure=value) if measure else value]
    return [measure.rstrip(".")] if measure and evidence["quote"] and not evidence["turns"] else []


def _format_figure(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.0f}" if 1e3 <= abs(figure) < 1e15 else f"{figure:.3g}"
