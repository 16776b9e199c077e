"""Positions on record as lines to read: who held what when, and what the run answers."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from ...prompts import phrases, term
from ...state.positions import SYNTHESIZER

Document = Mapping[str, Any]
Entry = Mapping[str, Any]


def moments(document: Document) -> list[list[Entry]]:
    """The answers of the participants on record, by the moments they were asked at, the first one first."""
    given = [one for one in document.get("positions") or [] if one["answer"] and one["who"] != SYNTHESIZER]
    return [list(found) for _, found in groupby(sorted(given, key=_moment), key=_moment)]


def _moment(one: Entry) -> int:
    return int(one["turn"])


def position_lines(document: Document) -> list[str]:
    """A line for each moment, under a heading; none where nobody was asked."""
    language, found = document["language"], moments(document)
    if not found:
        return []
    lines = []
    for one in found:
        said = phrases("report").say(language, "positions.between").join(_said(each, language) for each in one)
        first = one[0]
        lines.append(_word(language, str(first["when"]), {"round": first["round"], "positions": said}))
    return [_word(language, "title", {}), *lines]


def answer_line(document: Document) -> str:
    """What the run answers, and by whom; empty where nothing on record gives an answer."""
    found, language = document.get("runAnswer"), document["language"]
    if not found:
        return ""
    if found["tied"]:
        listed = [_with_text(one, document) for one in found["tied"]]
        return _word(language, "tied", {"answers": term(language, "lists", "comma").join(listed)})
    answer = answer_words(found["answer"], found["unit"], language)
    answer = f"{answer} ({found['text']})" if found["text"] not in ("", answer) else answer
    held = found["held"].get(found["answer"], 0)
    key = "held" if found["by"] == "positions" else found["by"]
    return _word(language, key, {"answer": answer, "count": held, "all": sum(found["held"].values())})


def _with_text(answer: str, document: Document) -> str:
    """One of several answers, an option with its text."""
    found, text = document["runAnswer"], document["rules"].get("options", {}).get(answer, "")
    said = answer_words(answer, found["unit"], document["language"])
    return f"{said} ({text})" if text not in ("", said) else said


def answer_words(answer: str, unit: str, language: str) -> str:
    """An answer as it is shown: a side in words, a number with its unit, an option by its id."""
    known = answer in phrases("report").keys("sides")
    return phrases("report").say(language, f"sides.{answer}") if known else f"{answer} {unit}".strip()


def _said(one: Entry, language: str) -> str:
    values = {"who": one["who"], "answer": answer_words(one["answer"], one["unit"], language)}
    if one["certainty"] is None:
        return _word(language, "one", values)
    values["certainty"] = f"{one['certainty']:.0f}"
    if not one["stance"]:
        return _word(language, "sure", values)
    return _word(language, "standing", values | {"stance": _word(language, one["stance"], {})})


def _word(language: str, key: str, values: Mapping[str, object]) -> str:
    return phrases("report").say(language, f"positions.{key}", **values)
