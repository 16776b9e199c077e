"""Reading replies in free text: a consent and a principle. Strict: what is not clear is an error, never a guess.

A digit or a name counts only as the answer itself, as `state.ballot.plain` has it: alone, labelled, or declared. One
that is negated, compared, doubted, somebody else's, or contradicted by the name beside it is asked again.
"""

import re
from typing import Final, Literal, get_args

from ...ballot import answer_parser
from ...ballot.normalize import (
    MARK_PATTERN,
    NUMBER_PATTERN,
    UnclearAnswerError,
    get_mark_value,
    list_marks,
    make_mark,
    mask_counts,
    mask_names,
    mask_sums,
    normalize_reply,
)
from ...ballot.plain_sentences import answer_in
from ..principle import Principle, get_principle
from .words import AVERAGE, CONSTRAINT, FLOOR, LETTERS, LIMIT, NAMES, NUMERALS, RANGE

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
    "answer_unclear",
    "distribution_wrong",
    "amount_missing",
    "amount_unclear",
    "amount_not_whole",
    "amount_out_of_range",
    "amounts_differ",
    "ranking_incomplete",
    "ranking_repeats",
    "ranking_unclear",
    "ranking_reversed",
    "certainty_missing",
    "certainty_unclear",
]
FAULTS: Final[tuple[Fault, ...]] = get_args(Fault)
"""Every reason a reply can be unreadable for; each needs its words in a retry prompt."""

KEYWORD_LENGTH: Final = 100
"""Longest reply, in code points, in which the name of a principle is looked for."""

_NUMBERS = re.compile(NUMBER_PATTERN)
_LABEL = r"(?:principle|option|choice|number|rule|principio|opción|número|regla|原则|选项|规则|第|no\.|nr\.|#)"
_DIGIT = re.compile(
    rf"(?:(?<![a-zà-ÿ]){_LABEL}(?:number|no\.|número|num\.|n[.º°]|[#:=是\s])*)?(?P<number>{NUMBER_PATTERN})"
    r"(?:(?:\s*号|(?<=第[1-4])\s*[个项条种])?\s*(?:原则|选项))?(?:(?<=第[1-4])[个项条种]|号)?"
)
_BARE = re.compile(
    rf"(?:(?<![a-zà-ÿ]){_LABEL}\s*)?(?<![\w$€£¥.,])(?<![$€£¥] )[1-4](?!\s*(?:[万千亿k]|thousand|"
    rf"mil|million)|[.,]?[0-9a-z])"
)
_STRANGE: Final = 15
"""Stands for a number that is no principle's, and for a name that fits none alone."""
_SOME_RANGE: Final = 5
"""Stands for a range without a word of a constraint, which names no principle and goes together with the fourth."""
_FITTING: Final = {1: {1}, 2: {2}, 3: {1, 2, 3, _STRANGE}, 4: {2, 4, _SOME_RANGE, _STRANGE}}
"""The names that may be said beside a principle: what it maximizes, and under which constraint."""


class Unreadable(UnclearAnswerError):
    """A reply that does not say what was asked. `fault` is the reason, `seen` the part (shortened) it was found in."""

    def __init__(self, fault: Fault, seen: str = "") -> None:
        super().__init__(f"{fault}: {seen[:80]!r}" if seen else fault)
        self.fault, self.seen = fault, seen[:80]

    def __reduce__(self) -> tuple[type["Unreadable"], tuple[Fault, str]]:
        return type(self), (self.fault, self.seen)


def normalised(text: str) -> str:
    """`text` as `plain` has it; Unreadable where nothing is left, or where it is too long to be an answer."""
    try:
        reply = normalize_reply(text)
    except UnclearAnswerError:
        raise Unreadable("response_too_long", text) from None
    if not reply:
        raise Unreadable("empty_response")
    return reply


def read_consent(text: str) -> bool:
    """Yes (1) or no (0), read as every consent is (`state.ballot.read_consent`); the word without a digit is refused.

    A word that contradicts the digit, as in "Yes, 0", makes it none, though the digit alone would be an answer: to take
    either of the two for what was meant would be a guess, and a consent that is guessed may adopt a rule. It is asked
    again; "Yes, 1" and "0 (no)" agree with themselves.
    """
    reply = normalised(text)
    found = set(_NUMBERS.findall(mask_counts(mask_names(reply))))
    if not found:
        raise Unreadable("use_digits_not_words", reply)
    if not found <= {"0", "1"}:
        raise Unreadable("number_out_of_range", ", ".join(sorted(found - {"0", "1"})))
    if len(found) > 1:
        raise Unreadable("multiple_valid_numbers", reply)
    try:
        return answer_parser.parse_consent(text)
    except UnclearAnswerError:
        raise Unreadable("answer_unclear", reply) from None


