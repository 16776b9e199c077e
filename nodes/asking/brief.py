"""What one participant is told for one call.

Every call has the same two parts. First what all share and what only grows: the system message (rules of the
protocol, topic, participants), then material and statements. Last, at the end of the human message, what is private to
this call. So all calls of a run share one growing beginning, which providers serve from their caches.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from ...prompts import Catalogue, language_name, table, term
from ...state.deliberation import Given, Record
from ...state.fence import fenced, neutral, one_line
from ...state.history import View, ViewLimit, prompt_view
from ...state.memory import halved
from ...state.rules import Rules
from ...state.statement import MOST, Exhibit, Notice, Participant, Statement
from ...state.text import clipped


@dataclass(frozen=True)
class Brief:
    """One call's prompt, before it becomes messages. `halvings`: how often material and documents are halved."""

    head: str
    task: str
    language: str
    material: str = ""
    exhibits: Sequence[Exhibit] = ()
    halvings: int = 0
    summary: str = ""
    history: Sequence[Statement] = ()
    bound: int = 100_000
    notices: Sequence[Notice] = ()
    private: str = ""
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
        parts = self._given()
        if self.summary:
            parts.append(fenced("summary", self.summary))
        if left_out := self.view.left_out:
            parts.append(fenced("notice", term(self.language, "record", "left_out", count=left_out)))
        return [*parts, *self._told()]

    def _given(self) -> list[str]:
        """Material and documents, or what is left of each."""
        if not self.halvings:
            return [fenced("material", self.material)] * bool(self.material) + [one.fenced for one in self.exhibits]
        parts = [fenced("material", self._left(self.material))] if self.material else []
        return parts + [Exhibit(id=one.id, title=one.title, text=self._left(one.text)).fenced for one in self.exhibits]

    def _left(self, text: str) -> str:
        return clipped(text, len(text) >> self.halvings)

    def _told(self) -> list[str]:
        """The statements shown, and after the last of its time whatever the protocol told everyone."""
        if not self.notices:
            return self.view.fenced
        told, turns = list(self.view.fenced), [statement.turn for statement in self.view.statements]
        for one in reversed(self.notices):
            told.insert(bisect_right(turns, one.turn), fenced("notice", one.text))
        return told

    def _private(self) -> list[str]:
        """What nobody else is told, own memory, the task, and what was wrong with the last answer."""
        parts = (
            [fenced("private", f"{term(self.language, 'record', 'private')}\n{self.private}")] if self.private else []
        )
        parts += [f"<memory>\n{neutral(self.memory)}\n</memory>"] if self.memory else []
        parts.append(f"<task>\n{self.task}\n</task>")
        if self.again:
            parts.append(f"<again>\n{self.again}\n</again>")
        return parts

    def within(self, limit: ViewLimit | None) -> "Brief":
        """The same with no more of history and material than `limit` allows; none: no further limit."""
        if limit is None:
            return self
        return replace(self, bound=min(self.bound, limit.history), halvings=limit.halvings)

    def can_show_less(self) -> bool:
        """Whether there is anything left to show less of."""
        given = [self.material, *(one.text for one in self.exhibits)]
        return bool(self.memory or self.history or any(len(text) >> self.halvings for text in given))

    def halved(self) -> "Brief":
        """The same with half of the material, of each document and of the history, and the newer half of the memory."""
        shown = sum(len(statement.content) for statement in self.history)
        bound = max(1, min(self.bound, shown) // 2) if shown else self.bound
        return replace(self, bound=bound, halvings=self.halvings + 1, memory=halved(self.memory))


class Briefing(Given, Record):
    """What every brief is made from."""


def brief(state: Briefing, words: Catalogue, name: str, values: Mapping[str, object]) -> Brief:
    """The brief for template `name` of a protocol, without history or memory; `language` is filled in."""
    rules = state["rules"]
    language = str(values.get("language") or rules.language)
    shared = shared_values(rules, state["participants"], state["topic"])
    return Brief(
        head=words.fill(rules.language, "system", shared, rules.templates),
        task=words.fill(language, name, _safe(values) | {"language": language_name(language)}, rules.templates),
        language=language,
        private=next((one.private for one in state["participants"] if one.name == values.get("name")), ""),
        material=state["material"],
        exhibits=state["exhibits"],
        bound=rules.public_history_max_length,
        notices=state["notices"],
    )


def shared_values(rules: Rules, participants: Sequence[Participant], topic: str) -> dict[str, object]:
    """What a protocol's system template may ask for: topic, participants, a statement's length, every scalar rule."""
    lines = [_line(rules.language, one.name, one.role) for one in participants]
    scalars: dict[str, object] = {key: value for key, value in rules if isinstance(value, (str, int, float))}
    length = length_in_words(rules.max_tokens_per_turn, rules.language)
    told: dict[str, object] = {"topic": neutral(topic), "participants": "\n".join(lines), "words": length}
    return scalars | told | {"language": language_name(rules.language)}


@lru_cache(MOST)
def _line(language: str, name: str, role: str) -> str:
    """A participant in the list of all."""
    return term(language, "record", "participant", name=one_line(name), role=one_line(role)).rstrip(":： ")


def _safe(values: Mapping[str, object]) -> dict[str, object]:
    return {key: neutral(value) if isinstance(value, str) else value for key, value in values.items()}


def length_in_words(tokens: int, language: str) -> int:
    """About how many words (in Chinese: characters) fit into `tokens`."""
    return max(1, round(tokens * float(str(table("terms", language)["length"]["per_token"]))))
