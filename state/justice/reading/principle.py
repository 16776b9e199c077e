"""Reading replies in free text: a consent and a principle. Strict: what is not clear is an error, never a guess.

Texts are normalised first (NFKC: full-width digits and letters become plain). A number is a maximal run of digits with
inner points or commas and an optional minus.
"""

import re
import unicodedata
from typing import Final, Literal, get_args

from ..principle import Principle, numbered
from .words import AVERAGES, FLOOR_CONSTRAINTS, FLOORS, HEDGES, LETTERS, LIMITS, NUMERALS, RANGE_CONSTRAINTS

Fault = Literal[
    "empty_response",
    "zero_not_valid",
    "number_out_of_range",
    "multiple_valid_numbers",
    "principle_content_unclear",
    "use_digits_not_words",
    "no_letter_choices",
    "response_too_long",
    "invalid_format_general",
    "amount_missing",
    "amount_unclear",
    "amount_not_whole",
    "amount_out_of_range",
    "amounts_differ",
    "ranking_incomplete",
    "ranking_repeats",
    "ranking_unclear",
    "certainty_missing",
    "certainty_unclear",
]
FAULTS: Final[tuple[Fault, ...]] = get_args(Fault)
"""Every reason a reply can be unreadable for; each needs its words in a retry prompt."""

KEYWORD_LENGTH: Final = 100
"""Longest reply, in code points, in which the name of a principle is looked for."""

_NUMBER = re.compile(r"(?:(?<!\w)[-−])?[0-9]+(?:[.,][0-9]+)*")
_CLAUSE_COMMA = re.compile(r"，(?!\d{3}(?!\d))")
_DISTRIBUTION = re.compile(r"(?<![A-Za-z0-9])[Dd][1-4](?![0-9])")


class Unreadable(ValueError):
    """A reply that does not say what was asked. `fault` is the reason, `seen` the part (shortened) it was found in."""

    def __init__(self, fault: Fault, seen: str = "") -> None:
        super().__init__(f"{fault}: {seen[:80]!r}" if seen else fault)
        self.fault, self.seen = fault, seen[:80]

    def __reduce__(self) -> tuple[type["Unreadable"], tuple[Fault, str]]:
        return type(self), (self.fault, self.seen)


def normalised(text: str) -> str:
    """`text` in NFKC, trimmed; Unreadable where nothing is left.

    A full-width comma ends a clause unless exactly three digits follow, as in 15，000.
    """
    plain = unicodedata.normalize("NFKC", _CLAUSE_COMMA.sub(", ", text)).strip()
    if not plain:
        raise Unreadable("empty_response")
    return plain


def read_consent(text: str) -> bool:
    """Yes (1) or no (0): every number in the reply must be the same, and one of the two."""
    reply = normalised(text)
    found = set(_NUMBER.findall(reply))
    if not found:
        raise Unreadable("use_digits_not_words", reply)
    if not found <= {"0", "1"}:
        raise Unreadable("number_out_of_range", ", ".join(sorted(found - {"0", "1"})))
    if len(found) > 1:
        raise Unreadable("multiple_valid_numbers", reply)
    return found == {"1"}


def read_principle(text: str, language: str = "en") -> Principle:
    """The one principle a reply names: by a single digit 1 to 4, else, in a short reply, by its name.

    Names are read in `language` and in English, and only in replies of at most 100 characters without a negation or a
    comparison. `D1` to `D4` name distributions and are not read as numbers.
    """
    reply = normalised(text)
    numbers, digits = _NUMBER.findall(without_distributions(reply)), single_digits(reply)
    if len(digits) > 1:
        raise Unreadable("multiple_valid_numbers", ", ".join(map(str, sorted(digits))))
    if not digits:
        digits = named_principles(reply, language, alone=not numbers)
    if len(digits) > 1:
        raise Unreadable("principle_content_unclear", reply)
    if not digits:
        raise Unreadable(_fault_of(reply, numbers), reply)
    return numbered(digits.pop())


def without_distributions(reply: str) -> str:
    """`reply` without the names of distributions."""
    return _DISTRIBUTION.sub(" ", reply)


def single_digits(reply: str) -> set[int]:
    """The standalone digits 1 to 4 of a reply, also in a list such as "1,2"; not those inside "15,000" or "1.5"."""
    runs = (run.split(",") for run in _NUMBER.findall(without_distributions(reply)))
    return {int(part) for parts in runs if all(len(part) == 1 for part in parts) for part in parts if part in "1234"}


def named_principles(reply: str, language: str, alone: bool = True) -> set[int]:
    """The ballot numbers of the principles a short reply names; empty where it is long, negated or comparing.

    The constraints are looked for first. Only without one, and only if `alone` (no number stands beside), "floor" is
    read as 1 and "average" as 2, and neither where a range or a limit is mentioned as well.
    """
    words = reply.casefold().replace("_", " ")
    if len(words) > KEYWORD_LENGTH or HEDGES.search(words):
        return set()
    constraints = _found({3: FLOOR_CONSTRAINTS, 4: RANGE_CONSTRAINTS}, words, language)
    if constraints or not alone:
        return constraints
    plain = _found({1: FLOORS, 2: AVERAGES}, words, language)
    return {1, 2} if plain and LIMITS.search(words) else plain


def _found(lexicon: dict[int, dict[str, re.Pattern[str]]], words: str, language: str) -> set[int]:
    spoken = ("en", language[:2].lower())
    return {
        number
        for number, patterns in lexicon.items()
        if any(patterns[each].search(words) for each in spoken if each in patterns)
    }


def _fault_of(reply: str, numbers: list[str]) -> Fault:
    """Why a reply without a principle cannot be read."""
    if numbers:
        zero = all(set(number) <= set("0.,") for number in numbers)
        return "zero_not_valid" if zero else "number_out_of_range"
    if len(reply) > KEYWORD_LENGTH:
        return "response_too_long"
    words = reply.casefold()
    if LETTERS.search(words):
        return "no_letter_choices"
    return "use_digits_not_words" if NUMERALS.search(words) else "invalid_format_general"
