"""What an experiment is run on: items from a list, a JSONL file or a CSV file."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from ...state.refused import Refused, unusable
from ..config import read_text
from .tasks import Item as Made
from .tasks import generate

COLUMNS = ("id", "topic", "options", "truth", "private", "material")
LIMIT = 50_000_000
"""Bytes of a file of items."""
MOST = 100_000
"""Items of one experiment."""


class Item(BaseModel):
    """One topic or query, and what belongs to it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    id: str = Field(default="", max_length=40, description="Its name within the experiment; unique; empty: its number.")
    topic: str = Field(default="", max_length=4000, description="Topic or query; empty where the protocol has none.")
    options: dict[str, str] = Field(
        default={}, max_length=50, description="What can be answered, id → text; a list has the ids A, B, C …"
    )
    truth: str | float | None = Field(
        default=None, description="The right option, by its id or text, or the right number."
    )
    private: dict[str, str] = Field(
        default={}, description="What one participant alone is told, by its name, its side or its seat's number from 1."
    )
    material: str = Field(default="", max_length=2_000_000, description="Background that everyone sees.")
    unit: str | None = Field(default=None, max_length=40, description="The unit of a number that is the answer.")
    tolerance: float = Field(default=0.01, ge=0, lt=1, description="Share by which two such numbers may differ.")
    scripted: list[str] = Field(
        default=[], max_length=50, description="What those in the first seats say in each round, who are programs."
    )
    informed: str = Field(default="", max_length=2_000_000, description="All that anybody is told alone; empty: that.")

    @property
    def right(self) -> list[str]:
        """The ids of the options that the truth names, by id or text."""
        said = folded(str(self.truth))
        return [sign for sign, text in self.options.items() if said in (folded(sign), folded(text))]

    @model_validator(mode="after")
    def _one_truth(self) -> Self:
        if self.options and self.truth is not None and len(self.right) != 1:
            both = ", ".join(self.right)
            remedy = f"names the options {both}; give ids that are no texts" if both else "is none of the options"
            raise unusable("truth", self.truth, remedy)
        return self

    @field_validator("options", mode="before")
    @classmethod
    def _by_letter(cls, value: object) -> object:
        if not isinstance(value, list):
            return _by_text(value)
        if len(value) > len(ascii_uppercase):
            raise unusable("options", len(value), "a list has the ids A to Z; of more give a mapping, id: text")
        return dict(zip(ascii_uppercase, value, strict=False))

    @field_validator("private", mode="before")
    @classmethod
    def _by_seat(cls, value: object) -> object:
        return {str(seat): told for seat, told in enumerate(value, 1)} if isinstance(value, list) else _by_text(value)

    @field_validator("truth", mode="before")
    @classmethod
    def _as_answered(cls, value: object, others: ValidationInfo) -> object:
        """A number among options is the text of one."""
        if isinstance(value, bool):
            raise ValueError("an answer is an option or a number; put it in quotes")
        return str(value) if others.data.get("options") and isinstance(value, int | float) else value

    @property
    def length(self) -> int:
        """UTF-8 bytes of all that participants are told of it."""
        told = [self.topic, self.material, *self.options.values(), *self.private.values()]
        return sum(len(one.encode()) for one in told)


def _by_text(value: object) -> object:
    """A mapping with texts for its keys, which YAML reads as numbers where they are some."""
    return {str(key): one for key, one in value.items()} if isinstance(value, Mapping) else value


def slug(text: str) -> str:
    """`text` in small letters, digits and hyphens, as a part of a run's name; empty if nothing is left."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    return re.sub(r"[^a-z0-9]+", "-", "".join(one for one in folded if not unicodedata.combining(one))).strip("-")


def items_in(given: object, folder: Path) -> list[dict[str, Any]]:
    """The items of a plan, as they are given: in the plan, or in a file named from its `folder`."""
    if isinstance(given, str):
        return _in_file(folder / given)
    if not isinstance(given, Sequence):
        raise Refused("items", given, "give a list of topics, or the name of a JSONL or CSV file")
    return numbered([{"topic": one} if isinstance(one, str) else one for one in given])


def folded(text: str) -> str:
    """A text as it is compared with another: without case, and with single spaces."""
    return " ".join(text.casefold().split())


def made_items(given: Mapping[str, Any], language: str) -> list[dict[str, Any]]:
    """The items that a task makes: `{task: hidden_profile, n: 40, seed: 3}`. `language`: a tag."""
    task = str(given.get("task", ""))
    made = generate(task, {key: value for key, value in given.items() if key != "task"}, language)
    for one in made:
        if not one.options and isinstance(one.truth, str):
            remedy = "its answers are words, and a plan's an option or a number; name another, such as basic_arithmetic"
            raise Refused("items.dataset", given.get("dataset"), remedy)
        if task == "pressure" and not one.scripted:
            raise Refused("items.confederates", given.get("confederates"), "one alone has no talk; give 1 or more")
    return [{**one.given(), **_beside(one)} for one in made]


def _beside(one: Made) -> dict[str, Any]:
    """What else a made item brings."""
    is_number = isinstance(one.truth, float)
    return {"unit": one.unit if is_number else None, "tolerance": one.tolerance, "informed": one.informed}


def numbered(found: Sequence[Any]) -> list[dict[str, Any]]:
    """The same with the number of its place as the id of each that has none; ids are texts."""
    for place, one in enumerate(found, 1):
        if not isinstance(one, Mapping):
            raise Refused(f"items.{place}", one, f"give a topic, or a mapping with {', '.join(COLUMNS)}")
    ids = [place if one.get("id") in (None, "") else one["id"] for place, one in enumerate(found, 1)]
    return [{**one, "id": str(known)} for one, known in zip(found, ids, strict=True)]


def _in_file(path: Path) -> list[dict[str, Any]]:
    text = read_text(path, "items", LIMIT)
    readers = {".jsonl": _jsonl, ".csv": _csv}
    if path.suffix.lower() not in readers:
        raise Refused("items", str(path), "give a file that ends in .jsonl or .csv")
    return numbered(readers[path.suffix.lower()](text, path))


def _jsonl(text: str, path: Path) -> list[Any]:
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except ValueError as fault:
                raise Refused("items", str(path), f"line {number} is no JSON: {fault}") from None
    return found


def _csv(text: str, path: Path) -> list[dict[str, Any]]:
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except csv.Error as fault:
        raise Refused("items", str(path), f"no CSV: {fault}") from None
    if any(None in row for row in rows):
        raise Refused("items", str(path), "a row has more cells than the header line")
    return [{key: _cell(key, value or "", path) for key, value in row.items() if value} for row in rows]


def _cell(column: str, value: str, path: Path) -> object:
    """A cell as it is meant: options between semicolons or as JSON, private texts as JSON, a number as one."""
    if column == "options" and not value.lstrip().startswith("["):
        return [one.strip() for one in value.split(";") if one.strip()]
    if column in ("options", "private"):
        try:
            return json.loads(value)
        except ValueError as fault:
            raise Refused(f"items.{column}", value, f"in {path}: give JSON: {fault}") from None
    return value