def read_principle(text: str, language: str = "en") -> Principle:
    """The one principle a reply states: by a digit 1 to 4, else, in a reply of at most 100 characters, by its name.

    Names are read in `language` and in English. Where a digit stands beside a name, they must say the same. A reply
    such as "Not 1", "3 rather than 2" or "Agent_2 is right" states none, whatever digit it holds.
    """
    reply = normalised(text)
    marked = marked_principles(reply, language)
    fault = _fault_of(marked, reply)
    if fault:
        raise Unreadable(fault, reply)
    try:
        return get_principle(answer_in(marked, fits))
    except UnclearAnswerError:
        raise Unreadable("answer_unclear", reply) from None


def marked_principles(reply: str, language: str) -> str:
    """`reply`, a plain text, with marks for principles: strict ones for digits, loose ones for names."""
    rest = mask_counts(mask_names(mask_sums(reply)))
    return marked_names(_DIGIT.sub(lambda found: _digits(found["number"]), rest), language)


def beside_principles(reply: str, language: str) -> str:
    """`reply` with every principle told as "principle 1", whichever it names: an amount beside it stands out."""
    marked = marked_names(_BARE.sub(make_mark(1), reply), language)
    return re.sub(rf"{MARK_PATTERN}(?:(?:[\s,:(=–—-]|with |con )*{MARK_PATTERN})*", "principle 1 ", marked)


def marked_names(reply: str, language: str) -> str:
    """`reply` with a loose mark in place of each name of a principle."""
    for each in dict.fromkeys((language[:2].lower(), "en")):
        if each in NAMES:
            reply = NAMES[each].sub(lambda found: make_mark(_named(found[0]), is_loose=True), reply)
    return reply


def _digits(number: str) -> str:
    parts = number.split(",")
    return ",".join(make_mark(int(part) if part in ("1", "2", "3", "4") else _STRANGE) for part in parts)


def _named(name: str) -> int:
    """The principle a name stands for: the constraints first, and only without one, the floor or the average."""
    limited, floor, average = CONSTRAINT.search(name), FLOOR.search(name), AVERAGE.search(name)
    if LIMIT.search(name) or (limited and not floor and not RANGE.search(name)):
        return _STRANGE
    if RANGE.search(name):
        return _STRANGE if floor else 4 if limited or average else _SOME_RANGE
    if floor:
        return 3 if limited or average else 1
    return 2


def is_strict(marked: str) -> bool:
    """Whether a mark was made for a digit."""
    return ord(marked) < ord(make_mark(0, is_loose=True))


def fits(number: int, other: str) -> bool:
    """Whether a principle's mark, found beside the answer `number`, goes together with it."""
    return get_mark_value(other) == number if is_strict(other) else get_mark_value(other) in _FITTING.get(number, ())


def _fault_of(marked: str, reply: str) -> Fault | None:
    """Why a reply with these marks names no principle, or more than one; none: it names one, stated or not."""
    marks = list_marks(marked)
    digits = {get_mark_value(one) for one in marks if is_strict(one)}
    names = {get_mark_value(one) for one in marks if not is_strict(one)}
    if len(digits) > 1:
        return "multiple_valid_numbers"
    if digits == {_STRANGE} or not (digits or names):
        return _fault_without(reply)
    if digits:
        return None if names <= _FITTING[digits.pop()] else "principle_content_unclear"
    if len(names) > 1 or names & {_STRANGE, _SOME_RANGE}:
        return "principle_content_unclear"
    return "response_too_long" if len(reply) > KEYWORD_LENGTH else None


def _fault_without(reply: str) -> Fault:
    """Why a reply without a principle cannot be read."""
    numbers = _NUMBERS.findall(mask_counts(mask_names(reply)))
    if numbers:
        zero = all(set(number) <= set("0.,") for number in numbers)
        return "zero_not_valid" if zero else "number_out_of_range"
    if len(reply) > KEYWORD_LENGTH:
        return "response_too_long"
    if LETTERS.search(reply):
        return "no_letter_choices"
    return "use_digits_not_words" if NUMERALS.search(reply) else "invalid_format_general"
