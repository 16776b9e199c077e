"""Ballots from a file: a CSV table or a JSON list. Faults are reported with line and column."""

from pathlib import Path

from ....state.ballot import Ballot
from ....state.errors import InputError
from .csv_file import parse_csv
from .json_file import parse_json


def read_ballots(path: Path) -> list[Ballot]:
    """Read the ballots in a UTF-8 file.

    CSV, by its header: `voter,choice`; `voter,1,2,3,…` (a ranking by position; it stops at the first blank);
    `voter,<option>,…` with 0 and 1 throughout (approvals; blank is 0) or with numbers (scores; blank is no score). More
    columns: `amount` (a whole number, with a choice), `weight` (1 to 5), `reason`. The single word `abstain` as the
    vote is an abstention. JSON: a list of objects with the keys of `Ballot`.

    Raises `InputError` with line and column, and `OSError` if the file cannot be read. A ranking that repeats an option
    is read and counts as invalid.
    """
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        lines = content[: error.start].split(b"\n")
        location = f"line {len(lines)}, column {len(lines[-1]) + 1}"
        raise InputError(location, content[error.start : error.end], "is not UTF-8; save the file as UTF-8") from error
    return parse_json(text) if text.lstrip()[:1] in ("[", "{") else parse_csv(text)
