"""Ballots from a JSON list of objects with the keys of `Ballot`."""

import json
from collections.abc import Iterator

from pydantic import ValidationError

from ....state.ballot import Ballot, describe_first_fault
from ....state.errors import InputError, explain_unknown_key


def _format_location(text: str, offset: int) -> str:
    return f"line {text.count(chr(10), 0, offset) + 1}, column {offset - text.rfind(chr(10), 0, offset)}"


def _build_unique_mapping(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError("a key comes twice")
    return dict(pairs)


def _skip_blanks(text: str, offset: int) -> int:
    while offset < len(text) and text[offset] in " \t\r\n":
        offset += 1
    return offset


def _read_elements(text: str) -> Iterator[tuple[int, object]]:
    decoder = json.JSONDecoder(object_pairs_hook=_build_unique_mapping)
    offset = _skip_sign(text, _skip_blanks(text, 0), "[")
    while text[offset : offset + 1] != "]":
        element_offset = offset
        try:
            element, offset = decoder.raw_decode(text, offset)
        except json.JSONDecodeError as error:
            raise InputError(
                _format_location(text, error.pos), text[error.pos : error.pos + 20], f"broken JSON: {error.msg}"
            ) from error
        except (ValueError, RecursionError) as error:
            raise InputError(
                _format_location(text, element_offset),
                text[element_offset : element_offset + 60],
                f"broken JSON: {error}",
            ) from error
        yield element_offset, element
        offset = _skip_blanks(text, offset)
        if text[offset : offset + 1] != "]":
            offset = _skip_sign(text, offset, ",")
            if text[offset : offset + 1] == "]":
                _skip_sign(text, offset, "{")
    if _skip_blanks(text, offset + 1) < len(text):
        _skip_sign(text, _skip_blanks(text, offset + 1), "the end of the file")


def _skip_sign(text: str, offset: int, sign: str) -> int:
    if text[offset : offset + 1] != sign:
        raise InputError(
            _format_location(text, offset),
            text[offset : offset + 20],
            f"the file is one JSON list of ballots; here comes {sign}",
        )
    return _skip_blanks(text, offset + 1)


def parse_json(text: str) -> list[Ballot]:
    """Parse the ballots of a JSON list. Raises `InputError` with line and column of the first fault."""
    ballots: dict[str, Ballot] = {}
    for offset, element in _read_elements(text):
        try:
            ballot = Ballot.model_validate(element)
        except ValidationError as error:
            fault = error.errors()[0]
            remedy = describe_first_fault(error)
            if fault["type"] == "extra_forbidden":
                key = str(fault["loc"][-1])
                remedy = f"{key}: {explain_unknown_key(key, list(Ballot.model_fields))}"
            raise InputError(_format_location(text, offset), element, remedy) from error
        if ballot.voter in ballots:
            raise InputError(_format_location(text, offset), ballot.voter, "has cast a ballot above; one each")
        ballots[ballot.voter] = ballot
    return list(ballots.values())
