"""Answers in text: the bare answer, or labelled lines at the end of a reply.

An answer has a form, such as `Vote: B`. Text before the labelled lines is free, and Moot does not interpret it. If a
reply lacks the form, Moot asks again.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from .text import (
    UnclearAnswerError,
    clean_answer,
    closes_passage,
    drop_pairs,
    ends_in_passage,
    fold_wording,
    remove_invisible,
    strip_pairs,
    strip_reasoning,
)

ReadAs = Literal["schema", "line", "bare"]
"""Way in which a reply stated its answer: as the schema's JSON, as labelled last lines, or as the answer alone."""

MAX_REPLY_LENGTH: Final = 200_000

MAX_ANSWER_LENGTH: Final = 20_000

_LABEL_MARK = re.compile(r"^(?:[-+•*]|#+|[0-9]{1,2}[.)])\s+")
_LINE_MARK = re.compile(r"^(?:[•*]|#+|[-+](?=\s+[*_`\"'“«「]*(?!US\$)[^\W\d_]))\s+")
"""Mark of a list item or heading. A `-` or `+` before a digit or an amount could be the sign of the number."""
_FRAME = re.compile(
    r"^[ \t]*(?P<mark>`{3,}|~{3,}|(?P<rule>[-*_])(?P=rule){2,})(?:json|markdown|md|plaintext|text|txt|yaml)?[ \t]*\n"
    r"(?P<text>(?:(?![ \t]*(?:`{3}|~{3})).*\n)*?)[ \t]*(?P=mark)[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
"""Code block of plain text, or lines between two equal rules."""
_MARKS = "-*_=#+•"


@dataclass(frozen=True)
class AnswerField:
    """Labelled line of an answer, such as `Vote: B`.

    `key`: name of the value. `labels`: accepted labels, of which a question shows the first. `parse`: parser of the
    text after the label, which raises `UnclearAnswerError`. `is_complete`: whether `examples` lists every possible
    answer. `is_free`: whether the value is free text, such as a reason, which other texts cannot contradict.
    `condition`: key of the phrase that says when an optional line is needed; empty if never.
    """

    key: str
    labels: Sequence[str]
    parse: Callable[[str], object] = str
    examples: Sequence[str] = ("…",)
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

        The labelled lines come last, in any order. Blank lines, and lines of Markdown marks, may stand between them. No
        passage that hides or quotes them may be open. If an earlier line repeats a label, it must give the same value,
        except in free text. If the form requires only one line, a reply without labelled lines may also be the answer
        alone, after hidden reasoning.
        """
        if len(text) > MAX_REPLY_LENGTH:
            raise UnclearAnswerError("long_reply", length=len(text))
        lines = _list_lines(text)
        required_fields = [field for field in self.fields if field.is_required]
        if len(required_fields) == 1 and not self.has_answer_line(text):
            bare_lines = _list_lines(strip_reasoning(text))
            if len(bare_lines) == 1 and not self._find_field(bare_lines[0]):
                answer = drop_pairs(_LINE_MARK.sub("", bare_lines[0]))
                return {required_fields[0].key: _parse_answer(required_fields[0], answer)}, "bare"
        lines = [line for line in lines if line.strip(_MARKS)]
        matches, start = list(map(self._find_field, lines)), len(lines)
        answers: dict[str, tuple[AnswerField, str]] = {}
        while start and (match := matches[start - 1]) and not (match[0].is_free and match[0].key in answers):
            answers.setdefault(match[0].key, match)
            start -= 1
        missing_fields = [field for field in required_fields if field.key not in answers]
        if missing_fields or ends_in_passage("\n".join(lines[:-1])):
            raise UnclearAnswerError("no_line", label=[*missing_fields, *required_fields][0].labels[0])
        values = {key: _parse_answer(*match) for key, match in answers.items()}
        for field, answer in {(match[0].key, match[1]): match for match in filter(None, matches)}.values():
            if not field.is_free and field.key in values and _parse_answer(field, answer) != values[field.key]:
                raise UnclearAnswerError("contrary", label=field.labels[0])
        return values, "line"

    def has_answer_line(self, text: str) -> bool:
        """Return whether a line of `text` begins with a label, other than the label of free text."""
        return any(match and not match[0].is_free for match in map(self._find_field, _list_lines(text)))

    @cached_property
    def _fields_by_label(self) -> dict[str, AnswerField]:
        return {fold_wording(label): field for field in reversed(self.fields) for label in field.labels}

    def _find_field(self, line: str) -> tuple[AnswerField, str] | None:
        label, colon, answer = drop_pairs(_LABEL_MARK.sub("", line)).partition(":")
        field = self._fields_by_label.get(" ".join(label.casefold().split())) if colon else None
        if field and field.is_free:  # a reason keeps its own emphasis
            answer = line.partition(":")[2].lstrip("*_`")
        return (field, answer.strip().removeprefix("• ").strip()) if field else None


def _parse_answer(field: AnswerField, text: str) -> object:
    is_placeholder = field.is_required and not any(map(str.isalnum, text))  # such as `Reason: …`
    if len(text) > MAX_ANSWER_LENGTH or (field.is_free and (is_placeholder or closes_passage(text))):
        raise UnclearAnswerError("unknown", given=text[:60])
    return field.parse(text if field.is_free else clean_answer(text))


def _list_lines(text: str) -> list[str]:
    """List the lines up to the last one with words, without blank lines and frames.

    A reply of one line loses the marks around it.
    """
    plain_text = "\n".join(remove_invisible(text).splitlines())
    lines = [line.strip() for line in _FRAME.sub(lambda match: match["text"], plain_text).split("\n") if line.strip()]
    while lines and not lines[-1].strip(_MARKS):
        lines.pop()
    return list(map(strip_pairs, lines)) if len(lines) == 1 else lines
