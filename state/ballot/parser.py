"""Reading a ballot out of text: JSON, one plainly stated option, a list. What is unclear is an invalid ballot."""

import json
import re
from collections.abc import Callable, Sequence

from pydantic import ValidationError

from ..errors import InputError
from .answer_parser import UnclearAnswerError, normalize_answer, parse_stated_answer, split_inline_list, split_list
from .normalize import make_certainty_error
from .schema import BallotAnswer, BallotFormat, make_ballot_schema

ABSTENTIONS = ["abstain", "i abstain", "abstention", "me abstengo", "abstención", "弃权", "我弃权"]
_ABSTAINS = "abstention"

_BULLET, _NUMBER = r"[-•+]\s", r"\d+\s*[.):、]"
_FENCE = re.compile(r"\s*```(?:json)?\s*(\{.*\})\s*```\s*|\s*(\{.*\})\s*", re.DOTALL)
_WHY = re.compile(
    r"^[^\w\n]*(?:reason|because|razón|motivo|porque|理由|原因)[^\w\n:：]*[:：]", re.IGNORECASE | re.MULTILINE
)
_SURE = re.compile(
    r"^[^\w\n]*(?:certainty|confidence|weight|certeza|confianza|确信度|把握)[^\w\n:：]*[:：][^\w\n]*"
    r"([1-5])(?:[^\S\n]*/[^\S\n]*5)?[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_MARK = re.compile(r"(.+?) ?[:=：] ?(-?\d+(?:\.\d+)?)(?: ?/ ?10)? ?\.?")


def _chosen(text: str, names: dict[str, str]) -> object:
    return parse_stated_answer(text, dict.fromkeys(ABSTENTIONS, _ABSTAINS) | names)


def _ranked(text: str, names: dict[str, str]) -> object:
    if entries := split_list(text, f"(?={_NUMBER})"):
        numbered = [re.split(r"\s*[.):、]\s*", entry, maxsplit=1) for entry in entries]
        places, items = [place for place, _ in numbered], [item for _, item in numbered]
        if places != [str(place) for place in range(1, len(places) + 1)]:
            run = ", ".join(places)
            raise UnclearAnswerError(f"the places run {run}; number them 1, 2, 3, …", "places", given=run)
    else:
        items = split_inline_list(text, ">" if ">" in text else "[,;，；]")
    return [names.get(normalize_answer(item), item) for item in items]


def _approved(text: str, names: dict[str, str]) -> object:
    if normalize_answer(text) in ["none", "none of them", "i approve of none", "ninguna", "ninguno", "无"]:
        return []
    items = split_list(text, f"{_BULLET}|{_NUMBER}") or split_inline_list(text, "[,;，；]")
    return [names.get(normalize_answer(item), item) for item in items]


def _scored(text: str, names: dict[str, str]) -> object:
    marks = [_MARK.fullmatch(" ".join(item.split())) for item in split_list(text, f"(?:{_BULLET})?")]
    if not marks or not all(marks):
        raise UnclearAnswerError("write one line per option: its name, a colon, its number", "marks")
    read = [(mark.group(1), mark.group(2)) for mark in marks if mark]
    return [
        {"option": names.get(normalize_answer(name), name), "score": float(score) if "." in score else int(score)}
        for name, score in read
    ]


_READERS: dict[BallotFormat, Callable[[str, dict[str, str]], object]] = {
    "choice": _chosen,
    "ranking": _ranked,
    "approvals": _approved,
    "scores": _scored,
    "points": _scored,
}


def _content(text: str, kind: BallotFormat, options: Sequence[str], weighted: bool) -> dict[str, object]:
    if fenced := _FENCE.fullmatch(text):
        try:
            return dict(json.loads(fenced.group(1) or fenced.group(2)))
        except (ValueError, RecursionError) as error:
            raise UnclearAnswerError(f"broken JSON: {error}", "broken") from error
    sure = _SURE.findall(text) if weighted else []
    said, reason = _apart(_SURE.sub("", text) if weighted else text)
    names = {normalize_answer(option): option for option in options}
    if len(names) < len(options) or "" in names:
        raise InputError(
            "options", list(options), "options that differ in case or punctuation alone cannot be told apart"
        )
    if normalize_answer(said) in ABSTENTIONS and normalize_answer(said) not in names:
        return {kind: _ABSTAINS, "reason": reason}
    if weighted and len(sure) != 1:
        raise make_certainty_error(1, 5)
    certainty = {"weight": int(sure[0])} if sure else {}
    return {kind: _READERS[kind](said, names), "reason": reason, **certainty}


def _apart(text: str) -> list[str]:
    """What the text says, and the reason it gives: all that follows `Reason:`, or that line if it comes first."""
    said, *reason = _WHY.split(text, maxsplit=1)
    if reason and not said.strip():
        line, _, said = reason[0].partition("\n")
        return [said, line.strip()]
    return [said, *(why.strip() for why in reason or [""])]


def read_answer(
    text: str, kind: BallotFormat, options: Sequence[str], *, weighted: bool = False, may_abstain: bool = True
) -> BallotAnswer:
    """What `text` states, as a voter's structured answer. Raises `UnclearAnswerError` if it is none.

    A choice: the option as first sentence, first or last line, or declared (`I vote for …`). A ranking: lines numbered
    1, 2, 3, …, or `A > B > C`, or `A, B, C`. Approvals: bullets, or `A, C`, or `none`. Scores and points: lines `A: 7`.
    A line `Reason: …` may go first or last; with `weighted` a line `Certainty: 4` (1 to 5) must be there. All kinds:
    the JSON object of `make_ballot_schema`. Raises `InputError` if two options read the same.
    """
    content = _content(text, kind, options, weighted)
    if may_abstain and content.get(kind) == _ABSTAINS and _ABSTAINS not in options:
        content, weighted = {kind: None, "abstain": True, "reason": content["reason"]}, False
    schema = make_ballot_schema(kind, options, is_weighted=weighted, may_abstain=may_abstain)
    try:
        return schema.model_validate(content)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        raise UnclearAnswerError(first_fault(error), "none", fault) from error


def first_fault(error: ValidationError) -> str:
    """The first thing wrong with an answer: where in it, and what."""
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"])
    what = fault["msg"].removeprefix("Value error, ")
    return f"{place}: {what}" if place else what
