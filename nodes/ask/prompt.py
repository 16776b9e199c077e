"""Prompt of one call.

Every call has the same two parts. The shared part comes first and only grows. It is a system message (protocol rules,
topic, participants), then material and statements. The private part is the end of the human message. So all calls of a
run share a growing beginning, which providers can cache.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from ...models import has_long_results, shorten_results
from ...prompts import Templates, fill_person_text, get_language_name, get_term, load_table
from ...state import (
    MAX_PARTICIPANTS,
    Exhibit,
    HistoryView,
    Notice,
    Participant,
    RecordState,
    Settings,
    Statement,
    TaskState,
    ViewLimit,
    build_view,
    clip_text,
    fence_text,
    neutralize_line,
    neutralize_text,
    quote_lines,
    take_newer_half,
)


@dataclass(frozen=True)
class Prompt:
    """Prompt of one call, before it becomes messages.

    `bound`: maximum characters of the history. `private`: text that only this participant receives. `halvings`: number
    of times that material and documents were halved. `limit`: limit on history and material, if any.
    `retry_reason`: fault of the last reply. With an `unread_reply`, it is the question to ask after that reply.
    `unread_reply`: the last reply, if the messages repeat it. `topic`, `participants`, `values`: the content as data,
    for offline models, which read no prompt. `exchange`: look-ups of the turn, as messages after the task. `options`:
    texts of the answer's options, which a person's form shows.
    """

    head: str
    task: str
    language: str
    material: str = ""
    exhibits: Sequence[Exhibit] = ()
    halvings: int = 0
    limit: ViewLimit | None = None
    summary: str = ""
    history: Sequence[Statement] = ()
    bound: int = 100_000
    notices: Sequence[Notice] = ()
    private: str = ""
    memory: str = ""
    retry_reason: str = ""
    unread_reply: str = ""
    topic: str = ""
    participants: Sequence[Participant] = ()
    exchange: Sequence[BaseMessage] = ()
    values: Mapping[str, object] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)

    @cached_property
    def view(self) -> HistoryView:
        """Return the part of the history that fits into the prompt."""
        return build_view(self.history, self.bound)

    def build_messages(self) -> list[BaseMessage]:
        """Build one system and one human message, then the messages of look-ups.

        After an unreadable reply, also add that reply and a new question. After a rejected answer with look-ups, add
        only the question. Every chat template accepts this sequence.
        """
        repeated_question: list[BaseMessage] = []
        if self.unread_reply:
            repeated_question = [AIMessage(self.unread_reply), HumanMessage(self.retry_reason)]
        elif self.retry_reason and self.exchange:
            repeated_question = [HumanMessage(self._fence_retry())]
        return [
            SystemMessage(self.head),
            HumanMessage(self.human_text),
            *self.exchange,
            *repeated_question,
        ]

    @cached_property
    def human_text(self) -> str:
        """Return the human message: first the parts that all participants share, then those of this call."""
        material, exhibits = self.halve_documents()
        parts = [fence_text("material", material)] * bool(material) + [exhibit.fenced_text for exhibit in exhibits]
        if self.summary:
            parts.append(fence_text("summary", self.summary))
        if omitted_count := self.view.omitted_count:
            parts.append(fence_text("notice", get_term(self.language, "record", "left_out", count=omitted_count)))
        return "\n".join([*parts, *self._list_statements(), "", *self._list_private_parts()])

    @cached_property
    def digest(self) -> tuple[int, str]:
        """Return the number of UTF-8 bytes of the messages, and the first half of their SHA-256."""
        later_texts = [message.text for message in self.build_messages()[2:]]
        texts = [text.encode(errors="replace") for text in (self.head, self.human_text, *later_texts)]
        return sum(map(len, texts)), hashlib.sha256(b"\0".join(texts)).hexdigest()[:32]

    def halve_documents(self) -> tuple[str, Sequence[Exhibit]]:
        """Return the material and the documents of the prompt, each cut in half `halvings` times."""
        if not self.halvings:
            return self.material, self.exhibits
        texts = [self.material, *(exhibit.text for exhibit in self.exhibits)]
        material, *halves = [clip_text(text, len(text) >> self.halvings) for text in texts]
        pairs = zip(self.exhibits, halves, strict=True)
        return material, [Exhibit(id=exhibit.id, title=exhibit.title, text=text) for exhibit, text in pairs]

    def _list_statements(self) -> list[str]:
        if not self.notices:
            return self.view.fenced_texts
        texts, turns = list(self.view.fenced_texts), [statement.turn for statement in self.view.statements]
        for notice in reversed(self.notices):
            texts.insert(bisect_right(turns, notice.turn), _fence_notice(notice))
        return texts

    def _list_private_parts(self) -> list[str]:
        parts = (
            [fence_text("private", f"{get_term(self.language, 'record', 'private')}\n{self.private}")]
            if self.private
            else []
        )
        parts += [f"<memory>\n{neutralize_text(self.memory)}\n</memory>"] if self.memory else []
        parts.append(f"<task>\n{self.task}\n</task>")
        if self.retry_reason and not (self.unread_reply or self.exchange):
            parts.append(self._fence_retry())
        return parts

    def _fence_retry(self) -> str:
        return f"<again>\n{self.retry_reason}\n</again>"

    def with_limit(self, limit: ViewLimit | None) -> "Prompt":
        """Return the prompt with history and material cut to `limit`. `None` means no limit."""
        if limit is None or (limit.history >= self.bound and not limit.halvings):
            return self
        return replace(self, bound=min(self.bound, limit.history), halvings=limit.halvings, limit=limit)

    def can_shrink(self) -> bool:
        """Return whether any part of the prompt can still be shortened."""
        documents = [self.material, *(exhibit.text for exhibit in self.exhibits)]
        return bool(
            has_long_results(self.exchange)
            or self.unread_reply
            or self.memory
            or self.history
            or any(len(text) >> self.halvings for text in documents)
        )

    def with_half(self) -> "Prompt":
        """Return a shorter prompt, with half of its documents and history, and the newer half of its memory.

        The new prompt omits an unreadable reply. If results of look-ups are long, only they are halved, the latest only
        if no other is long.
        """
        if has_long_results(self.exchange):
            return replace(self, exchange=shorten_results(self.exchange))
        length = sum(len(statement.content) for statement in self.history)
        bound = max(1, min(self.bound, length) // 2) if length else self.bound
        return replace(
            self, bound=bound, halvings=self.halvings + 1, memory=take_newer_half(self.memory), unread_reply=""
        )


def _fence_notice(notice: Notice) -> str:
    """Return a notice between tags. Quoted participants' words get tags of their own."""
    if not notice.quotes:
        return fence_text("notice", notice.text)
    return f"<notice>\n{neutralize_text(notice.text)}\n{quote_lines(notice.quotes.items())}\n</notice>"


