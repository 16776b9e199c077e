"""Parser of prompts, as a model would read them: speaker, task, topic, and statements."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage

from ...prompts import LANGUAGES, get_base_language, load_table
from ...state.statement import MODERATOR

_TOPIC = re.compile(
    r"^\W*(?:the\s+|el\s+|la\s+)?(?:motion|topic|question|query|theme|subject|case|辩题|议题|主题|话题|问题|题目|案件|moción"
    r"|tema|pregunta|asunto|caso)"
    r"\**\s*[:：]\s*(.+)$",
    re.IGNORECASE | re.MULTILINE,
)
_CAST_LINE = re.compile(r"^- (.+?)(?:[:：]\s*(.*))?$", re.MULTILINE)
_HAN = re.compile("[\u4e00-\u9fff]")
_SPANISH = re.compile(r"[¿¡ñ]|\b(?:el|la|los|las|de|del|es|y|una|que|para|tu|turno)\b", re.IGNORECASE)


def extract_topic(text: str) -> str:
    """Return the rest of the line after "Motion:", "Topic:", "Question:" or the like; else empty."""
    match = _TOPIC.search(text)
    return match[1].strip(" *") if match else ""


def parse_participants(system_text: str) -> dict[str, str]:
    """Parse name and public role from the lines "- name: role".

    Lines that read like sentences are skipped.
    """
    entries = [(name.strip(" *"), (role or "").strip()) for name, role in _CAST_LINE.findall(system_text)]
    return {name: role for name, role in entries if len(name) <= 80 and not name.endswith((".", ";", "。", "`"))}


def guess_speaker(task: str, participants: Iterable[str], last_turns: Mapping[str, int]) -> str:
    """Return the participant that the task names first, else the one who has been silent longest."""
    names = list(participants)
    positions = {name: position for name in names if (position := task.find(name)) >= 0}
    if positions:
        return min(positions, key=lambda name: (positions[name], -len(name)))
    return min(names, key=lambda name: last_turns.get(name, 0), default="")


def detect_purpose(task: str) -> str:
    """Return the first purpose with a typical phrase in the task; `statement` if there is none."""
    words = task.casefold()
    marks = ((purpose, mark) for tag in LANGUAGES for purpose, mark in _list_purpose_marks(tag))
    return next((purpose for purpose, mark in marks if mark in words), "statement")


def _list_purpose_marks(language: str) -> list[tuple[str, str]]:
    purposes = load_table("rehearsal", language)["purposes"]
    return [(purpose, mark) for purpose, marks in purposes.items() if isinstance(marks, list) for mark in marks]


def detect_language(text: str) -> str:
    """Return the language of a text, by its script and its short words."""
    if 3 * len(_HAN.findall(text)) > len(text):
        return "zh"
    return "es" if 12 * len(_SPANISH.findall(text)) > len(text.split()) + 6 else "en"


def find_schema(task: str) -> dict[str, Any] | None:
    """Return the JSON schema at the end of a task, or `None`.

    Moot writes a schema there for endpoints without structured output.
    """
    start = task.rfind("\n{")
    if start < 0:
        return None
    try:
        schema = json.loads(task[start:])
    except ValueError:
        return None
    return schema if isinstance(schema, dict) and {"type", "properties", "$ref"} & schema.keys() else None


_STATEMENT = re.compile(r'<statement turn="(\d+)" speaker="([^"]*)">\n(.*?)\n</statement>', re.DOTALL)
_SAID_TAG = re.compile(r"</?said>")
_PAPER = re.compile(r"<paper\b([^>]*)>\n(.*?)\n</paper>", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_TURN = re.compile(r"(?:\bturn[oa]?\s+|第\s*)(\d{1,6})(?!\d)", re.IGNORECASE)
_WORD_COUNT = re.compile(r"(\d{1,5})\s*(?:words|palabras|个?字|个?词)", re.IGNORECASE)


@dataclass(frozen=True)
class PromptStatement:
    """Statement as the prompt shows it."""

    turn: int
    speaker: str
    text: str


@dataclass(frozen=True)
class PromptPaper:
    """Paper as the prompt shows it."""

    id: str
    text: str


@dataclass(frozen=True)
class ParsedPrompt:
    """Content of a prompt. Every field may be empty; the reply then says less."""

    speaker: str = ""
    purpose: str = "statement"
    language: str = "en"
    topic: str = ""
    participants: dict[str, str] = field(default_factory=dict)
    statements: list[PromptStatement] = field(default_factory=list)
    papers: list[PromptPaper] = field(default_factory=list)
    material: str = ""
    private: str = ""
    memory: str = ""
    summary: str = ""
    task: str = ""
    correction: str = ""
    system_text: str = ""

    @property
    def other_names(self) -> list[str]:
        """Return the other participants in the order of the list."""
        return [name for name in self.participants if name != self.speaker]

    @property
    def seat(self) -> int:
        """Return the speaker's index in the list of participants, from 0."""
        return list(self.participants).index(self.speaker) if self.speaker in self.participants else 0

    @property
    def turn(self) -> int:
        """Return the number of the current turn: that in the task, or the next one if it is higher.

        In a blind round each seat has its own turn.
        """
        match = _TURN.search(self.task)
        next_turn = self.statements[-1].turn + 1 if self.statements else 1 + self.seat
        return max(next_turn, int(match[1]) if match else 0)

    @property
    def word_target(self) -> int:
        """Return the number of words that the task, or else the shared part, asks for; 150 without a number."""
        match = _WORD_COUNT.search(self.task) or _WORD_COUNT.search(self.system_text)
        return int(match[1]) if match else 150

    @property
    def last_statement(self) -> PromptStatement | None:
        """Return the latest statement of another participant, or `None`."""
        return next((statement for statement in reversed(self.statements) if statement.speaker != self.speaker), None)

    @property
    def previous_statement(self) -> PromptStatement | None:
        """Return the latest statement of a third participant since the speaker's last own statement, or `None`."""
        recent_statements: list[PromptStatement] = []
        for statement in reversed(self.statements):
            if statement.speaker == self.speaker:
                break
            recent_statements.append(statement)
        return next(
            (statement for statement in recent_statements if statement.speaker != recent_statements[0].speaker), None
        )

    @property
    def own_statements(self) -> list[PromptStatement]:
        """Return the speaker's own statements."""
        return [statement for statement in self.statements if statement.speaker == self.speaker]


