"""Lines about recorded positions: each participant's answer at each moment, and the run's answer."""

from collections.abc import Mapping
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from ...prompts import get_term
from ...state.positions import SYNTHESIZER
from .wording import get_label, translate_report_phrase

PositionEntry = Mapping[str, Any]


def format_positions(document: Mapping[str, Any]) -> list[str]:
    """Format a heading, and a line for each moment with answers; empty without answers."""
    say = partial(translate_report_phrase, document["language"])
    answers = [entry for entry in document.get("positions") or [] if entry["answer"] and entry["who"] != SYNTHESIZER]
    answers.sort(key=itemgetter("turn"))
    lines = [say("positions.title")] if answers else []
    for _, group in groupby(answers, key=itemgetter("turn")):
        moment = list(group)
        texts = say("positions.between").join(_format_entry(entry, document["language"]) for entry in moment)
        lines.append(say(f"positions.{moment[0]['when']}", round=moment[0]["round"], positions=texts))
    return lines


def _format_entry(entry: PositionEntry, language: str) -> str:
    say = partial(translate_report_phrase, language)
    values = {"who": entry["who"], "answer": translate_answer(entry["answer"], entry["unit"], language)}
    if entry["certainty"] is None:
        return say("positions.one", **values)
    values["certainty"] = f"{entry['certainty']:.0f}"
    if not entry["stance"]:
        return say("positions.sure", **values)
    return say("positions.standing", **values, stance=say(f"positions.{entry['stance']}"))


def format_answer(document: Mapping[str, Any]) -> str:
    """Format the run's answer and its source; empty if the record gives no answer."""
    run_answer, language = document.get("runAnswer"), document["language"]
    if not run_answer:
        return ""
    say = partial(translate_report_phrase, language)
    if run_answer["tied"]:
        options, answers = document["settings"].get("options", {}), []
        for option in run_answer["tied"]:
            text = translate_answer(option, run_answer["unit"], language)
            answers.append(text if options.get(option, "") in ("", text) else f"{text} ({options[option]})")
        return say("positions.tied", answers=get_term(language, "lists", "comma").join(answers))
    answer = translate_answer(run_answer["answer"], run_answer["unit"], language)
    answer = f"{answer} ({run_answer['text']})" if run_answer["text"] not in ("", answer) else answer
    count, total = run_answer["held"].get(run_answer["answer"], 0), sum(run_answer["held"].values())
    key = "held" if run_answer["by"] == "positions" else run_answer["by"]
    return say(f"positions.{key}", answer=answer, count=count, all=total)


def translate_answer(answer: str, unit: str, language: str) -> str:
    """Return an answer for display: a side in words, a number with its unit, or the id of an option."""
    label = get_label(language, "sides", answer)
    return f"{answer} {unit}".strip() if label == answer else label
