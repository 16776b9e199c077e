"""Positions on record as lines: each participant's answer at each moment, and the run's answer."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from ...prompts import get_term, load_phrases
from ...state.positions import SYNTHESIZER

PositionDocument = Mapping[str, Any]
PositionEntry = Mapping[str, Any]


def group_by_moment(document: PositionDocument) -> list[list[PositionEntry]]:
    """Group the participants' answers on record by the moment of the question, first moment first."""
    answers = [entry for entry in document.get("positions") or [] if entry["answer"] and entry["who"] != SYNTHESIZER]
    return [list(entries) for _, entries in groupby(sorted(answers, key=_get_moment), key=_get_moment)]


def _get_moment(entry: PositionEntry) -> int:
    return int(entry["turn"])


def format_positions(document: PositionDocument) -> list[str]:
    """Format a heading and a line for each moment; an empty list if the record has no answers."""
    language, moments = document["language"], group_by_moment(document)
    if not moments:
        return []
    lines = []
    for moment in moments:
        answers = (
            load_phrases("report")
            .translate_phrase(language, "positions.between")
            .join(_format_entry(entry, language) for entry in moment)
        )
        first_entry = moment[0]
        lines.append(
            _translate_position_phrase(
                language, str(first_entry["when"]), {"round": first_entry["round"], "positions": answers}
            )
        )
    return [_translate_position_phrase(language, "title", {}), *lines]


def format_answer(document: PositionDocument) -> str:
    """Format the run's answer and its source; empty if the record gives no answer."""
    run_answer, language = document.get("runAnswer"), document["language"]
    if not run_answer:
        return ""
    if run_answer["tied"]:
        answers = [_format_tied_option(option, document) for option in run_answer["tied"]]
        return _translate_position_phrase(
            language, "tied", {"answers": get_term(language, "lists", "comma").join(answers)}
        )
    answer = translate_answer(run_answer["answer"], run_answer["unit"], language)
    answer = f"{answer} ({run_answer['text']})" if run_answer["text"] not in ("", answer) else answer
    holder_count = run_answer["held"].get(run_answer["answer"], 0)
    key = "held" if run_answer["by"] == "positions" else run_answer["by"]
    return _translate_position_phrase(
        language, key, {"answer": answer, "count": holder_count, "all": sum(run_answer["held"].values())}
    )


def _format_tied_option(answer: str, document: PositionDocument) -> str:
    """Format one of several tied answers, an option with its text."""
    run_answer, option_text = document["runAnswer"], document["settings"].get("options", {}).get(answer, "")
    answer_text = translate_answer(answer, run_answer["unit"], document["language"])
    return f"{answer_text} ({option_text})" if option_text not in ("", answer_text) else answer_text


def translate_answer(answer: str, unit: str, language: str) -> str:
    """Return an answer for display: a side in words, a number with its unit, an option by its id."""
    has_phrase = answer in load_phrases("report").list_keys("sides")
    return (
        load_phrases("report").translate_phrase(language, f"sides.{answer}")
        if has_phrase
        else f"{answer} {unit}".strip()
    )


def _format_entry(entry: PositionEntry, language: str) -> str:
    values = {"who": entry["who"], "answer": translate_answer(entry["answer"], entry["unit"], language)}
    if entry["certainty"] is None:
        return _translate_position_phrase(language, "one", values)
    values["certainty"] = f"{entry['certainty']:.0f}"
    if not entry["stance"]:
        return _translate_position_phrase(language, "sure", values)
    return _translate_position_phrase(
        language, "standing", values | {"stance": _translate_position_phrase(language, entry["stance"], {})}
    )


def _translate_position_phrase(language: str, key: str, values: Mapping[str, object]) -> str:
    return load_phrases("report").translate_phrase(language, f"positions.{key}", **values)
