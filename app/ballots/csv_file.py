"""Ballots from a CSV table: one voter a line, the kind of ballot told by the header."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from ...state.ballot import Ballot, BallotKind, first_fault, repeated
from ...state.refused import Refused

SIDE = ["amount", "weight", "reason"]
_WHOLE, _DECIMAL = re.compile(r"[0-9]{1,13}"), re.compile(r"-?[0-9]{1,13}(\.[0-9]{1,13})?")


@dataclass(frozen=True)
class Row:
    """One line of the table: where it begins, and its cells, trimmed, by column."""

    line: int
    cells: dict[str, str]

    def refusal(self, column: str, remedy: str) -> Refused:
        place = list(self.cells).index(column) + 1
        return Refused(f"line {self.line}, column {place} ({column})", self.cells[column], remedy)

    def number(self, column: str) -> float:
        if not _DECIMAL.fullmatch(self.cells[column]):
            raise self.refusal(column, "is no number; write one such as 7 or 2.5")
        return float(self.cells[column])

    def whole(self, column: str) -> int | None:
        cell = self.cells.get(column, "")
        if cell and not _WHOLE.fullmatch(cell):
            raise self.refusal(column, "is no whole number of 0 or more; write one, or leave it blank")
        return int(cell) if cell else None


def ballots_in_csv(text: str) -> list[Ballot]:
    """The ballots of a CSV table. Raises `Refused` naming line and column."""
    lines = list(_lines(text))
    if not lines:
        raise Refused("line 1, column 1", "", "the file is empty; begin with a header such as voter,choice")
    columns = _columns(*lines[0])
    rows = [_row(line, cells, columns) for line, cells in lines[1:]]
    kind = _kind(_votes(columns), rows)
    seen: set[str] = set()
    for row in rows:
        if row.cells["voter"] in seen:
            raise row.refusal("voter", "has cast a ballot above; one each")
        seen.add(row.cells["voter"])
    return [_ballot(row, _votes(columns), kind) for row in rows]


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begins = 1
    try:
        for cells in reader:
            if cells:
                yield begins, [cell.strip() for cell in cells]
            begins = reader.line_num + 1
    except csv.Error as error:
        line = text.splitlines()[begins - 1]
        remedy = "close and double the quotes" if '"' in line else "shorten the cell"
        place = max(0, line.find('"')) + 1
        raise Refused(f"line {begins}, column {place}", line, f"{error}; {remedy}") from error


def _columns(line: int, header: list[str]) -> list[str]:
    columns = [cell.casefold() if cell.casefold() in ("voter", "choice", *SIDE) else cell for cell in header]
    votes = _votes(columns)

    def refusal(column: str, remedy: str) -> Refused:
        place = len(columns) - columns[::-1].index(column)
        return Refused(f"line {line}, column {place}", column, remedy)

    if columns[0] != "voter":
        raise refusal(columns[0], "the first column is voter; separate the columns by commas")
    if "" in columns:
        raise refusal("", "name the column or delete it")
    if twice := repeated(columns):
        raise refusal(twice, "the column is there twice")
    if not votes or ("choice" in votes and len(votes) > 1):
        raise refusal(columns[-1], "give one column choice, or columns 1, 2, 3, …, or one column per option")
    if "amount" in columns and votes != ["choice"]:
        raise refusal("amount", "an amount belongs to a choice; delete the column")
    return columns


def _votes(columns: list[str]) -> list[str]:
    """The columns that hold the vote; places in their order."""
    votes = [column for column in columns if column not in ("voter", *SIDE)]
    places = [str(place) for place in range(1, len(votes) + 1)]
    return places if sorted(votes) == sorted(places) else votes


def _row(line: int, cells: list[str], columns: list[str]) -> Row:
    if len(cells) > len(columns):
        place = f"line {line}, column {len(columns) + 1}"
        raise Refused(place, cells[len(columns)], f"the header has {len(columns)} columns; quote a text with commas")
    return Row(line, dict(zip(columns, [*cells, *[""] * (len(columns) - len(cells))], strict=True)))


def _abstains(row: Row, votes: list[str]) -> bool:
    return [row.cells[column].casefold() for column in votes if row.cells[column]] == ["abstain"]


def _kind(votes: list[str], rows: list[Row]) -> BallotKind:
    if votes == ["choice"]:
        return "choice"
    if votes[0] == "1" and votes == [str(place) for place in range(1, len(votes) + 1)]:
        return "ranking"
    said = {row.cells[column] for row in rows if not _abstains(row, votes) for column in votes}
    return "approvals" if said <= {"0", "1", ""} else "scores"


def _said(row: Row, votes: list[str], kind: BallotKind) -> object:
    """What the row's ballot says, in the shape of the field `kind`."""
    filled = [column for column in votes if row.cells[column]]
    if not filled:
        raise row.refusal(votes[0], "the vote is blank; fill it in or write abstain")
    if kind == "choice":
        return row.cells["choice"]
    if kind == "approvals":
        return [column for column in filled if row.cells[column] == "1"]
    if kind == "scores":
        return {column: row.number(column) for column in filled}
    if gap := [column for column in votes[: len(filled)] if column not in filled]:
        raise row.refusal(gap[0], "is blank, but a later place is not; move the ranking up")
    return [row.cells[column] for column in filled]


def _ballot(row: Row, votes: list[str], kind: BallotKind) -> Ballot:
    vote = {"abstain": True} if _abstains(row, votes) else {kind: _said(row, votes, kind)}
    side = {"amount": row.whole("amount"), "weight": row.whole("weight"), "reason": row.cells.get("reason", "")}
    try:
        return Ballot.model_validate({"voter": row.cells["voter"], **vote, **side})
    except ValidationError as error:
        raise row.refusal(_column(error, votes, row), first_fault(error)) from error


def _column(error: ValidationError, votes: list[str], row: Row) -> str:
    """The column that holds what the ballot's fields were found wrong in."""
    field, *inner = error.errors()[0]["loc"] or ("voter",)
    if field == "ranking" and inner and isinstance(inner[0], int):
        return votes[inner[0]]
    return next((str(part) for part in [*inner, field] if str(part) in row.cells), votes[0])