def parse_prompt(messages: Sequence[BaseMessage], metadata: Mapping[str, Any]) -> ParsedPrompt:
    """Parse the prompt. Speaker and purpose come from the call's metadata, else from the task."""
    system_text = "\n".join(message.text for message in messages if message.type == "system")
    body = "\n".join(message.text for message in messages if message.type != "system")
    task_block = _extract_last_block(body, "task")
    task = _SAID_TAG.sub("", (task_block or body.strip()) + _extract_schema_text(body))
    statements = [PromptStatement(int(turn), speaker, text) for turn, speaker, text in _STATEMENT.findall(body)]
    statements = [statement for statement in statements if statement.speaker != MODERATOR]
    last_turns = {statement.speaker: statement.turn for statement in statements}
    participants = parse_participants(system_text)
    participants |= {name: "" for name in last_turns if name not in participants}
    speaker = str(metadata.get("speaker") or guess_speaker(task, participants, last_turns))
    if metadata.get("purpose") == "statement" and speaker:
        participants.setdefault(speaker, "")  # a speaker who is asked for a statement takes part, listed or not
    return ParsedPrompt(
        speaker=speaker,
        purpose=str(metadata.get("purpose") or detect_purpose(task)),
        language=get_base_language(str(metadata.get("language") or detect_language(task))),
        topic=extract_topic(system_text) or extract_topic(task) or task.split("\n")[0][:200],
        participants=participants,
        statements=statements,
        papers=[_parse_paper(*fields) for fields in _PAPER.findall(body)],
        material=_extract_last_block(body, "material"),
        private=_extract_last_block(body, "private"),
        memory=_extract_last_block(body, "memory"),
        summary=_extract_last_block(body, "summary"),
        task=task,
        correction=_extract_last_block(body, "again"),
        system_text=system_text,
    )


def _extract_last_block(body: str, tag: str) -> str:
    start = body.rfind(f"<{tag}>\n")
    end = body.find(f"\n</{tag}>", start)
    return body[start + len(tag) + 3 : end] if 0 <= start < end else ""


def _extract_schema_text(body: str) -> str:
    """Return the text after the task and its correction if it holds a schema; else empty."""
    start = max(body.rfind("</task>"), body.rfind("</again>"))
    remainder = body[start:] if start >= 0 else ""
    return remainder[remainder.find(">") + 1 :] if "\n{" in remainder else ""


def _parse_paper(attributes: str, text: str) -> PromptPaper:
    values = dict(_ATTRIBUTE.findall(attributes))
    return PromptPaper(values.get("id", "").lstrip("@"), text.strip())
