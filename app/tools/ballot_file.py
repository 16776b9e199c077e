"""Parser for ballots in a file: a CSV table or a JSON list.

Faults are reported with line and column, or with the index of a ballot in a JSON list.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from pydantic import ValidationError
from typing_extensions import TypedDict

from ...state import (
    Ballot,
    BallotKind,
    InputError,
    UnclearAnswerError,
    build_unique_mapping,
    describe_first_fault,
    find_duplicate,
    parse_amount,
    parse_number,
    validate_input,
)

BALLOT_SIZE_LIMIT = 100_000_000
"""Maximum bytes of a ballot file."""


def read_ballots(path: Path) -> list[Ballot]:
    """Read the ballots in a UTF-8 file.

    A CSV header determines the kind of vote. `voter,choice` is a choice. `voter,1,2,3,…` is a ranking by position,
    which stops at the first blank. `voter,<option>,…` is approvals if all values are 0 and 1 (a blank is 0), else
    scores (a blank is no score). More columns: `amount` (a whole number, with a choice), `weight` (1 to 5), `reason`.
    The single entry `abstain` is an abstention. JSON: a list of objects with the keys of `Ballot`.

    Raises `InputError` with line and column or with the index of a ballot, and `OSError` if the file cannot be read.
    A ranking with a repeated option counts as an invalid ballot.
    """
    with path.open("rb") as file:
        content = file.read(BALLOT_SIZE_LIMIT + 1)
    if len(content) > BALLOT_SIZE_LIMIT:
        raise InputError("file", str(path), f"give a file of at most {BALLOT_SIZE_LIMIT:,} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        lines = content[: error.start].split(b"\n")
        raise InputError(
            f"line {len(lines)}, column {len(lines[-1]) + 1}",
            content[error.start : error.end],
            "is not UTF-8; save the file as UTF-8",
        ) from error
    return parse_json(text) if text.lstrip()[:1] in ("[", "{") else parse_csv(text)


SIDE_COLUMNS = ["amount", "weight", "reason"]


@dataclass(frozen=True)
class CsvRow:
    """Row of the CSV table: its line number, and its trimmed cells by column."""

    line: int
    cells: dict[str, str]

    def make_error(self, column: str, remedy: str) -> InputError:
        column_number = list(self.cells).index(column) + 1
        return InputError(f"line {self.line}, column {column_number} ({column})", self.cells[column], remedy)


def parse_csv(text: str) -> list[Ballot]:
    """Parse the ballots of a CSV table. Raises `InputError` with line and column."""
    lines = list(_read_lines(text))
    if not lines:
        raise InputError("line 1, column 1", "", "the file is empty; begin with a header such as voter,choice")
    columns = _parse_header(*lines[0])
    vote_columns, rows = _list_vote_columns(columns), dict[str, CsvRow]()
    for line, cells in lines[1:]:
        if len(cells) > len(columns):
            raise InputError(
                f"line {line}, column {len(columns) + 1}",
                cells[len(columns)],
                f"the header has {len(columns)} columns; quote a text with commas",
            )
        row = CsvRow(line, dict(zip_longest(columns, cells, fillvalue="")))
        if row.cells["voter"] in rows:
            raise row.make_error("voter", "already has a ballot above; delete one")
        rows[row.cells["voter"]] = row
    kind = _detect_kind(vote_columns, list(rows.values()))
    return [_make_ballot(row, vote_columns, kind) for row in rows.values()]


def _read_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    start_line = 1
    try:
        for cells in reader:
            if cells:
                yield start_line, [cell.strip() for cell in cells]
            start_line = reader.line_num + 1
    except csv.Error as error:
        line_text = text.splitlines()[start_line - 1]
        remedy = "close the quotes, and double each quote within a text" if '"' in line_text else "shorten the cell"
        column_number = max(0, line_text.find('"')) + 1
        raise InputError(f"line {start_line}, column {column_number}", line_text, f"{error}; {remedy}") from error


def _parse_header(line: int, header: list[str]) -> list[str]:
    columns = [cell.casefold() if cell.casefold() in ("voter", "choice", *SIDE_COLUMNS) else cell for cell in header]
    vote_columns = _list_vote_columns(columns)
    duplicate = find_duplicate(columns)
    has_no_vote = not vote_columns or ("choice" in vote_columns and len(vote_columns) > 1)
    faults = [
        (columns[0] != "voter", columns[0], "the first column must be voter; separate the columns by commas"),
        ("" in columns, "", "name the column or delete it"),
        (duplicate != "", duplicate, "the column is there twice; delete one"),
        (has_no_vote, columns[-1], "give one column choice, or columns 1, 2, 3, …, or one column per option"),
        (
            "amount" in columns and vote_columns != ["choice"],
            "amount",
            "only a choice can have an amount; delete the column",
        ),
    ]
    for is_faulty, column, remedy in faults:
        if is_faulty:
            column_number = len(columns) - columns[::-1].index(column)
            raise InputError(f"line {line}, column {column_number}", column, remedy)
    return columns


def _list_vote_columns(columns: list[str]) -> list[str]:
    """Return the columns that contain the vote. Those of a ranking are in the order of positions."""
    vote_columns = [column for column in columns if column not in ("voter", *SIDE_COLUMNS)]
    positions = [str(position) for position in range(1, len(vote_columns) + 1)]
    return positions if sorted(vote_columns) == sorted(positions) else vote_columns


def _is_abstention(row: CsvRow, vote_columns: list[str]) -> bool:
    return [row.cells[column].casefold() for column in vote_columns if row.cells[column]] == ["abstain"]


def _detect_kind(vote_columns: list[str], rows: list[CsvRow]) -> BallotKind:
    if vote_columns == ["choice"]:
        return "choice"
    if vote_columns[0] == "1" and vote_columns == [str(position) for position in range(1, len(vote_columns) + 1)]:
        return "ranking"
    cell_values = {
        row.cells[column] for row in rows if not _is_abstention(row, vote_columns) for column in vote_columns
    }
    return "approvals" if cell_values <= {"0", "1", ""} else "scores"


def _extract_vote(row: CsvRow, vote_columns: list[str], kind: BallotKind) -> object:
    filled_columns = [column for column in vote_columns if row.cells[column]]
    if not filled_columns:
        raise row.make_error(vote_columns[0], "the vote is blank; fill it in or write abstain")
    if kind == "choice":
        return row.cells["choice"]
    if kind == "approvals":
        return [column for column in filled_columns if row.cells[column] == "1"]
    if kind == "scores":
        return {column: _parse_number(row.cells[column], parse_number) for column in filled_columns}
    if blank_columns := [column for column in vote_columns[: len(filled_columns)] if column not in filled_columns]:
        raise row.make_error(blank_columns[0], "this place is blank, but a later place is filled; leave no gap")
    if abstaining_columns := [column for column in filled_columns if row.cells[column].casefold() == "abstain"]:
        raise row.make_error(abstaining_columns[0], "abstain is next to a vote; delete one of them")
    return [row.cells[column] for column in filled_columns]


def _parse_number(cell: str, parse: Callable[[str], float]) -> object:
    """Return the number in a cell, or `None` for a blank cell.

    Any other text is returned as it is, for the ballot to reject.
    """
    try:
        return parse(cell) if cell else None
    except UnclearAnswerError:
        return cell


def _make_ballot(row: CsvRow, vote_columns: list[str], kind: BallotKind) -> Ballot:
    vote = {"abstain": True} if _is_abstention(row, vote_columns) else {kind: _extract_vote(row, vote_columns, kind)}
    side_values = {
        "amount": _parse_number(row.cells.get("amount", ""), parse_amount),
        "weight": _parse_number(row.cells.get("weight", ""), parse_number),
        "reason": row.cells.get("reason", ""),
    }
    try:
        return Ballot.model_validate({"voter": row.cells["voter"], **vote, **side_values})
    except ValidationError as error:
        field, *inner_keys = error.errors()[0]["loc"] or ("voter",)
        column = next((str(part) for part in [*inner_keys, field] if str(part) in row.cells), vote_columns[0])
        if field == "ranking" and inner_keys and isinstance(inner_keys[0], int):
            column = vote_columns[inner_keys[0]]
        raise row.make_error(column, describe_first_fault(error)) from error


class BallotFile(TypedDict):
    """Content of a JSON file with ballots."""

    ballots: list[Ballot]


def parse_json(text: str) -> list[Ballot]:
    """Parse the ballots of a JSON list.

    Raises `InputError` with line and column of broken JSON, or with the index of the first faulty ballot, from 0.
    """
    try:
        elements = json.loads(text, object_pairs_hook=build_unique_mapping)
    except json.JSONDecodeError as error:
        quoted_text = text[error.pos : error.pos + 20]
        raise InputError(
            f"line {error.lineno}, column {error.colno}",
            quoted_text,
            f"invalid JSON: {error.msg}; the file must be one JSON list of ballots",
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError("file", text[:60], f"broken JSON: {error}") from error
    ballots: list[Ballot] = validate_input(BallotFile, {"ballots": elements})["ballots"]
    if voter := find_duplicate([ballot.voter for ballot in ballots]):
        raise InputError("voter", voter, "already has a ballot above; delete one")
    return ballots
