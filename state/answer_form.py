"""Answers in text: the bare answer, or labelled lines at the end of a reply.

An answer has a form, such as `Vote: B`. Text before the labelled lines is free, and Moot does not interpret it. If a
reply lacks the form, Moot asks again.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal, TypeVar

from pydantic_core import ErrorDetails

T = TypeVar("T")

ReadAs = Literal["schema", "line", "bare"]
"""Form of an answer that was read: the JSON of the schema, labelled last lines, or the answer alone."""

MAX_REPLY_LENGTH: Final = 200_000
"""Maximum length of a reply to parse, in code points."""

MAX_LABEL_LENGTH: Final = 100
"""Maximum length of a label with its marks, in code points."""

MAX_ITEMS: Final = 200
"""Maximum number of parts of a list to parse."""

MAX_ANSWER_LENGTH: Final = 20_000
"""Maximum length of the answer after a label, in code points."""

_EMPHASIS: Final = "*_`"
"""Marks of emphasis and code around an answer. Strikethrough is none of them: it takes the answer back."""
_QUOTES: Final = {
    '"': '"',
    "'": "'",
    "“": "”",
    "„": "“",
    "‘": "’",
    "«": "»",
    "‹": "›",
    "「": "」",
    "『": "』",
}
"""Closing quotation mark of each opening one."""
_NO_WORDING = str.maketrans("", "", _EMPHASIS + "".join(_QUOTES) + "".join(_QUOTES.values()))
_STOPS: Final = ".。!"
_LINE_START = re.compile(r"^(?:[-•+#]+|\*)\s+(?![\s\d])|^[*•#]+\s+")
"""Mark of a list or heading. Before a digit, `-` and `+` can be its sign."""
_LINE_NUMBER = re.compile(r"^\d{1,2}[.)]\s+")
_COMMAS: Final = "[,;、]"
_SIGN_JOINTS: Final = (" ", ": ", ":", ". ", ") ", " - ", " – ", " — ", " = ")
_POWERS: Final = ("<super>", "<sub>", "<fraction>")
"""Compatible forms with a meaning of their own, such as the power in 10²."""


class UnclearAnswerError(ValueError):
    """Text that does not contain an answer of the expected form.

    `kind`: key of the phrase that describes the fault. `values`: values for the placeholders of the phrase. `flaw`:
    fault that the schema found in an answer of the right form.
    """

    def __init__(self, kind: str = "none", flaw: ErrorDetails | None = None, **values: object) -> None:
        super().__init__(f"{kind}: {values}" if values else kind)
        self.kind, self.flaw, self.values = kind, flaw, values


@dataclass(frozen=True)
class AnswerField:
    """Labelled line of an answer, such as `Vote: B`.

    `key`: name of the value. `labels`: accepted labels; a question shows the first. `parse`: parser of the text after
    the label, which raises `UnclearAnswerError`. `is_complete`: whether `examples` lists every possible answer.
    `is_free`: free text, such as a reason; other lines cannot contradict it.
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
    """Form of an answer in text: its labelled lines.

    `act`: key of the phrase that names the question, such as `vote`.
    """

    fields: Sequence[AnswerField]
    act: str = "answer"

    def parse(self, text: str) -> tuple[dict[str, object], ReadAs]:
        """Return the values by key, and how the reply stated them. Raises `UnclearAnswerError`.

        The labelled lines come last, in any order. Blank lines and lines of Markdown marks may stand among them. If an
        earlier line repeats a label, it must give the same value, except in free text. If the form requires only one
        line, the reply may also be the answer without its label.
        """
        if len(text) > MAX_REPLY_LENGTH:
            raise UnclearAnswerError("long_reply", length=len(text))
        lines = _list_lines(text)
        required_fields = [field for field in self.fields if field.is_required]
        if len(lines) == 1:
            lines = [_strip_quotes(lines[0])]
            if len(required_fields) == 1 and not self._find_field(lines[0]):
                return {required_fields[0].key: _parse_answer(required_fields[0], lines[0])}, "bare"
        answers = self._collect_last_lines(lines)
        if missing_field := next((field for field in required_fields if field.key not in answers), None):
            raise UnclearAnswerError("no_line", label=missing_field.labels[0])
        values = {
            field.key: answers[field.key] if field.is_free else _parse_answer(field, answers[field.key])
            for field in self.fields
            if field.key in answers
        }
        matches = filter(None, map(self._find_field, lines))
        for field, answer in {(field.key, answer): (field, answer) for field, answer in matches}.values():
            if field.key in values and not field.is_free and not _says(field, answer, values[field.key]):
                raise UnclearAnswerError("contrary", label=field.labels[0])
        return values, "line"

    def has_answer_line(self, text: str) -> bool:
        """Return whether a line of `text` begins with the label of an answer."""
        return any(match and not match[0].is_free for match in map(self._find_field, _list_lines(text)))

    def _collect_last_lines(self, lines: Sequence[str]) -> dict[str, str]:
        answers: dict[str, str] = {}
        for line in reversed(lines):
            match = self._find_field(line)
            if match is None or (match[0].is_free and match[0].key in answers):
                break
            answers.setdefault(match[0].key, match[1])
        return answers

    @cached_property
    def _fields_by_label(self) -> dict[str, AnswerField]:
        return {_fold_label(label): field for field in reversed(self.fields) for label in field.labels}

    def _find_field(self, line: str) -> tuple[AnswerField, str] | None:
        """Return the field whose label begins `line`, and the text after the label; `None` without a label."""
        head, colon, rest = line.partition(":")
        if not colon or len(head) > MAX_LABEL_LENGTH:
            return None
        field = self._fields_by_label.get(_fold_label(_LINE_NUMBER.sub("", head)))
        return (field, rest.strip()) if field else None


