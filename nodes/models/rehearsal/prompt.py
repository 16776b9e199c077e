"""Reading a prompt as a model would: who am I, what is asked, what is it about, and who said what."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage

from ....prompts import LANGUAGES, base_language, table
from ....state.statement import MODERATOR

_TOPIC = re.compile(
    r"^\W*(?:the\s+|el\s+|la\s+)?(?:motion|topic|question|query|theme|subject|case|辩题|议题|主题|话题|问题|题目|案件|moción"
    r"|tema|pregunta|asunto|caso)"
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


def people_in(head: str) -> dict[str, str]:
    """Name and public role from the lines "- name: role"; lines that read like sentences are none of them."""
    listed = [(name.strip(" *"), (role or "").strip()) for name, role in _CAST.findall(head)]
    return {name: role for name, role in listed if len(name) <= 80 and not name.endswith((".", ";", "。", "`"))}


def asked_in(task: str, people: Iterable[str], spoke: Mapping[str, int]) -> str:
    """The participant the task names first, else whoever has been silent longest."""
    names = list(people)
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


_STATEMENT = re.compile(r'<statement turn="(\d+)" speaker="([^"]*)">\n(.*?)\n</statement>', re.DOTALL)
_SAID = re.compile(r"</?said>")
_PAPER = re.compile(r"<paper\b([^>]*)>\n(.*?)\n</paper>", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_TURN = re.compile(r"(?:\bturn[oa]?\s+|第\s*)(\d{1,6})(?!\d)", re.IGNORECASE)
_WORDS = re.compile(r"(\d{1,5})\s*(?:words|palabras|个?字|个?词)", re.IGNORECASE)


@dataclass(frozen=True)
class Heard:
    """A statement as the prompt shows it."""

    turn: int
    speaker: str
    text: str


@dataclass(frozen=True)
class Source:
    """A paper as the prompt shows it."""

    id: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """What a prompt says. Everything may be missing: then it is empty, and the reply says less."""

    me: str = ""
    purpose: str = "statement"
    language: str = "en"
    topic: str = ""
    people: dict[str, str] = field(default_factory=dict)
    heard: list[Heard] = field(default_factory=list)
    papers: list[Source] = field(default_factory=list)
    material: str = ""
    private: str = ""
    memory: str = ""
    summary: str = ""
    task: str = ""
    again: str = ""
    head: str = ""

    @property
    def others(self) -> list[str]:
        """The other participants, in the order of the list."""
        return [name for name in self.people if name != self.me]

    @property
    def seat(self) -> int:
        """The speaker's place in the list of participants, from 0."""
        return list(self.people).index(self.me) if self.me in self.people else 0

    @property
    def turn(self) -> int:
        """The number of the turn being taken: the one the task names, else the next; unheard, each its own."""
        named = _TURN.search(self.task)
        after = self.heard[-1].turn + 1 if self.heard else 1 + self.seat
        return max(after, int(named[1]) if named else 0)

    @property
    def words(self) -> int:
        """The length asked for in the task, else in the shared head, in words; 150 where none is named."""
        named = _WORDS.search(self.task) or _WORDS.search(self.head)
        return int(named[1]) if named else 150

    @property
    def last(self) -> Heard | None:
        """The latest statement of somebody else."""
        return next((one for one in reversed(self.heard) if one.speaker != self.me), None)

    @property
    def before(self) -> Heard | None:
        """The latest statement of a third one, made since `me` spoke last."""
        since: list[Heard] = []
        for one in reversed(self.heard):
            if one.speaker == self.me:
                break
            since.append(one)
        return next((one for one in since if one.speaker != since[0].speaker), None)

    @property
    def own(self) -> list[Heard]:
        """What `me` has said so far."""
        return [one for one in self.heard if one.speaker == self.me]


def read_prompt(messages: Sequence[BaseMessage], metadata: Mapping[str, Any]) -> Prompt:
    """The prompt, and from the call's metadata who is asked and for what; without it the task tells."""
    head = "\n".join(message.text for message in messages if message.type == "system")
    body = "\n".join(message.text for message in messages if message.type != "system")
    told = _last(body, "task")
    task = _SAID.sub("", (told or body.strip()) + _after_task(body))
    heard = [Heard(int(turn), speaker, text) for turn, speaker, text in _STATEMENT.findall(body)]
    heard = [one for one in heard if one.speaker != MODERATOR]
    spoke = {one.speaker: one.turn for one in heard}
    people = people_in(head)
    people |= {name: "" for name in spoke if name not in people}
    me = str(metadata.get("speaker") or asked_in(task, people, spoke))
    if metadata.get("purpose") == "statement" and me:
        people.setdefault(me, "")  # whoever is asked for one takes part, listed or not
    return Prompt(
        me=me,
        purpose=str(metadata.get("purpose") or purpose_in(task)),
        language=base_language(str(metadata.get("language") or language_in(task))),
        topic=topic_in(head) or topic_in(task) or task.split("\n")[0][:200],
        people=people,
        heard=heard,
        papers=[_source(*found) for found in _PAPER.findall(body)],
        material=_last(body, "material"),
        private=_last(body, "private"),
        memory=_last(body, "memory"),
        summary=_last(body, "summary"),
        task=task,
        again=_last(body, "again"),
        head=head,
    )


def _last(body: str, tag: str) -> str:
    start = body.rfind(f"<{tag}>\n")
    end = body.find(f"\n</{tag}>", start)
    return body[start + len(tag) + 3 : end] if 0 <= start < end else ""


def _after_task(body: str) -> str:
    """What follows the task and what was wrong: a schema in words, where there is one."""
    start = max(body.rfind("</task>"), body.rfind("</again>"))
    rest = body[start:] if start >= 0 else ""
    return rest[rest.find(">") + 1 :] if "\n{" in rest else ""


def _source(attributes: str, text: str) -> Source:
    named = dict(_ATTRIBUTE.findall(attributes))
    return Source(named.get("id", "").lstrip("@"), text.strip())
