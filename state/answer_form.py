"""Answers in text: the bare answer or labelled last lines, and nothing else.

An answer is an act with a form, such as `Vote: B`. The text before it is free, and nobody interprets it. A reply
without the form states no answer: its writer is asked again.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from pydantic_core import ErrorDetails

T = TypeVar("T")

ReadAs = Literal["schema", "line", "bare"]
"""Form of an answer that was read: the JSON of the schema, labelled last lines, or the answer alone."""

MAX_REPLY_LENGTH: Final = 200_000
"""Maximum length of a reply to parse, in code points."""

MAX_ITEMS: Final = 200
"""Maximum number of parts of a list to parse."""

_MARKS: Final = "*_`~\"'“”„‘’«»‹›「」『』"
"""Marks of emphasis, code and quotation around an answer."""
_STOPS: Final = ".。!！"
_LINE_START = re.compile(r"^(?:[-•+#]+|\*)\s+")
_COMMAS: Final = "[,;、]"
_SIGN_JOINTS: Final = (" ", ": ", ":", ". ", ") ", " - ", " – ", " — ", " = ")


class UnclearAnswerError(ValueError):
    """Text without an answer of the form.

    `kind` and `values`: phrase of the fault and the values of its holes. `flaw`: fault that the schema found
    in an answer that was read.
    """

    def __init__(self, kind: str = "none", flaw: ErrorDetails | None = None, **values: object) -> None:
        super().__init__(f"{kind}: {values}" if values else kind)
        self.kind, self.flaw, self.values = kind, flaw, values


@dataclass(frozen=True)
class AnswerField:
    """Labelled line of an answer, such as `Vote: B`.

    `key`: key of the value. `labels`: accepted labels; a question shows the first. `parse`: parser of the text after
    the label; it raises `UnclearAnswerError`. `examples`: every possible answer in the question's order, or examples
    of their form if they are not `is_complete`. `is_free`: free text, such as a reason, which no other line can
    contradict.
    """

    key: str
    labels: Sequence[str]
    parse: Callable[[str], object] = str
    examples: Sequence[str] = ("…",)
    is_complete: bool = True
    is_required: bool = True
    is_free: bool = False


@dataclass(frozen=True)
class AnswerForm:
    """Form of an answer in text: its labelled lines. `act`: key of the phrase for what is answered, such as `vote`."""

    fields: Sequence[AnswerField]
    act: str = "answer"

    def parse(self, text: str) -> tuple[dict[str, object], ReadAs]:
        """Return the values by key, and the form that they were read in. Raises `UnclearAnswerError`.

        The labelled lines stand last, in any order; blank lines and lines of marks alone may stand among them. Each
        other line with one of these labels must say the same, unless it is free text. A form with one required line
        can also be the answer alone as the whole reply.
        """
        if len(text) > MAX_REPLY_LENGTH:
            raise UnclearAnswerError("long_reply", length=len(text))
        lines = [line for raw_line in text.splitlines() if (line := _clean_line(raw_line))]
        required_fields = [field for field in self.fields if field.is_required]
        if len(lines) == 1 and len(required_fields) == 1 and not self._find_field(lines[0]):
            return {required_fields[0].key: required_fields[0].parse(clean_answer(lines[0]))}, "bare"
        answers = self._collect_last_lines(lines)
        if missing_field := next((field for field in required_fields if field.key not in answers), None):
            raise UnclearAnswerError("no_line", label=missing_field.labels[0])
        values = {
            field.key: answers[field.key] if field.is_free else field.parse(clean_answer(answers[field.key]))
            for field in self.fields
            if field.key in answers
        }
        for field, answer in filter(None, map(self._find_field, lines)):
            if field.key in values and not field.is_free and not _says(field, answer, values[field.key]):
                raise UnclearAnswerError("contrary", label=field.labels[0])
        return values, "line"

    def has_answer_line(self, text: str) -> bool:
        """Return whether a line of `text` begins with the label of an answer."""
        matches = (self._find_field(_clean_line(line)) for line in text.splitlines())
        return any(match and not match[0].is_free for match in matches)

    def _collect_last_lines(self, lines: Sequence[str]) -> dict[str, str]:
        answers: dict[str, str] = {}
        for line in reversed(lines):
            match = self._find_field(line)
            if match is None or (match[0].is_free and match[0].key in answers):
                break
            answers.setdefault(match[0].key, match[1])
        return answers

    def _find_field(self, line: str) -> tuple[AnswerField, str] | None:
        """Return the field whose label begins `line`, and the text after the label, or `None`."""
        head, colon, rest = line.partition(":")
        label = normalize_wording(head)
        fields = (field for field in self.fields if label in map(normalize_wording, field.labels))
        field = next(fields, None) if colon else None
        return (field, rest.strip()) if field else None


def _says(field: AnswerField, text: str, value: object) -> bool:
    try:
        return field.parse(clean_answer(text)) == value
    except UnclearAnswerError:
        return False


def _clean_line(line: str) -> str:
    """Return a line without blanks, invisible characters and list marks; empty for a line of marks alone."""
    text = _LINE_START.sub("", _remove_invisible(line).strip())
    is_fence = text.startswith("```") and " " not in text
    return "" if is_fence or not text.strip(_MARKS + "-#=> ") else text


def _remove_invisible(text: str) -> str:
    """Return a text in compatible characters, without those that are invisible."""
    visible_text = "".join(character for character in text if unicodedata.category(character) != "Cf")
    return unicodedata.normalize("NFKC", visible_text)


def clean_answer(text: str) -> str:
    """Return an answer without marks of emphasis and quotation around it, and without its final stop."""
    stripped_text = _remove_invisible(text).strip().strip(_MARKS).strip()
    if stripped_text.endswith(tuple(_STOPS)):
        stripped_text = stripped_text[:-1].strip().strip(_MARKS).strip()
    return stripped_text


def normalize_wording(text: str) -> str:
    """Return a wording in lower case, with single blanks and without marks around it, for comparison."""
    return " ".join(clean_answer(text).casefold().split())


def index_options(options: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    """Map each wording of an option to its sign: the sign, the option's text, and both, as in `B (its text)`.

    `options`: texts by sign, or signs without texts. A text that two options share, or that is the sign of another, is
    left out.
    """
    texts = options if isinstance(options, Mapping) else dict.fromkeys(options, "")
    signs_by_wording: dict[str, set[str]] = {}
    for sign, text in texts.items():
        wordings = {text, f"{sign} ({text})", *(f"{sign}{joint}{text}" for joint in _SIGN_JOINTS)} if text else set()
        for wording in {normalize_wording(wording) for wording in wordings}:
            signs_by_wording.setdefault(wording, set()).add(sign)
    signs = {wording: min(signs) for wording, signs in signs_by_wording.items() if wording and len(signs) == 1}
    return signs | {normalize_wording(sign): sign for sign in texts}


def parse_word(text: str, meanings: Mapping[str, T]) -> T:
    """Return the meaning of the one wording that `text` is. `meanings`: by normalized wording.

    Raises `UnclearAnswerError` for any other text.
    """
    wording = normalize_wording(text)
    if wording not in meanings:
        raise UnclearAnswerError("unknown", given=text[:60])
    return meanings[wording]


def parse_ranking(text: str, signs: Mapping[str, str]) -> list[str]:
    """Parse `B > A > C`, or the same with commas, into signs, best first. `signs`: by wording."""
    return _parse_items(text, ">" if ">" in text else _COMMAS, lambda item: parse_word(item, signs))


def parse_list(text: str, signs: Mapping[str, str], none_words: Iterable[str] = ()) -> list[str]:
    """Parse `A, C` into signs; one of `none_words` is the empty list."""
    wording = normalize_wording(text)
    if wording in map(normalize_wording, none_words) and wording not in signs:
        return []
    return _parse_items(text, _COMMAS, lambda item: parse_word(item, signs))


def parse_scores(text: str, signs: Mapping[str, str]) -> list[dict[str, object]]:
    """Parse `A=7, B=0` into pairs of `option` and `score`. Scores are plain numbers with a decimal point."""

    def parse_score(item: str) -> dict[str, object]:
        match = re.fullmatch(r"\s*(.+?)\s*[=:]\s*(-?[0-9]{1,9})(\.[0-9]{1,9})?(?:\s*/\s*10)?\s*", item)
        if match is None:
            raise UnclearAnswerError("unknown", given=item.strip()[:60])
        score = float(match[2] + match[3]) if match[3] else int(match[2])
        return {"option": parse_word(match[1], signs), "score": score}

    return _parse_items(text, _COMMAS, parse_score)


def _parse_items(text: str, separator: str, parse: Callable[[str], T]) -> list[T]:
    """Parse the items of a list. An item may contain separators, if only one division of the text can be parsed."""
    starts = [0, *(match.end() for match in re.finditer(separator, text))]
    if len(starts) > MAX_ITEMS:
        raise UnclearAnswerError("unknown", given=text[:60])
    ends = [*(start - 1 for start in starts[1:]), len(text)]
    divisions: list[list[list[T]]] = [[[]]]  # at most two of the text before each separator
    for last, end in enumerate(ends):
        found: list[list[T]] = []
        for first in range(last + 1):
            if divisions[first] and len(found) < 2:
                with suppress(UnclearAnswerError):
                    item = parse(text[starts[first] : end])
                    found += [[*items, item] for items in divisions[first]]
        divisions.append(found[:2])
    if len(divisions[-1]) != 1:
        raise UnclearAnswerError("unknown", given=text[:60])
    return divisions[-1][0]


def parse_amount(text: str) -> int:
    """Parse a whole amount of money: `15000`, `15,000`, `15.000`, `15 000` and `$15,000` are the same.

    Raises `UnclearAnswerError` for anything else, such as `15.00`, `1,5` or `fifteen thousand`.
    """
    match = re.fullmatch(
        r"(?:US)?[$€£¥]?\s*([0-9]{1,15}|[0-9]{1,3}(?:([.,' ])[0-9]{3})(?:\2[0-9]{3}){0,3})", text.strip()
    )
    if match is None:
        raise UnclearAnswerError("amount", given=text[:60])
    return int(re.sub(r"\D", "", match[1]))


def parse_numbers(text: str, count: int, unit: str = "") -> list[float]:
    """Parse `count` numbers such as `40, 55, 70`, each as `parse_number` does. Raises `UnclearAnswerError`."""
    parts = re.split(_COMMAS, text)
    if len(parts) != count:
        raise UnclearAnswerError("number", given=text[:60])
    return [parse_number(part, unit) for part in parts]


def parse_number(text: str, unit: str = "") -> float:
    """Parse a number with a decimal point and without marks between thousands, followed by `unit` if there is one.

    The unit may be left out. Raises `UnclearAnswerError` for anything else, such as `1,5` or another unit.
    """
    number_text = text.strip()
    if unit and normalize_wording(number_text).endswith(normalize_wording(unit)):
        number_text = number_text[: -len(unit)].rstrip()
    if not re.fullmatch(r"[-−+]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?", number_text):
        raise UnclearAnswerError("number", given=text[:60])
    return float(number_text.replace("−", "-"))