def _fold_label(text: str) -> str:
    """Return a label in lower case without marks of emphasis around it. A quotation mark belongs to another's words."""
    return " ".join(text.strip(_EMPHASIS + " \t").casefold().split())


def _parse_answer(field: AnswerField, text: str) -> object:
    if len(text) > MAX_ANSWER_LENGTH:
        raise UnclearAnswerError("unknown", given=text[:60])
    return field.parse(clean_answer(text))


def _says(field: AnswerField, text: str, value: object) -> bool:
    try:
        return _parse_answer(field, text) == value
    except UnclearAnswerError:
        return False


def _list_lines(text: str) -> list[str]:
    """List the lines with words, without invisible characters and list marks."""
    lines = (line.strip() for line in _remove_invisible(text).splitlines())
    return [_LINE_START.sub("", line) for line in lines if line and not _is_mark_line(line)]


def _is_mark_line(line: str) -> bool:
    return not line.strip(_EMPHASIS + "~-+•#=> ") or (line.startswith("```") and " " not in line)


def _remove_invisible(text: str) -> str:
    """Return a text without invisible characters, in compatible Unicode forms. Powers and fractions stay."""
    return text if text.isascii() else unicodedata.normalize("NFC", "".join(map(_make_compatible, text)))


@lru_cache(maxsize=4096)
def _make_compatible(character: str) -> str:
    if unicodedata.category(character) == "Cf":
        return ""
    is_power = unicodedata.decomposition(character).startswith(_POWERS)
    return character if is_power else unicodedata.normalize("NFKC", character)


def clean_answer(text: str) -> str:
    """Return an answer without marks of emphasis and quotation around it, and without its final stop."""
    stripped_text = _strip_quotes(_remove_invisible(text))
    return _strip_quotes(stripped_text[:-1]) if stripped_text.endswith(tuple(_STOPS)) else stripped_text


def _strip_quotes(text: str) -> str:
    """Return a text without blanks, marks of emphasis and pairs of quotation marks around it."""
    text = text.strip().strip(_EMPHASIS).strip()
    while len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and not {text[0], text[-1]} & {*text[1:-1]}:
        text = text[1:-1].strip().strip(_EMPHASIS).strip()
    return text


def normalize_wording(text: str) -> str:
    """Return a text in lower case, with single blanks and without marks of emphasis and quotation, for comparison."""
    return " ".join(clean_answer(text).translate(_NO_WORDING).casefold().split())


