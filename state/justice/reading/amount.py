"""Reading an amount of income from a reply in free text, as it is written in English, Spanish and Chinese."""

import re
from collections.abc import Collection
from fractions import Fraction
from typing import Final

from ...ballot.normalize import (
    COUNT_MASK,
    NUMBER_PATTERN,
    REFERENCE_MASK,
    UnclearAnswerError,
    make_mark,
    mask_counts,
    mask_names,
)
from ...ballot.plain_sentences import answer_in
from .principle import Unreadable, normalised

_NUMBER = r"[0-9]+(?:[.,][0-9]+)*"
_UNITS: Final = {
    "k": 10**3,
    "thousand": 10**3,
    "mil": 10**3,
    "千": 10**3,
    "万": 10**4,
    "million": 10**6,
    "millón": 10**6,
    "millones": 10**6,
    "亿": 10**8,
}
_AMOUNT = re.compile(
    rf"(?P<minus>(?<!\w)[-−]\s*(?=[$€£¥])|(?<!\w)[-−])?(?P<mark>[$€£¥]\s*)?(?:"
    rf"(?P<tens>{_NUMBER})\s*万\s*(?:(?P<thousands>[0-9]+)\s*千\s*)?(?P<ones>[0-9]+(?!\s*[千万亿]))?"
    rf"|(?P<number>{_NUMBER})(?:\s*(?P<unit>k|thousand|mil|million|millón|millones)(?![^\W0-9一-鿿])|"
    rf"\s*(?P<han>[千亿]))?)"
    rf"(?P<glued>%|(?!usd|eur|dollar|dólar|euro)[^\W0-9_一-鿿]+)?"
)
_RULE = re.compile(
    rf"(?:(?<!\w)(?:principle|principio|option|opción)|原则)\s*(?:number|no\.|número|#|:)?\s*{NUMBER_PATTERN}"
)
_SHARE = re.compile(r"[0-9]\s*%")
_CALLED = (
    r"(?:(?:(?<!\w)(?:the|an?|my|our|el|la|una?|mi)\s+|我的)?(?:(?<!\w)(?:amount|floor|range|"
    r"minimum|constraint|value|sum|cantidad|"
    r"monto|importe|mínimo|piso|rango|restricción)|金额|数额|最低收入|最低|范围)(?:\s+(?:income|"
    r"constraint|de piso|de mínimo|de rango))?"
    r"(?:\s*[:=是为]|\s+(?:of|is|de|es)(?!\w))*\s*)?(?:(?<!\w)(?:usd|us)\s*)?"
)
_IN = r"(?:\s*(?:(?:us\s+)?dollars?|usd|us\$|dólares|(?:a|per) year|al año)(?!\w)|\s*(?:元|美元|美金))*"
_POINTED = re.compile(r"[0-9]+(?:\.[0-9]+)?|[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_SPANISH = re.compile(
    r"[0-9]+(?:[.,][0-9]{1,2})?|[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]{1,2})?|[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]{1,2})?"
)
_YEAR: Final = "\ue050"
_TOLD = re.compile(rf"{_CALLED}{make_mark(1)}{_IN}(?:\s+(?:in|en)\s+{_YEAR})?")
"""An amount with what it is called, the words for its currency, and its year."""
_LONGEST = 30
"""Digits beyond which a number is not worked out: it is out of every range."""


def read_amount(text: str, language: str = "en", least: int = 1000, most: int = 10_000_000) -> int:
    """The one whole amount, `least` to `most`, that a reply names.

    "15000", "$15,000", "15k", "15 thousand", "15 mil", "1万5千", and in Spanish "15.000", are 15,000; elsewhere the
    point is decimal. Numbers of principles, pages, rounds, people and names are skipped, and 1900 to 2099, written
    plainly, where another amount remains. Unreadable where there is none, or two, or it is not whole, or out of bounds,
    or not the answer itself: "at least 15000", "not 15000" and "Bruno said 15000" name none.
    """
    reply = normalised(text)
    if _SHARE.search(reply):
        raise Unreadable("amount_unclear", reply)
    rest = mask_counts(_RULE.sub(REFERENCE_MASK, mask_names(reply, with_leading_digit=False)))
    spanish = language.lower().startswith("es")
    found = list(_AMOUNT.finditer(rest))
    chosen = [match for match in found if not _may_be_year(match)] or found
    amounts = {_value(match, spanish) for match in chosen}
    if not amounts:
        raise Unreadable("amount_missing", reply)
    if len(amounts) > 1:
        raise Unreadable("amounts_differ", ", ".join(str(amount) for amount in sorted(amounts)))
    amount = _within(amounts.pop(), least, most)
    try:
        answer_in(_marked(rest, {match.start() for match in chosen}))
    except UnclearAnswerError:
        raise Unreadable("amount_unclear", reply) from None
    return amount


def _marked(rest: str, chosen: Collection[int]) -> str:
    """`rest` with a mark for each amount that begins at one of the places `chosen`, and others out of the way."""
    marked = _AMOUNT.sub(lambda match: make_mark(1) if match.start() in chosen else _YEAR, rest)
    return _TOLD.sub(make_mark(1), marked).replace(_YEAR, COUNT_MASK)


def _within(amount: Fraction, least: int, most: int) -> int:
    if amount.denominator != 1:
        raise Unreadable("amount_not_whole", str(float(amount)))
    if not least <= amount <= most:
        raise Unreadable("amount_out_of_range", str(amount))
    return int(amount)


def _may_be_year(match: re.Match[str]) -> bool:
    """Whether a number is written like a year: four digits, 1900 to 2099, with no mark, sign or unit."""
    return re.fullmatch(r"(?:19|20)[0-9]{2}", match[0]) is not None


def _value(match: re.Match[str], spanish: bool) -> Fraction:
    if match["glued"]:
        raise Unreadable("amount_unclear", match[0])
    amount = _with_unit(match, spanish) if match["number"] else _in_tens_of_thousands(match, spanish)
    return -amount if match["minus"] else amount


def _with_unit(match: re.Match[str], spanish: bool) -> Fraction:
    unit = match["unit"] or match["han"]
    return _decimal(match["number"], spanish) * (_UNITS[unit] if unit else 1)


def _in_tens_of_thousands(match: re.Match[str], spanish: bool) -> Fraction:
    """An amount counted in 万: "15万", "1万5千", "1万5000"; "1万5" says two things and is refused."""
    thousands, ones = match["thousands"] or "", match["ones"] or ""
    if len(thousands) > 1 or (ones and len(ones) != (3 if thousands else 4)):
        raise Unreadable("amount_unclear", match[0])
    return _decimal(match["tens"], spanish) * 10**4 + int(thousands or 0) * 10**3 + int(ones or 0)


def _decimal(digits: str, spanish: bool) -> Fraction:
    """A written number, its thousands separators taken away; Unreadable where they do not stand between thousands."""
    if len(digits) > _LONGEST:
        raise Unreadable("amount_out_of_range", digits)
    if not (_SPANISH if spanish else _POINTED).fullmatch(digits):
        raise Unreadable("amount_unclear", digits)
    if not spanish:
        return Fraction(digits.replace(",", ""))
    decimals = re.search("[.,]([0-9]{1,2})$", digits)
    whole = digits[: decimals.start()] if decimals else digits
    return Fraction(f"{re.sub('[.,]', '', whole)}.{decimals[1] if decimals else 0}")
