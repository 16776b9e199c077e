"""Lines about recorded positions: each participant's answer at each moment, and the run's answer."""

from collections.abc import Mapping
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from ...prompts import get_term
from ...state.positions import SYNTHESIZER
from ..report.blocks import Block, BulletList, Heading
from .wording import get_label, translate_report_phrase

PositionEntry = Mapping[str, Any]


def list_position_blocks(document: Mapping[str, Any]) -> list[Block]:
    """Build a heading, and a line for each moment with answers; empty without answers."""
    report_phrase = partial(translate_report_phrase, document["language"])
    answers = [entry for entry in document.get("positions") or [] if entry["answer"] and entry["who"] != SYNTHESIZER]
    answers.sort(key=itemgetter("turn"))
    lines = []
    for _, group in groupby(answers, key=itemgetter("turn")):
        moment = list(group)
        texts = report_phrase("positions.between").join(_format_entry(entry, document["language"]) for entry in moment)
        lines.append(report_phrase(f"positions.{moment[0]['when']}", round=moment[0]["round"], positions=texts))
    return [Heading(report_phrase("positions.title")), BulletList(lines)] if lines else []


def _format_entry(entry: PositionEntry, language: str) -> str:
    report_phrase = partial(translate_report_phrase, language)
    values = {"who": entry["who"], "answer": translate_answer(entry["answer"], entry["unit"], language)}
    if entry["certainty"] is None:
        return report_phrase("positions.one", **values)
    values["certainty"] = f"{entry['certainty']:.0f}"
    if not entry["stance"]:
        return report_phrase("positions.sure", **values)
    return report_phrase("positions.standing", **values, stance=report_phrase(f"positions.{entry['stance']}"))


def format_answer(document: Mapping[str, Any]) -> str:
    """Format the run's answer and its source; empty if the record gives no answer."""
    run_answer, language = document.get("runAnswer"), document["language"]
    if not run_answer:
        return ""
    report_phrase = partial(translate_report_phrase, language)
    if run_answer["tied"]:
        options, answers = document["settings"].get("options", {}), []
        for option in run_answer["tied"]:
            text = translate_answer(option, run_answer["unit"], language)
            answers.append(text if options.get(option, "") in ("", text) else f"{text} ({options[option]})")
        return report_phrase("positions.tied", answers=get_term(language, "lists", "comma").join(answers))
    answer = translate_answer(run_answer["answer"], run_answer["unit"], language)
    answer = f"{answer} ({run_answer['text']})" if run_answer["text"] not in ("", answer) else answer
    count, total = run_answer["held"].get(run_answer["answer"], 0), sum(run_answer["held"].values())
    key = "held" if run_answer["by"] == "positions" else run_answer["by"]
    return report_phrase(f"positions.{key}", answer=answer, count=count, all=total)


def translate_answer(answer: str, unit: str, language: str) -> str:
    """Return an answer for display: a side in words, a number with its unit, or the id of an option."""
    label = get_label(language, "sides", answer)
    return f"{answer} {unit}".strip() if label == answer else label
