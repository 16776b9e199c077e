"""Reading a ballot out of text: JSON, one plainly stated option, a list. What is unclear is an invalid ballot."""

import json
import re
from collections.abc import Callable, Sequence

from pydantic import ValidationError

from .answer import Unclear, bare, inline, listed, stated
from .ballot import REASON_LENGTH, Ballot
from .ballot_schema import AskedKind, ballot_schema
from .refusal import Refused

ABSTENTIONS = ["abstain", "i abstain", "abstention", "me abstengo", "abstención", "弃权", "我弃权"]
_ABSTAINS = "abstention"
NONE_OF_THEM = ["none", "none of them", "i approve of none", "ninguna", "ninguno", "无"]

_BULLET, _NUMBER = r"[-•+]\s", r"\d+\s*[.):、]"
_FENCE = re.compile(r"\s*```(?:json)?\s*(\{.*\})\s*```\s*|\s*(\{.*\})\s*", re.DOTALL)
_WHY = re.compile(r"^\W*(?:reason|because|razón|motivo|porque|理由|原因)\W*\s*[:：]\W*", re.IGNORECASE | re.MULTILINE)
_MARK = re.compile(r"(.+?)\s*[:=：]\s*(-?\d+(?:\.\d+)?)(?:\s*/\s*10)?\s*\.?")


def _chosen(text: str, names: dict[str, str]) -> object:
    return stated(text, dict.fromkeys(ABSTENTIONS, _ABSTAINS) | names)


def _ranked(text: str, names: dict[str, str]) -> object:
    if entries := listed(text, f"(?={_NUMBER})"):
        numbered = [re.split(r"\s*[.):、]\s*", entry, maxsplit=1) for entry in entries]
        places, items = [place for place, _ in numbered], [item for _, item in numbered]
        if places != [str(place) for place in range(1, len(places) + 1)]:
            raise Unclear(f"the places run {', '.join(places)}; number them 1, 2, 3, …")
    else:
        items = inline(text, ">" if ">" in text else "[,;，；]")
    return [names.get(bare(item), item) for item in items]


def _approved(text: str, names: dict[str, str]) -> object:
    if bare(text) in NONE_OF_THEM:
        return []
    items = listed(text, f"{_BULLET}|{_NUMBER}") or inline(text, "[,;，；]")
    return [names.get(bare(item), item) for item in items]


def _scored(text: str, names: dict[str, str]) -> object:
    marks = [_MARK.fullmatch(item) for item in listed(text, f"(?:{_BULLET})?")]
    if not marks or not all(marks):
        raise Unclear("write one line per option: its name, a colon, its number")
    read = [(mark.group(1), mark.group(2)) for mark in marks if mark]
    return [
        {"option": names.get(bare(name), name), "score": float(score) if "." in score else int(score)}
        for name, score in read
    ]


_READERS: dict[AskedKind, Callable[[str, dict[str, str]], object]] = {
    "choice": _chosen,
    "ranking": _ranked,
    "approvals": _approved,
    "scores": _scored,
    "points": _scored,
}


def _wording(options: Sequence[str]) -> dict[str, str]:
    names = {bare(option): option for option in options}
    if len(names) < len(options) or "" in names:
        raise Refused("options", list(options), "options that differ in case or punctuation alone cannot be told apart")
    return names


def _content(text: str, kind: AskedKind, options: Sequence[str]) -> dict[str, object]:
    if fenced := _FENCE.fullmatch(text):
        try:
            return {"reason": "", **json.loads(fenced.group(1) or fenced.group(2))}
        except (ValueError, RecursionError) as error:
            raise Unclear(f"broken JSON: {error}") from error
    said, reason = [*_WHY.split(text, maxsplit=1), ""][:2]
    names = _wording(options)
    if bare(said) in ABSTENTIONS and bare(said) not in names:
        return {kind: _ABSTAINS, "reason": reason}
    return {kind: _READERS[kind](said, names), "reason": reason}


def read_ballot(text: str, kind: AskedKind, options: Sequence[str], *, voter: str) -> Ballot:
    """The ballot that `voter` states in `text`, valid or, with the text and why, invalid; an abstention if it says so.

    A choice: the option as first sentence, first or last line, or declared (`I vote for …`). A ranking: lines numbered
    1, 2, 3, …, or `A > B > C`, or `A, B, C`. Approvals: bullets, or `A, C`, or `none`. Scores and points: lines `A: 7`.
    A line `Reason: …` may follow. All kinds: the JSON object of `ballot_schema`. Raises `Refused` if two options read
    the same.
    """
    schema = ballot_schema(kind, options)
    try:
        content = _content(text, kind, options)
        if content.get(kind) == _ABSTAINS and _ABSTAINS not in options:
            return Ballot(voter=voter, abstain=True, reason=str(content["reason"])[:REASON_LENGTH])
        return schema.model_validate(content).ballot(voter)
    except Unclear as unclear:
        return Ballot.spoiled(voter, text, str(unclear))
    except ValidationError as error:
        return Ballot.spoiled(voter, text, first_fault(error))


def first_fault(error: ValidationError) -> str:
    """The first thing wrong with an answer: where in it, and what."""
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"])
    what = fault["msg"].removeprefix("Value error, ")
    return f"{place}: {what}" if place else what
