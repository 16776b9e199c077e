"""Ballots from a file: a CSV table or a JSON list; anything else is refused with line and column."""

from pathlib import Path

from ...state.ballot import Ballot
from ...state.refused import Refused
from .csv_file import ballots_in_csv
from .json_file import ballots_in_json


def read_ballots(path: Path) -> list[Ballot]:
    """The ballots in the file at `path`, which is UTF-8.

    CSV, by its header: `voter,choice`; `voter,1,2,3,…` (a ranking by place; blank from some place on: it stops there);
    `voter,<option>,…` with 0 and 1 throughout (approvals; blank is 0) or with numbers (scores; blank is none). Further
    columns: `amount` (a whole number, with a choice), `weight` (1 to 5), `reason`. A vote that is the one word
    `abstain` is an abstention. JSON: a list of objects with the keys of `Ballot`.

    Raises `Refused` naming line and column, and `OSError` if the file cannot be read. A ranking that repeats an option
    is read, and counts as invalid.
    """
    text = _decoded(path.read_bytes())
    return ballots_in_json(text) if text.lstrip()[:1] in ("[", "{") else ballots_in_csv(text)


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        lines = content[: error.start].split(b"\n")
        place = f"line {len(lines)}, column {len(lines[-1]) + 1}"
        raise Refused(place, content[error.start : error.end], "is not UTF-8; save the file as UTF-8") from error
