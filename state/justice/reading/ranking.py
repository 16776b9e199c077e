"""Reading a ranking of the four principles, with its certainty, from a reply in free text."""

import re
from typing import Final

from ..principle import PRINCIPLES, Certainty, Principle, Ranking, numbered
from .principle import Unreadable, named_principles, normalised, single_digits
from .words import CERTAINTIES, CERTAINTY_LABEL, CERTAINTY_OPENING, CLAUSES

_LIST = re.compile(r"(?<![0-9.,])[0-9](?:\s*[,>;、]\s*[0-9]){3,}(?![0-9])")
_BULLET = re.compile(r"[\s>*_#•·–-]*(?:\(?[a-d][.)]\s*)?")
_PLACE = re.compile(r"(?:(?:rank|place|puesto|lugar|第)\s*)?\(?([0-9])(?:[.):、–-]+\s*|\s+|名\s*:?\s*)(?=\S)")
_COMMENT = re.compile(r"[:(–—]| - ")
_SIZE: Final = len(PRINCIPLES)


def read_ranking(text: str, language: str = "en") -> Ranking:
    """The ranking in a reply: four lines, best first, or a list such as "3,1,2,4"; and one certainty.

    Bullets, letters, numbering and bold are ignored; a line names its principle by number or name. Unreadable where a
    principle is missing or repeated, a line names two, or there is not exactly one certainty.
    """
    reply = normalised(text)
    lines = [line.casefold().replace("*", "").replace("_", " ").strip() for line in reply.splitlines()]
    order = _listed(lines) or _lined([line for line in lines if line and not _is_certainty(line)], language)
    if len(order) != _SIZE:
        raise Unreadable("ranking_incomplete", f"{len(order)} of {_SIZE} principles")
    if len(set(order)) != _SIZE:
        raise Unreadable("ranking_repeats", ", ".join(order))
    return Ranking(order=order, certainty=certainty_in(lines), raw_replies=[text])


def _listed(lines: list[str]) -> list[Principle]:
    """The order given as a list of numbers; empty where there is none."""
    lists = {tuple(re.findall("[0-9]", found)) for line in lines for found in _LIST.findall(line)}
    if len(lists) > 1:
        raise Unreadable("ranking_unclear", " / ".join(",".join(numbers) for numbers in sorted(lists)))
    numbers = [int(number) for each in lists for number in each]
    if any(number not in range(1, _SIZE + 1) for number in numbers):
        raise Unreadable("number_out_of_range", ", ".join(map(str, numbers)))
    return [numbered(number) for number in numbers]


def _lined(lines: list[str], language: str) -> list[Principle]:
    """The order given line by line; lines that name no principle are passed over."""
    order: list[Principle] = []
    for line in lines:
        named = _on_line(line, len(order) + 1, language)
        if len(named) > 1:
            raise Unreadable("ranking_unclear", line)
        order += [numbered(number) for number in named]
    return order


def _on_line(line: str, place: int, language: str) -> set[int]:
    """The principles a line names; a leading number is its place in the list, or else must be the principle named."""
    rest = line[len(_bullet(line)) :]
    leading = _PLACE.match(rest)
    if leading is None:
        return _named(rest, language)
    named, number = _named(rest[leading.end() :], language), int(leading[1])
    return named | {number} if named and number != place else named


def _bullet(line: str) -> str:
    found = _BULLET.match(line)
    return found[0] if found else ""


def _named(text: str, language: str) -> set[int]:
    """What a line says by digit and by name, taken whole and up to its first comment: all of it must agree."""
    alone = re.search("[0-9]{2}", text) is None
    parts = {text, _COMMENT.split(text, maxsplit=1)[0]}
    return {number for part in parts for number in single_digits(part) | named_principles(part, language, alone)}


def _is_certainty(line: str) -> bool:
    """Whether a line is about certainty alone."""
    clauses = _clauses(line)
    return CERTAINTY_LABEL.search(line) is not None or (bool(clauses) and set(clauses) <= set(CERTAINTIES))


def certainty_in(lines: list[str]) -> Certainty:
    """The one certainty of a reply, given as plain lines in lower case.

    It stands as a clause of its own, on a line labelled so or else anywhere; Unreadable where there is not exactly one.
    """
    labelled = [line for line in lines if CERTAINTY_LABEL.search(line)]
    said = [clause for line in labelled or lines for clause in _clauses(line)]
    found = {CERTAINTIES[clause] for clause in said if clause in CERTAINTIES}
    if len(found) != 1:
        raise Unreadable("certainty_unclear" if found else "certainty_missing", ", ".join(sorted(found)))
    return found.pop()


def _clauses(line: str) -> list[str]:
    clauses = (clause.strip(" 0123456789>") for clause in CLAUSES.split(CERTAINTY_LABEL.sub(" ", line)))
    return [CERTAINTY_OPENING.sub("", clause) for clause in clauses if clause]
