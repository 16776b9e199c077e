"""Answers in text: the bare answer, or labelled lines at the end of a reply.

An answer has a form, such as `Vote: B`. Text before the labelled lines is free, and Moot does not interpret it. If a
reply lacks the form, Moot asks again.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from .text import (
    EMPHASIS,
    FINAL_STOPS,
    UnclearAnswerError,
    clean_answer,
    closes_quotation,
    ends_in_hidden_passage,
    list_code_blocks,
    opens_quotation,
    remove_invisible,
    resolve_stars,
    strip_quotes,
    strip_reasoning,
)

ReadAs = Literal["schema", "line", "bare"]
"""Way in which a reply stated its answer: as the schema's JSON, as labelled last lines, or as the answer alone."""

MAX_REPLY_LENGTH: Final = 200_000

MAX_ANSWER_LENGTH: Final = 20_000

_LINE_START = re.compile(r"^(?:[-•+]|#+|\*)\s+(?![\s$€£¥+−-]|US\$|[\W_]*\d)|^[*•#]+\s+")
"""Mark of a list item or heading. A `-` or `+` before a digit or an amount could be the sign of the number."""
_FENCE = re.compile(r"(?:`{3,}|~{3,})(?:json|markdown|md|plaintext|text|txt|yaml)?$", re.IGNORECASE)
_RULE = re.compile(r"([-*_])\1{2,}")
_LINE_NUMBER = re.compile(r"^\d{1,2}[.)]\s+")


@dataclass(frozen=True)
class AnswerField:
    """Labelled line of an answer, such as `Vote: B`.

    `key`: name of the value. `labels`: accepted labels, of which a question shows the first. `parse`: parser of the
    text after the label, which raises `UnclearAnswerError`. `value_texts`: options or units, which may end in an
    apostrophe or a quotation mark. `is_complete`: whether `examples` lists every possible answer. `is_free`: whether
    the value is free text, such as a reason, which other texts cannot contradict. `condition`: key of the phrase that
    says when an optional line is needed; empty if never.
    """

    key: str
    labels: Sequence[str]
    parse: Callable[[str], object] = str
    examples: Sequence[str] = ("…",)
    value_texts: Collection[str] = ()
    is_complete: bool = True
    is_required: bool = True
    is_free: bool = False
    condition: str = ""


@dataclass(frozen=True)
class AnswerForm:
    """Form of an answer in text: its labelled lines.

    `act`: key of the phrase that names the requested act, such as `vote`.
    """

    fields: Sequence[AnswerField]
    act: str = "answer"

    def parse(self, text: str) -> tuple[dict[str, object], ReadAs]:
        """Return the values by key, and how the reply stated them. Raises `UnclearAnswerError`.

        The labelled lines come last, in any order. Blank lines, and lines that contain only Markdown marks, may stand
        between them. The lines must not be inside a hidden passage. If an earlier line repeats a label, it must give
        the same value, except in free text. If the form requires only one line, the reply may also be the answer
        without its label. Only hidden reasoning without a labelled line may precede this answer.
        """
        if len(text) > MAX_REPLY_LENGTH:
            raise UnclearAnswerError("long_reply", length=len(text))
        lines = _list_lines(text if self.has_answer_line(text) else strip_reasoning(text))
        required_fields = [field for field in self.fields if field.is_required]
        if len(lines) == 1:
            lines = [strip_quotes(resolve_stars(lines[0]))]
            if len(required_fields) == 1 and not self._find_field(lines[0]):
                return {required_fields[0].key: _parse_answer(required_fields[0], lines[0])}, "bare"
        answers = self._collect_last_lines(lines)
        if missing_field := next((field for field in required_fields if field.key not in answers), None):
            raise UnclearAnswerError("no_line", label=missing_field.labels[0])
        if ends_in_hidden_passage(remove_invisible(text).rpartition(lines[-1])[0]):
            raise UnclearAnswerError("no_line", label=required_fields[0].labels[0])
        values = {field.key: _parse_answer(field, answers[field.key]) for field in self.fields if field.key in answers}
        matches = filter(None, map(self._find_field, lines))
        for field, answer in {(field.key, answer): (field, answer) for field, answer in matches}.values():
            if field.key in values and not _is_same_value(field, answer, values[field.key]):
                raise UnclearAnswerError("contrary", label=field.labels[0])
        return values, "line"

    def has_answer_line(self, text: str) -> bool:
        """Return whether a line of `text` begins with a label, other than the label of free text."""
        return any(match and not match[0].is_free for match in map(self._find_field, _list_lines(text)))

    def _collect_last_lines(self, lines: Sequence[str]) -> dict[str, str]:
        answers: dict[str, str] = {}
        for line in filter(_has_content, reversed(lines)):
            match = self._find_field(line)
            if match is None or (match[0].is_free and match[0].key in answers):
                break
            answers.setdefault(match[0].key, match[1])
        return answers

    @cached_property
    def _fields_by_label(self) -> dict[str, AnswerField]:
        return {_fold_label(label): field for field in reversed(self.fields) for label in field.labels}

    def _find_field(self, line: str) -> tuple[AnswerField, str] | None:
        label, colon, answer = resolve_stars(line).partition(":")
        field = self._fields_by_label.get(_fold_label(_LINE_NUMBER.sub("", label))) if colon else None
        return (field, (line.partition(":")[2] if field.is_free else answer).strip()) if field else None