def index_options(options: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    """Map each way to write an option to the sign of the option.

    An option can be written as its sign, its text, or both, as in `B (its text)`. `options`: texts by sign, or signs
    without texts. The map leaves out ambiguous wordings: those that two options share, and texts that are a sign.
    """
    texts = options if isinstance(options, Mapping) else dict.fromkeys(options, "")
    sign_wordings = {normalize_wording(sign) for sign in texts}
    signs_by_wording: dict[str, set[str]] = {}
    for sign, text in texts.items():
        wordings = {normalize_wording(sign)}
        if normalize_wording(text) not in sign_wordings | {""}:
            joined_wordings = (
                text,
                f"{sign} ({text})",
                f"{sign}({text})",
                *(f"{sign}{joint}{text}" for joint in _SIGN_JOINTS),
            )
            wordings |= {*map(normalize_wording, joined_wordings)} - sign_wordings
        for wording in wordings - {""}:
            signs_by_wording.setdefault(wording, set()).add(sign)
    return {wording: min(signs) for wording, signs in signs_by_wording.items() if len(signs) == 1}


def parse_word(text: str, meanings: Mapping[str, T]) -> T:
    """Return the meaning of `text`, which must equal one of the known wordings.

    `meanings`: by normalized wording. Raises `UnclearAnswerError` for any other text.
    """
    wording = normalize_wording(text)
    if wording not in meanings:
        raise UnclearAnswerError("unknown", given=text[:60])
    return meanings[wording]


def parse_ranking(text: str, signs: Mapping[str, str]) -> list[str]:
    """Parse `B > A > C`, or the same with commas, into a list of signs, best first.

    `signs`: sign by wording. Raises `UnclearAnswerError`.
    """
    return _parse_items(text, ">" if ">" in text else _COMMAS, signs, lambda item: parse_word(item, signs))


def parse_list(text: str, signs: Mapping[str, str]) -> list[str]:
    """Parse `A, C` into a list of signs. Raises `UnclearAnswerError`."""
    return _parse_items(text, _COMMAS, signs, lambda item: parse_word(item, signs))


def parse_scores(text: str, signs: Mapping[str, str]) -> list[dict[str, object]]:
    """Parse `A=7, B=0` into pairs of `option` and `score`. Scores are digits with an optional decimal point."""

    def parse_score(item: str) -> dict[str, object]:
        match = re.fullmatch(
            r"\s*(.+?)\s*[=:]\s*(-?[0-9]{1,9})(\.[0-9]{1,9})?(?:\s*/\s*10)?\s*", item.translate(_NO_WORDING)
        )
        if match is None:
            raise UnclearAnswerError("unknown", given=item.strip()[:60])
        score = float(match[2] + match[3]) if match[3] else int(match[2])
        return {"option": parse_word(match[1], signs), "score": score}

    return _parse_items(text, _COMMAS, signs, parse_score)


def _parse_items(text: str, separator: str, signs: Iterable[str], parse: Callable[[str], T]) -> list[T]:
    """Parse the items of a list whose items may contain the separator.

    `signs`: wordings of the items, which bound the separators in an item. Raises `UnclearAnswerError` unless exactly
    one way to divide the text can be parsed.
    """
    starts = [0, *(match.end() for match in re.finditer(separator, text))]
    if len(starts) > MAX_ITEMS:
        raise UnclearAnswerError("unknown", given=text[:60])
    ends = [*(start - 1 for start in starts[1:]), len(text)]
    inner_count = max((len(re.findall(separator, sign)) for sign in signs), default=0)
    divisions: list[list[list[T]]] = [[[]]]  # at most two of the text before each separator
    for last, end in enumerate(ends):
        parsed_divisions: list[list[T]] = []
        for first in range(max(0, last - inner_count), last + 1):
            if divisions[first] and len(parsed_divisions) < 2:
                with suppress(UnclearAnswerError):
                    item = parse(text[starts[first] : end])
                    parsed_divisions += [[*items, item] for items in divisions[first]]
        divisions.append(parsed_divisions[:2])
    if len(divisions[-1]) != 1:
        raise UnclearAnswerError("unknown", given=text[:60])
    return divisions[-1][0]


def parse_amount(text: str) -> int:
    """Parse a whole amount of money: `15000`, `15,000`, `15.000`, `15 000`, `$15,000` and `15.000 €` are the same.

    Raises `UnclearAnswerError` for anything else, such as `15.00`, `1,5` or `fifteen thousand`.
    """
    match = re.fullmatch(
        r"(?:US)?[$€£¥]?\s*([0-9]{1,15}|[0-9]{1,3}(?:([.,' ])[0-9]{3})(?:\2[0-9]{3}){0,3})\s*[$€£¥元]?", text.strip()
    )
    if match is None:
        raise UnclearAnswerError("amount", given=text[:60])
    return int(re.sub(r"\D", "", match[1]))


def parse_numbers(text: str, count: int, unit: str = "") -> list[float]:
    """Parse a list of exactly `count` numbers, such as `40, 55, 70`. Raises `UnclearAnswerError`."""
    parts = re.split(_COMMAS, text)
    if len(parts) != count:
        raise UnclearAnswerError("number", given=text[:60])
    return [parse_number(part, unit) for part in parts]


def parse_number(text: str, unit: str = "") -> float:
    """Parse a number with a decimal point, optionally followed by `unit`.

    Raises `UnclearAnswerError` for a decimal comma, marks between thousands or another unit.
    """
    match = re.fullmatch(
        r"([-−+]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?)(.*)", text.strip(_EMPHASIS + " "), re.DOTALL
    )
    if match is None or _fold_unit(match[2]) not in ("", _fold_unit(unit)):
        raise UnclearAnswerError("number", given=text[:60])
    return float(match[1].replace("−", "-"))


def _fold_unit(unit: str) -> str:
    return " ".join(_remove_invisible(unit).rstrip(_STOPS).strip(_EMPHASIS).casefold().split())
