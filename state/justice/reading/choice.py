"""Reading a participant's choice of a principle, alone, from a reply in free text."""

import re
from typing import Final

from ..principle import Choice, needs_amount
from .amount import read_amount
from .principle import normalised, read_principle
from .ranking import certainty_in

_LABELS: Final = {
    "principle": r"principle|rule|principio|regla|原则|规则",
    "amount": r"amount|cantidad|importe|monto|金额|数额",
    "certainty": r"certainty|certeza|确定程度|确信程度",
    "reason": r"reasons?|reasoning|razón|razones|motivo|理由|原因",
}
_LINE = re.compile(
    r"[\s>*_#•·–-]*(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _LABELS.items()) + r")"
    r"[*_]*\s*[:=][*_]*\s*(?P<said>.*)",
    re.IGNORECASE,
)


def read_choice(text: str, language: str = "en", least: int = 1000, most: int = 10_000_000) -> Choice:
    """The choice in a reply: a principle, an amount for 3 and 4 (`least` to `most`), a certainty, a reason if given.

    Labelled lines ("Principle: 3") are read by their labels; what is not labelled is read together. Unreadable where
    the principle or the amount is missing or not clear, or there is not exactly one certainty.
    """
    lines = normalised(text).splitlines()
    labelled: dict[str, str] = {}
    for name, said in (pair for line in lines for pair in _labelled(line).items()):
        labelled[name] = f"{labelled[name]}; {said}" if name in labelled else said
    rest = "\n".join(line for line in lines if not _labelled(line))
    principle = read_principle(labelled.get("principle") or rest, language)
    amount = None
    if needs_amount(principle):
        amount = read_amount(labelled.get("amount", rest), language, least, most)
    unexplained = [line for line in lines if "reason" not in _labelled(line)]
    plain = [line.casefold().replace("*", "").replace("_", " ").strip() for line in unexplained]
    return Choice(
        principle=principle,
        constraint_amount=amount,
        certainty=certainty_in(plain),
        reasoning=labelled.get("reason", "").strip(),
    )


def _labelled(line: str) -> dict[str, str]:
    """The label of a line and what follows it; empty for a line without a label."""
    found = _LINE.fullmatch(line.strip())
    return {name: found["said"] for name in _LABELS if found[name]} if found else {}
