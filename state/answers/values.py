"""Parsers for the values of an answer: options, rankings, lists, scores, amounts and numbers."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final, TypeVar

from .text import UnclearAnswerError, drop_final_stop, fold_wording, normalize_wording, remove_invisible

T = TypeVar("T")

MAX_ITEMS: Final = 200
_COMMA_SIGNS: Final = "[,;、，；]"
_SIGN_JOINTS: Final = (" ", ": ", ":", ". ", ") ", " - ", " – ", " — ", " = ")
_AMOUNT: Final = re.compile(
    r"((?:US)?[$€£¥] ?)?(0|[1-9][0-9]{0,14}|[1-9][0-9]{0,2}(?:([.,，'’ ])[0-9]{3})(?:\3[0-9]{3}){0,3})"
    r"(?(1)| ?[$€£¥元]?)"
)
_NUMBER: Final = re.compile(
    r"(?!\W?[1-9][0-9]{0,2}\.[0-9]{3}(?![0-9]))([-−+]?(?:0|[1-9][0-9]{0,29}))"
    r"((?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?)(.*)",
    re.DOTALL,
)


def index_options(options: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    """Map each wording of an option to the option's sign, such as `B`.

    An option can be written as its sign, its text, or both, as in `B (its text)`. `options`: texts by sign, or signs
    without texts. The map leaves out ambiguous wordings: those of two options, and texts that consist of signs.
    """
    texts = options if isinstance(options, Mapping) else dict.fromkeys(options, "")
    return dict(_index_texts(tuple(texts.items())))


@lru_cache(128)
def _index_texts(options: tuple[tuple[str, str], ...]) -> dict[str, str]:
    sign_wordings = {normalize_wording(sign) for sign, _ in options}
    signs_by_wording: dict[str, set[str]] = {}
    for sign, text in options:
        wordings = [sign, drop_final_stop(sign)]
        if not {*re.split(r"[\s>,;、:.()=–—-]+", normalize_wording(text))} <= sign_wordings | {""}:
            for part in (text, drop_final_stop(text)):
                joined_texts = [
                    part,
                    f"{sign} ({part})",
                    f"{sign}({part})",
                    *(sign + joint + part for joint in _SIGN_JOINTS),
                ]
                wordings += [wording for wording in joined_texts if fold_wording(wording) not in sign_wordings]
        for wording in {*map(fold_wording, wordings)} - {""}:
            signs_by_wording.setdefault(wording, set()).add(sign)
    return {wording: signs.pop() for wording, signs in signs_by_wording.items() if len(signs) == 1}


def parse_word(text: str, meanings: Mapping[str, T]) -> T:
    """Return the meaning of `text`. The text must equal a known wording.

    `meanings`: by wording in lower case. Raises `UnclearAnswerError` for any other text.
    """
    wording = fold_wording(text)
    if wording not in meanings:
        raise UnclearAnswerError("unknown", given=text[:60])
    return meanings[wording]


def parse_ranking(text: str, signs: Mapping[str, T]) -> list[T]:
    """Parse `B > A > C`, or the same with commas, into a list of signs, best first.

    `signs`: sign by wording. Raises `UnclearAnswerError`.
    """
    return _parse_items(text, ">" if ">" in text else _COMMA_SIGNS, signs, lambda item: parse_word(item, signs))


def parse_list(text: str, signs: Mapping[str, str]) -> list[str]:
    """Parse `A, C` into a list of signs. `signs`: sign by wording. Raises `UnclearAnswerError`."""
    return _parse_items(text, _COMMA_SIGNS, signs, lambda item: parse_word(item, signs))


def parse_scores(text: str, signs: Mapping[str, str]) -> list[dict[str, object]]:
    """Parse `A=7, B=0` into pairs of `option` and `score`.

    A score is a decimal number, optionally followed by `/10`. `signs`: sign by wording. Raises `UnclearAnswerError`.
    """

    def parse_score(item: str) -> dict[str, object]:
        match = re.fullmatch(r"(.+)[=:](.+?)(?:/ ?10)?", item.strip())
        if match is None:
            raise UnclearAnswerError("unknown", given=item.strip()[:60])
        return {"option": parse_word(match[1], signs), "score": parse_number(match[2])}

    return _parse_items(text, _COMMA_SIGNS, signs, parse_score)


def _parse_items(text: str, separator: str, signs: Iterable[str], parse: Callable[[str], T]) -> list[T]:
    """Parse the items of a list. An item may itself contain the separator.

    `signs`: wordings of the items, which limit how many separators an item can contain. Raises `UnclearAnswerError`
    unless exactly one division of the text can be parsed.
    """
    starts = [0, *(match.end() for match in re.finditer(separator, text))]
    if len(starts) > MAX_ITEMS:
        raise UnclearAnswerError("unknown", given=text[:60])
    ends = [*(start - 1 for start in starts[1:]), len(text)]
    inner_count = max((len(re.findall(separator, sign)) for sign in signs), default=0)
    divisions: list[list[list[T]]] = [[[]]]  # at most two of the text before each separator
    for last_index, end in enumerate(ends):
        parsed_divisions: list[list[T]] = []
        for first in range(max(0, last_index - inner_count), last_index + 1):
            if divisions[first] and len(parsed_divisions) < 2:
                with suppress(UnclearAnswerError):
                    item = parse(text[starts[first] : end])
                    parsed_divisions += [[*items, item] for items in divisions[first]]
        divisions.append(parsed_divisions[:2])
    if len(divisions[-1]) != 1:
        raise UnclearAnswerError("unknown", given=text[:60])
    return divisions[-1][0]


def parse_amount(text: str) -> int:
    """Parse a whole amount of money.

    `15000`, `15,000`, `15.000`, `15 000`, `$15,000` and `15.000 €` are the same.

    Raises `UnclearAnswerError` for anything else, such as `15.00`, `1,5` or `fifteen thousand`.
    """
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        raise UnclearAnswerError("amount", given=text[:60])
    return int(re.sub(r"\D", "", match[2]))


def parse_numbers(text: str, count: int, unit: str = "") -> list[float]:
    """Parse a list of exactly `count` numbers, such as `40, 55, 70`.

    Raises `UnclearAnswerError`, also for a comma between two digits, as in `1,250,300` and `0,5; 9`. A full-width
    comma, as in `1，250，300`, stands between numbers.
    """
    parts = re.split(r",(?=\s)|[;、，；]", text)
    if len(parts) != count:
        raise UnclearAnswerError("number", given=text[:60])
    return [parse_number(part, unit) for part in parts]


def parse_number(text: str, unit: str = "") -> float:
    """Parse a number with a decimal point, optionally followed by `unit`.

    A number without a point is an integer.

    Raises `UnclearAnswerError` for a decimal comma, marks between thousands, a zero before other digits, or another
    unit, also in letter case. The point of `10.000` could be either mark.
    """
    match, unit = _NUMBER.fullmatch(text.strip()), _clean_unit(unit)
    if match is None or _clean_unit(match[3]) not in ("", unit, drop_final_stop(unit)):
        raise UnclearAnswerError("number", given=text[:60])
    whole_part = match[1].replace("−", "-")
    return float(whole_part + match[2]) if match[2] else int(whole_part)


def _clean_unit(unit: str) -> str:
    return " ".join(remove_invisible(unit).split())
