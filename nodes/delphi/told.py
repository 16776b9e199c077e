"""How estimates and the feedback on them are told, in words, without a name."""

import re

from ...prompts import listed, term
from ...state.delphi import DelphiRules, Estimate, Feedback
from ...state.fence import one_line
from ...state.positions import question_of
from ...state.positions.answer import with_unit


def number(value: float | None, unit: str = "") -> str:
    """A number as it is told, with its unit: to six digits, or whole where that takes more of them."""
    if value is None:
        return with_unit("", unit)
    return with_unit(f"{value:.0f}" if 1e6 <= abs(value) < 1e15 else f"{value:.6g}", unit)


def in_words(one: Estimate, rules: DelphiRules) -> str:
    """An estimate without who gave it."""
    if one.number is None:
        return question_of(rules).texts.get(one.answer, one.answer)
    values = {"middle": number(one.number, one.unit), "low": number(one.low), "high": number(one.high)}
    return term(rules.language, "delphi", "estimate", **values)


def feedback_in_words(told: Feedback, rules: DelphiRules, names: list[str]) -> str:
    """What everyone is told of a round: its figures, and the reasons of those outside the quartiles or the minority."""
    language, unit = rules.language, question_of(rules).unit
    if told.median is None:
        texts = question_of(rules).texts
        counts = [
            term(language, "delphi", "part", option=texts[sign], count=count) for sign, count in told.counts.items()
        ]
        said = term(language, "delphi", "counts", round=told.round, counts=listed(language, counts))
    else:
        figures = {"median": told.median, "first": told.first_quartile, "third": told.third_quartile}
        figures |= {"lowest": told.lowest, "highest": told.highest}
        values = {key: number(value, unit) for key, value in figures.items()}
        said = term(language, "delphi", "figures", round=told.round, count=told.given, **values)
    reasons = [
        term(language, "delphi", "reason", estimate=in_words(one, rules), why=unnamed(one.reason, names, language))
        for one in told.reasons
        if one.reason
    ]
    if not reasons:
        return said
    most = max(told.counts.values(), default=0)
    level = sum(count == most for count in told.counts.values()) > 1
    key = "outside" if told.median is not None else "even" if level else "minority"
    return "\n".join([said, term(language, "delphi", key), *reasons])


def unnamed(text: str, names: list[str], language: str) -> str:
    """A reason in one line, without the experts' names."""
    said, somebody = one_line(text), term(language, "delphi", "somebody")
    for name in sorted(names, key=len, reverse=True):
        before, after = (r"(?<!\w)", r"(?!\w)") if name.isascii() else ("", "")
        said = re.sub(f"{before}{re.escape(name)}{after}", lambda _: somebody, said) if len(name) > 1 else said
    return said
