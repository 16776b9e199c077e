"""Reading a participant's choice of a principle, alone, from a reply in free text."""

import re
import unicodedata
from typing import Final

from ...ballot.normalize import list_marks
from ...ballot.plain_sentences import is_beside
from ..principle import PrincipleChoice, needs_amount
from .amount import read_amount
from .certainty import certainty_in, without_certainty
from .principle import Unreadable, beside_principles, marked_principles, normalised, read_principle

_LABELS: Final = {
    "principle": r"principle|rule|principio|regla|原则|规则",
    "amount": r"amount|cantidad|importe|monto|金额|数额",
    "certainty": r"certainty|certeza|确定程度|确信程度",
    "reason": r"reasons?|reasoning|razón|razones|motivo|理由|原因",
}
_LABEL = "(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _LABELS.items()) + r")\s*[:=]\s*"
_LABELLED = re.compile(rf"{_LABEL}(?P<said>.*)")
_JOINED = re.compile(rf"\s*[,;|]\s*(?=(?:{'|'.join(_LABELS.values())})\s*[:=])")
_REASON = re.compile(rf"(?<!\w)(?:{_LABELS['reason']})[\"*_\s]*[:=][\"*_\s]*(?P<said>[^\n]*)", re.IGNORECASE)


def read_choice(text: str, language: str = "en", least: int = 1000, most: int = 10_000_000) -> PrincipleChoice:
    """The choice in a reply: a principle, an amount for 3 and 4 (`least` to `most`), a certainty, a reason if given.

    Labelled lines ("Principle: 3") are read by their labels; what is not labelled is read together, and beside a
    labelled principle must not name another. Unreadable where the principle or the amount is missing or not clear, or
    there is not exactly one certainty.
    """
    lines = _JOINED.sub("\n", normalised(text)).split("\n")
    labelled: dict[str, str] = {}
    for name, said in (pair for line in lines for pair in _labelled(line).items()):
        labelled[name] = f"{labelled[name]}; {said}" if name in labelled else said
    free = [without_certainty(line) for line in lines if not _labelled(line)]
    rest = "\n".join(line for line in free if line)
    principle = read_principle(labelled.get("principle") or rest, language)
    if "principle" in labelled and not all(is_beside(line) for line in _others(rest, language)):
        raise Unreadable("answer_unclear", rest)
    amount = None
    if needs_amount(principle):
        said = labelled.get("amount") or beside_principles(rest, language)
        amount = read_amount(said, language, least, most) if said.strip() else _no_amount()
    return PrincipleChoice(
        principle=principle,
        constraint_amount=amount,
        certainty=certainty_in([line for line in lines if "reason" not in _labelled(line)]),
        reasoning=_reason_in(text),
    )


def _no_amount() -> int:
    raise Unreadable("amount_missing")


def _others(rest: str, language: str) -> list[str]:
    """What stands beside labelled lines, amounts on lines of their own apart."""
    return [line for line in marked_principles(rest, language).split("\n") if line and not _is_amount(line)]


def _is_amount(line: str) -> bool:
    return not list_marks(line) and re.fullmatch(r"(?:amount|cantidad|金额)?\W*[\ue041]\W*", line) is not None


def _labelled(line: str) -> dict[str, str]:
    """The label of a line and what follows it; empty for a line without a label."""
    found = _LABELLED.match(line)
    return {name: found["said"] for name in _LABELS if found[name]} if found else {}


def _reason_in(text: str) -> str:
    """The reasons given after their label, as they were written."""
    found = _REASON.finditer(unicodedata.normalize("NFKC", text))
    return "; ".join(said for one in found if (said := one["said"].strip(' "*_`}')))