def _fold_label(text: str) -> str:
    """Return a label in lower case without marks of emphasis around it.

    Quotation marks stay, because a quoted label is no answer.
    """
    return " ".join(text.strip(EMPHASIS + " \t").casefold().split())


def _parse_answer(field: AnswerField, text: str) -> object:
    endings = tuple(
        _unify_apostrophes(part) for part in (*field.examples, *field.value_texts) if closes_quotation(part)
    )
    is_quoted = closes_quotation(text) and not _unify_apostrophes(clean_answer(text)).endswith(endings)
    is_open = opens_quotation(text) and not field.is_free and not opens_quotation(field.examples[0])
    is_placeholder = field.is_free and field.is_required and bool(text) and not any(map(str.isalnum, text))
    if is_quoted or is_open or is_placeholder or len(text) > MAX_ANSWER_LENGTH:
        raise UnclearAnswerError("unknown", given=text[:60])
    return field.parse(text if field.is_free else clean_answer(text))


def _unify_apostrophes(text: str) -> str:
    return text.casefold().replace("’", "'").rstrip(FINAL_STOPS)


def _is_same_value(field: AnswerField, text: str, value: object) -> bool:
    """Return whether a line gives `value`. A free text contradicts only a missing one."""
    if field.is_free:
        return not text or bool(value)
    try:
        return _parse_answer(field, text) == value
    except UnclearAnswerError:
        return False


def _list_lines(text: str) -> list[str]:
    """List the lines to the last one with words.

    Blank lines, fences, list marks, and two equal rules around the reply are left out. In a code block of another
    language, such as `diff`, a mark is no list mark.
    """
    all_lines = list(map(str.strip, remove_invisible(text).splitlines()))
    lines = [
        line if code and not _FENCE.match(code) else _LINE_START.sub("", line)
        for line, code in zip(all_lines, list_code_blocks(all_lines), strict=True)
        if line and not _FENCE.match(line)
    ]
    if len(lines) > 2 and lines[0] == lines[-1] and _RULE.fullmatch(lines[0]):
        lines = lines[1:-1]
    while lines and not _has_content(lines[-1]):
        lines.pop()
    return lines


def _has_content(line: str) -> bool:
    """Return whether a line has text, or strikethrough, which withdraws the lines before it."""
    return line == "~~" or bool(line.strip(EMPHASIS + "~-+•#= "))