class PromptState(TaskState, RecordState):
    """Channels that every prompt needs."""


def build_prompt(state: PromptState, templates: Templates, name: str, values: Mapping[str, object]) -> Prompt:
    """Build the prompt for template `name` of a protocol, without history or memory.

    `values`: fields of the template. `language` is added. A person gets a text of their own.
    """
    settings = state["settings"]
    language = str(values.get("language") or settings.language)
    reader = next(
        (participant for participant in state["participants"] if participant.name == values.get("name")), None
    )
    is_person = reader is not None and reader.kind == "person"
    fill_text = partial(fill_person_text, templates) if is_person else templates.fill_template
    shared_fields = build_shared_values(settings, state["participants"], state["topic"])
    uses_tools = bool(settings.tool_definitions) and not is_person
    tool_rules = f"\n\n{get_term(settings.language, 'lookups', 'rules')}" if uses_tools else ""
    if is_person:
        shared_fields["language"] = get_language_name(language)
    head_language = language if is_person else settings.language
    return Prompt(
        head=fill_text(head_language, "system", shared_fields, settings.templates) + tool_rules,
        task=fill_text(
            language,
            name,
            {key: neutralize_text(value) if isinstance(value, str) else value for key, value in values.items()}
            | {"language": get_language_name(language)},
            settings.templates,
        ),
        language=language,
        private=reader.private if reader else "",
        material=state["material"],
        exhibits=state["exhibits"],
        bound=settings.public_history_max_length,
        notices=state["notices"],
        topic=state["topic"],
        participants=state["participants"],
        values=values,
    )


def build_shared_values(settings: Settings, participants: Sequence[Participant], topic: str) -> dict[str, object]:
    """Return the values that fill a protocol's system template.

    They are the topic, the participants, the length of a statement, every scalar setting and, if speakers can concede,
    the line of a concession.
    """
    lines = [_format_participant(settings.language, participant.name, participant.role) for participant in participants]
    scalars: dict[str, object] = {
        key: value for key, value in vars(settings).items() if isinstance(value, (str, int, float))
    }
    word_count = estimate_words(settings.max_tokens_per_turn, settings.language)
    texts: dict[str, object] = {"topic": neutralize_text(topic), "participants": "\n".join(lines), "words": word_count}
    if settings.offers_concession:
        texts["concede"] = get_term(settings.language, "sides", "concede")
    return scalars | texts | {"language": get_language_name(settings.language)}


@lru_cache(MAX_PARTICIPANTS)
def _format_participant(language: str, name: str, role: str) -> str:
    return get_term(language, "record", "participant", name=neutralize_line(name), role=neutralize_line(role)).rstrip(
        ":： "
    )


def estimate_words(tokens: int, language: str) -> int:
    """Estimate how many words of `language` fit into `tokens`; for Chinese, how many characters."""
    return max(1, round(tokens * float(str(load_table("terms", language)["length"]["per_token"]))))
