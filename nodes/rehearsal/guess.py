"""What a prompt does not say outright: who is asked, for what, about what, and in which language."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...prompts import LANGUAGES, table

_TOPIC = re.compile(
    r"^\W*(?:motion|topic|question|query|theme|subject|辩题|议题|主题|话题|问题|题目|moción|tema|pregunta|asunto)"
    r"\**\s*[:：]\s*(.+)$",
    re.IGNORECASE | re.MULTILINE,
)
_CAST = re.compile(r"^- (.+?)(?:[:：]\s*(.*))?$", re.MULTILINE)
_HAN = re.compile("[\u4e00-\u9fff]")
_SPANISH = re.compile(r"[¿¡ñ]|\b(?:el|la|los|las|de|del|es|y|una|que|para|tu|turno)\b", re.IGNORECASE)


def topic_in(text: str) -> str:
    """What stands behind "Motion:", "Topic:", "Question:" or their like, to the end of the line; else empty."""
    found = _TOPIC.search(text)
    return found[1].strip(" *") if found else ""


def cast_in(head: str) -> dict[str, str]:
    """Name and public role from the lines "- name: role"; lines that read like sentences are none of them."""
    listed = [(name.strip(" *"), (role or "").strip()) for name, role in _CAST.findall(head)]
    return {name: role for name, role in listed if len(name) <= 80 and not name.endswith((".", ";", "。", "`"))}


def asked_in(task: str, cast: Iterable[str], spoke: Mapping[str, int]) -> str:
    """The participant the task names first, else whoever has been silent longest."""
    names = list(cast)
    placed = {name: place for name in names if (place := task.find(name)) >= 0}
    if placed:
        return min(placed, key=lambda name: (placed[name], -len(name)))
    return min(names, key=lambda name: spoke.get(name, 0), default="")


def purpose_in(task: str) -> str:
    """The purpose whose telling words stand in the task; a statement where none do."""
    words = task.casefold()
    marks = ((purpose, mark) for tag in LANGUAGES for purpose, mark in _marks(tag))
    return next((purpose for purpose, mark in marks if mark in words), "statement")


def _marks(language: str) -> list[tuple[str, str]]:
    purposes = table("rehearsal", language)["purposes"]
    return [(purpose, mark) for purpose, marks in purposes.items() if isinstance(marks, list) for mark in marks]


def language_in(text: str) -> str:
    """By the script and the small words of a text."""
    if 3 * len(_HAN.findall(text)) > len(text):
        return "zh"
    return "es" if 12 * len(_SPANISH.findall(text)) > len(text.split()) + 6 else "en"


def schema_in(task: str) -> dict[str, Any] | None:
    """A JSON schema written out at the end of a task, as endpoints without structured output are asked."""
    start = task.rfind("\n{")
    if start < 0:
        return None
    try:
        found = json.loads(task[start:])
    except ValueError:
        return None
    return found if isinstance(found, dict) and {"type", "properties", "$ref"} & found.keys() else None
