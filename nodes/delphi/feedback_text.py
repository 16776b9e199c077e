"""Texts of estimates and of the feedback on them, without names."""

import re

from ...prompts import get_term, join_words
from ...state import append_unit, build_answer_format, neutralize_line
from ...state.delphi import DelphiSettings, ExpertEstimate, RoundFeedback


def format_quantity(value: float | None, unit: str = "") -> str:
    """Format a number with its unit, in six significant digits.

    `value`: `None` gives the unit alone. From a million to 10¹⁵, show all digits of the whole number.
    """
    if value is None:
        return append_unit("", unit)
    return append_unit(f"{value:.0f}" if 1e6 <= abs(value) < 1e15 else f"{value:.6g}", unit)


def format_estimate(estimate: ExpertEstimate, settings: DelphiSettings) -> str:
    """Return an estimate as text: the option or, for a number, its three quantiles with their unit."""
    if estimate.number is None:
        return build_answer_format(settings).option_texts.get(estimate.answer, estimate.answer)
    values = {
        "middle": format_quantity(estimate.number, estimate.unit),
        "low": format_quantity(estimate.low),
        "high": format_quantity(estimate.high),
    }
    return get_term(settings.language, "delphi", "estimate", **values)


def format_feedback(feedback: RoundFeedback, settings: DelphiSettings, names: list[str]) -> str:
    """Format the feedback on a round: its figures, and the reasons of outliers without names.

    `names`: experts' names to remove from the reasons. Outliers are estimates outside the quartiles, or minority
    answers to a question with options.
    """
    language, unit = settings.language, build_answer_format(settings).unit
    if feedback.median is None:
        texts = build_answer_format(settings).option_texts
        counts = [
            get_term(language, "delphi", "part", option=texts[sign], count=count)
            for sign, count in feedback.counts.items()
        ]
        summary = get_term(language, "delphi", "counts", round=feedback.round, counts=join_words(language, counts))
    else:
        figures = {"median": feedback.median, "first": feedback.first_quartile, "third": feedback.third_quartile}
        figures |= {"lowest": feedback.lowest, "highest": feedback.highest}
        values = {key: format_quantity(value, unit) for key, value in figures.items()}
        summary = get_term(language, "delphi", "figures", round=feedback.round, count=feedback.estimate_count, **values)
    reasons = [
        get_term(
            language,
            "delphi",
            "reason",
            estimate=format_estimate(estimate, settings),
            why=remove_names(estimate.reason, names, language),
        )
        for estimate in feedback.reasons
        if estimate.reason
    ]
    if not reasons:
        return summary
    top_count = max(feedback.counts.values(), default=0)
    is_tied = sum(count == top_count for count in feedback.counts.values()) > 1
    key = "outside" if feedback.median is not None else "even" if is_tied else "minority"
    return "\n".join([summary, get_term(language, "delphi", key), *reasons])


def remove_names(text: str, names: list[str], language: str) -> str:
    """Return `text` on one line, with a neutral word in place of the experts' names.

    Names of a single character stay.
    """
    line, replacement = neutralize_line(text), get_term(language, "delphi", "somebody")
    for name in sorted(names, key=len, reverse=True):
        left_edge, right_edge = (r"(?<!\w)", r"(?!\w)") if name.isascii() else ("", "")
        if len(name) > 1:
            line = re.sub(f"{left_edge}{re.escape(name)}{right_edge}", lambda _: replacement, line)
    return line
