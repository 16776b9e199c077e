"""Ballots from a JSON list: objects with the keys of `Ballot`."""

import json
from collections.abc import Iterator

from pydantic import ValidationError

from ...state.ballot import Ballot, first_fault
from ...state.refused import Refused, unknown_key

_BLANK = " \t\r\n"


def _place(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError("a key comes twice")
    return dict(pairs)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _elements(text: str) -> Iterator[tuple[int, object]]:
    """The list's elements, each with where it begins."""
    decoder = json.JSONDecoder(object_pairs_hook=_unique)
    at = _expected(text, _skip(text, 0), "[")
    while text[at : at + 1] != "]":
        begins = at
        try:
            element, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise Refused(
                _place(text, error.pos), text[error.pos : error.pos + 20], f"broken JSON: {error.msg}"
            ) from error
        except (ValueError, RecursionError) as error:
            raise Refused(_place(text, begins), text[begins : begins + 60], f"broken JSON: {error}") from error
        yield begins, element
        at = _skip(text, at)
        if text[at : at + 1] != "]":
            at = _expected(text, at, ",")
            if text[at : at + 1] == "]":
                _expected(text, at, "{")
    if _skip(text, at + 1) < len(text):
        _expected(text, _skip(text, at + 1), "the end of the file")


def _expected(text: str, at: int, sign: str) -> int:
    if text[at : at + 1] != sign:
        raise Refused(_place(text, at), text[at : at + 20], f"the file is one JSON list of ballots; here comes {sign}")
    return _skip(text, at + 1)


def ballots_in_json(text: str) -> list[Ballot]:
    """The ballots of a JSON list. Raises `Refused` naming line and column of the broken place or the wrong ballot."""
    ballots: dict[str, Ballot] = {}
    for at, element in _elements(text):
        try:
            ballot = Ballot.model_validate(element)
        except ValidationError as error:
            raise Refused(_place(text, at), element, _wrong(error)) from error
        if ballot.voter in ballots:
            raise Refused(_place(text, at), ballot.voter, "has cast a ballot above; one each")
        ballots[ballot.voter] = ballot
    return list(ballots.values())


def _wrong(error: ValidationError) -> str:
    """The first thing wrong with a ballot; for an unknown key the nearest known one."""
    first = error.errors()[0]
    if first["type"] != "extra_forbidden":
        return first_fault(error)
    key = str(first["loc"][-1])
    return f"{key}: {unknown_key(key, list(Ballot.model_fields))}"
