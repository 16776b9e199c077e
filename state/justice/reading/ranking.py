"""Reading a ranking of the four principles, with its certainty, from a reply in free text."""

import re
from typing import Final

from ...ballot.normalize import COUNT_MASK, UnclearAnswerError, list_marks
from ...ballot.plain_sentences import answer_in, is_beside, without_opening
from ..principle import PRINCIPLES, Principle, Ranking, get_principle
from .certainty import certainty_in, without_certainty
from .principle import Unreadable, fits, marked_principles, normalised
from .words import INTRODUCTION, PLACE, REVERSED

_LIST = re.compile(r"(?<![0-9.,_])[0-9](?:\s*(?:[,>;、-]|->|→)\s*[0-9](?![0-9])|\s+[0-9](?![0-9])){2,}(?![0-9.]*[0-9])")
_LETTER = re.compile(r"\(?[a-d][.)]\s*(?=\S)")
_WHY = re.compile(r"(?:reasons?|reasoning|razón|razones|motivo|理由|原因)\s*[:=]|because|porque|因为")
_OWN_NUMBER = re.compile(r"^([1-4])[.):]\s+(?=\D)")
_SIZE: Final = len(PRINCIPLES)


def read_ranking(text: str, language: str = "en") -> Ranking:
    """The ranking in a reply: four lines, best first, or a list such as "3,1,2,4"; and one certainty.

    Bullets, letters, places and bold are ignored; a line names its principle by number or name and says nothing else.
    Unreadable where a principle is missing or repeated, a line names two, the reply says that the worst comes first,
    gives each principle its place instead ("Principle 1: third"), or there is not exactly one certainty.
    """
    reply = normalised(text)
    if REVERSED.search(reply):
        raise Unreadable("ranking_reversed", reply)
    told = [line for line in reply.split("\n") if not _WHY.match(line)]
    lines = [rest for line in told if (rest := without_certainty(line))]
    order = _listed(lines) or _lined(lines, language)
    if len(order) != _SIZE:
        raise Unreadable("ranking_incomplete", f"{len(order)} of {_SIZE} principles")
    if len(set(order)) != _SIZE:
        raise Unreadable("ranking_repeats", ", ".join(order))
    return Ranking(order=order, certainty=certainty_in(told), raw_replies=[text])


def _listed(lines: list[str]) -> list[Principle]:
    """The order given as a list of numbers, which nothing but an introduction stands beside; empty without a list."""
    lists = [found[0] for line in lines for found in _LIST.finditer(line)]
    if not lists:
        return []
    rest = [_LIST.sub("", line).strip(" .,;:|()") for line in lines]
    if len(lists) > 1 or not all(_is_introduction(line) for line in rest if line):
        raise Unreadable("ranking_unclear", " / ".join(lists))
    numbers = [int(number) for number in re.findall("[0-9]", lists[0])]
    if any(number not in range(1, _SIZE + 1) for number in numbers):
        raise Unreadable("number_out_of_range", ", ".join(map(str, numbers)))
    return [get_principle(number) for number in numbers]


def _is_introduction(line: str) -> bool:
    return INTRODUCTION.fullmatch(without_opening(re.sub(r"[0-9]+ (?:rounds?|rondas?)", COUNT_MASK, line))) is not None


def _lined(lines: list[str], language: str) -> list[Principle]:
    """The order given line by line: each line its place, or none, and a principle."""
    told = [_LETTER.sub("", line, count=1) if _LETTER.match(line) else line for line in lines]
    entries = [line for line in told if list_marks(marked_principles(line, language)) and not _is_introduction(line)]
    for line in told:
        if line not in entries and not (_is_introduction(line) or is_beside(line)):
            raise Unreadable("ranking_unclear", line)
    if len(entries) == _SIZE and all(_rest(line, place) for place, line in enumerate(entries, 1)):
        entries = [_rest(line, place) for place, line in enumerate(entries, 1)]
    return [_principle_on(line, language) for line in entries]


def _rest(line: str, place: int) -> str:
    """What follows the place of a line; empty where the line does not begin with this place."""
    found = PLACE.match(line)
    if found is None:
        return ""
    own = str(place) in (found["listed"], found["number"]) or found[f"place{place}"]
    return line[found.end() :] if own else ""


def _principle_on(line: str, language: str) -> Principle:
    """The one principle a line names."""
    marked = marked_principles(_OWN_NUMBER.sub(r"\1, ", line), language)
    try:
        return get_principle(answer_in(marked, fits))
    except (UnclearAnswerError, ValueError):
        raise Unreadable("ranking_unclear", line) from None
