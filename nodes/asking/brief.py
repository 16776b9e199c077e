"""What one participant is told for one call.

Every call has the same two parts. First what all share and what only grows: the system message (rules of the
protocol, topic, cast), then material and statements. Last, at the end of the human message, what is private to this
call. So all calls of a run share one growing beginning, which providers serve from their caches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from ...prompts import Catalogue, language_name, table, term
from ...state.deliberation import Given
from ...state.fence import fenced, neutral
from ...state.history import View, prompt_view
from ...state.memory import halved
from ...state.rules import Rules
from ...state.statement import Exhibit, Participant, Statement
from ...state.text import clipped


@dataclass(frozen=True)
class Brief:
    """One call's prompt, before it becomes messages."""

    head: str
    task: str
    language: str
    material: str = ""
    exhibits: Sequence[Exhibit] = ()
    summary: str = ""
    history: Sequence[Statement] = ()
    bound: int = 100_000
    memory: str = ""
    again: str = ""

    @cached_property
    def view(self) -> View:
        """What is shown of the history."""
        return prompt_view(self.history, self.bound)

    def messages(self) -> list[BaseMessage]:
        """One system and one human message: the most that every chat template accepts."""
        return [SystemMessage(self.head), HumanMessage("\n".join([*self._shared(), "", *self._private()]))]

    @property
    def bytes(self) -> int:
        """UTF-8 bytes of the messages."""
        return sum(len(message.text.encode(errors="replace")) for message in self.messages())

    def _shared(self) -> list[str]:
        """Material and statements, as every participant's prompt begins."""
        parts = [fenced("material", self.material)] if self.material else []
        parts += [exhibit.fenced for exhibit in self.exhibits]
        if self.summary:
            parts.append(fenced("summary", self.summary))
        if left_out := self.view.left_out:
            parts.append(fenced("notice", term(self.language, "record", "left_out", count=left_out)))
        return [*parts, *self.view.fenced]

    def _private(self) -> list[str]:
        """Own memory, the task, and what was wrong with the last answer."""
        parts = [f"<memory>\n{neutral(self.memory)}\n</memory>"] if self.memory else []
        parts.append(f"<task>\n{self.task}\n</task>")
        if self.again:
            parts.append(f"<again>\n{self.again}\n</again>")
        return parts

    def within(self, limit: int | None) -> "Brief":
        """The same with no more than `limit` characters of history; none: no further limit."""
        return self if limit is None else replace(self, bound=min(self.bound, limit))

    def can_show_less(self) -> bool:
        """Whether there is anything left to show less of."""
        return bool(self.memory or self.history or self.exhibits)

    def halved(self) -> "Brief":
        """The same with half of each document, half the history's characters and the newer half of the memory."""
        shown = sum(len(statement.content) for statement in self.history)
        bound = self.bound if self.exhibits and not shown else max(1, min(self.bound, shown) // 2)
        texts = [clipped(exhibit.text, len(exhibit.text) // 2) for exhibit in self.exhibits]
        pairs = zip(self.exhibits, texts, strict=True)
        exhibits = [Exhibit(id=exhibit.id, title=exhibit.title, text=text) for exhibit, text in pairs]
        return replace(self, bound=bound, exhibits=exhibits, memory=halved(self.memory))


def brief(state: Given, words: Catalogue, name: str, values: Mapping[str, object]) -> Brief:
    """The brief for template `name` of a protocol, without history or memory; `language` is filled in."""
    rules = state["rules"]
    language = str(values.get("language") or rules.language)
    shared = shared_values(rules, state["participants"], state["topic"]) | {"language": language_name(rules.language)}
    return Brief(
        head=words.fill(rules.language, "system", shared, rules.templates),
        task=words.fill(language, name, _safe(values) | {"language": language_name(language)}, rules.templates),
        language=language,
        material=state["material"],
        exhibits=state["exhibits"],
        bound=rules.public_history_max_length,
    )


def shared_values(rules: Rules, participants: Sequence[Participant], topic: str) -> dict[str, object]:
    """What a protocol's system template may ask for: topic, cast, and every scalar rule."""
    lines = [
        term(rules.language, "record", "cast", name=_on_one_line(one.name), role=_on_one_line(one.role)).rstrip(":： ")
        for one in participants
    ]
    scalars: dict[str, object] = {key: value for key, value in rules if isinstance(value, str | int | float)}
    return scalars | {"topic": neutral(topic), "cast": "\n".join(lines)}


def _safe(values: Mapping[str, object]) -> dict[str, object]:
    return {key: neutral(value) if isinstance(value, str) else value for key, value in values.items()}


def _on_one_line(text: str) -> str:
    return " ".join(neutral(text).split())


def length_in_words(tokens: int, language: str) -> int:
    """About how many words (in Chinese: characters) fit into `tokens`."""
    return max(1, round(tokens * float(str(table("terms", language)["length"]["per_token"]))))
