"""Reading how certain a participant says it is: one of five certainties, said alone or after its label."""

import re
from typing import Final

from ..principle import Certainty
from .principle import Unreadable
from .words import CERTAIN, CERTAINTIES, CERTAINTY_LABEL

_CLAUSES = re.compile(r"[.;|。,!\n]| - | – ")
_OPENING = r"(?:(?:and |so |y |而且|并且)?(?:i am |i'm |i feel |is |estoy |me siento |es |我|是|为))*"
_STATED = re.compile(
    rf"(?:(?:my |mi |the |la |我的)?{CERTAINTY_LABEL}\s*(?:\([^()]*\))?\s*(?:[:=]|is|es|是|为)?\s*)?{_OPENING}"
    rf"(?P<said>{'|'.join(sorted(CERTAINTIES, key=len, reverse=True))})\s*\(?"
)
_LABEL: Final = re.compile(CERTAINTY_LABEL)


def is_certainty(clause: str) -> bool:
    """Whether a clause says how certain somebody is, readably or not."""
    return CERTAIN.search(clause.replace("_", " ")) is not None or _LABEL.search(clause) is not None


def certainty_in(lines: list[str]) -> Certainty:
    """The one certainty of a reply, given as plain lines.

    It stands as a clause of its own, with or without its label; Unreadable where there is not exactly one, and where
    certainty is spoken of in any other way, as in "not sure" or "sure or unsure".
    """
    clauses = [one.replace("_", " ").strip(" 0123456789>()") for line in lines for one in _CLAUSES.split(line)]
    spoken = [one for one in clauses if is_certainty(one)]
    stated = [_STATED.fullmatch(one) for one in spoken]
    found = {CERTAINTIES[one["said"]] for one in stated if one}
    if not found:
        raise Unreadable("certainty_missing", "; ".join(spoken))
    if len(found) > 1 or not all(stated):
        raise Unreadable("certainty_unclear", "; ".join(spoken))
    return found.pop()


def without_certainty(line: str) -> str:
    """A line without its clauses about certainty."""
    kept, end = "", 0
    for part in _CLAUSES.finditer(f"{line}\n"):
        clause = line[end : part.start()]
        numbers = re.match(r"[\s0-9>]*", clause)
        told = is_certainty(clause)
        kept += (numbers[0] if numbers else "") if told else clause
        kept += "" if told else part[0].strip("\n")
        end = part.end()
    return kept.strip(" ,;|.-–")
