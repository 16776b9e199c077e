"""The evidence of an ending in one line: turns, a quotation, a figure and what it measures."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ...prompts import phrases, term
from ...state.text import clipped

QUOTED = 160
"""Characters of a quotation that are shown."""


def evidence_line(evidence: Mapping[str, Any], language: str) -> str:
    """The line in the run's language; empty where there is no evidence."""
    say, turns = partial(phrases("report").say, language), evidence["turns"]
    parts = []
    if turns:
        listed = term(language, "lists", "comma").join(map(str, turns))
        parts.append(f"{say('opening.turns' if len(turns) > 1 else 'opening.turn')} {listed}")
    if evidence["quote"] and not counted(evidence):
        parts.append(f"“{clipped(' '.join(evidence['quote'].split()), QUOTED)}”")
    parts += found(evidence, language)
    return say("opening.evidence_line", parts=say("opening.between").join(parts)) if parts else ""


def promise_line(document: Mapping[str, Any]) -> str:
    """Which rule found the ending, and what stopping by it promises; empty while the run goes on."""
    promise = document["promise"]
    if not promise:
        return ""
    say = partial(phrases("report").say, document["language"])
    values = {key: promise[key] for key in ("alpha", "delta", "n")}
    sure = "" if promise["epsilon"] is None else f"{1 - promise['epsilon']:g}"
    told = say(f"promises.{promise['caveat'] or promise['kind']}", sure=sure, **values)
    rule = say("promises.rule", rule=rule_name(document["strategy"], document["language"]))
    return term(document["language"], "headline", "between_sentences").join([rule, told])


def rule_name(strategy: str, language: str) -> str:
    """A rule in words, or by the name it has as a knob."""
    for section in ("found_by", "count_rules"):
        if strategy in phrases("report").keys(section):
            return phrases("report").say(language, f"{section}.{strategy}")
    return strategy


def counted(evidence: Mapping[str, Any]) -> bool:
    """Whether it is the evidence of a vote; its quotation is then the option that was chosen."""
    return evidence["note"] in phrases("report").keys("settled")


def found(evidence: Mapping[str, Any], language: str) -> list[str]:
    """What was found beside turns and a quotation: a figure with what it measures and its bound, or how a vote came
    out."""
    say, figure = partial(phrases("report").say, language), evidence["figure"]
    known = figure_line(evidence, language)
    if counted(evidence):
        return [known, *([say("opening.votes", count=f"{figure:g}")] if figure else [])]
    if figure is not None and (evidence["turns"] or evidence["quote"] or known):
        key = "opening.figure" if evidence["threshold"] is None else "opening.figure_against"
        shown = say(key, figure=_short(figure), threshold=_short(evidence["threshold"]))
        return [say("opening.measure", what=known, figure=shown) if known else shown]
    return [known.rstrip(".")] if known and evidence["quote"] and not evidence["turns"] else []


def figure_line(evidence: Mapping[str, Any], language: str) -> str:
    """What a figure measures or how a count ended, in words; a note that has none in one line, as it stands."""
    if evidence["searched"] is not None:
        return phrases("report").say(language, "measures.papers", count=evidence["searched"])
    note = evidence["note"]
    known = "phrase" if note.startswith("phrase of ") else note
    for section in ("settled", "measures", "reasons"):
        if known in phrases("report").keys(section):
            return phrases("report").say(language, f"{section}.{known}")
    return " ".join(note.split())


def _short(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.0f}" if 1e3 <= abs(figure) < 1e15 else f"{figure:.3g}"
