"""Items of an experiment: questions from a list, a JSONL file or a CSV file."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Self

from pydantic import BaseModel, Field, ValidationInfo, field_validator, model_validator

from ...state import AnswerFormat, InputError, make_setting_error
from ..run.config_file import check_regular_file, read_text
from .tasks import fold_text, generate_items

ITEM_KEYS = ("id", "topic", "options", "truth", "private", "material")
MAX_FILE_BYTES = 50_000_000
MAX_ITEMS = 100_000


class Item(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """Question of an experiment, with its options, texts and right answer."""

    id: str = Field(
        default="", max_length=40, description="Unique name within the experiment; empty: the item's number."
    )
    topic: str = Field(default="", max_length=4000, description="Topic or query; empty if the protocol has none.")
    options: dict[str, str] = Field(
        default={}, max_length=50, description="Possible answers, id → text. A list gets the ids A, B, C …"
    )
    truth: str | float | None = Field(default=None, description="Right option, by its id or text, or the right number.")
    private: dict[str, str] = Field(
        default={}, description="Facts for one participant alone, by its name, side or seat number from 1."
    )
    material: str = Field(default="", max_length=2_000_000, description="Background for all participants.")
    unit: str | None = Field(default=None, max_length=40, description="Unit of a numeric answer.")
    tolerance: float = Field(
        default=0.01, ge=0, lt=1, description="Largest relative difference of numbers that count as equal."
    )
    scripted: list[str] = Field(
        default=[],
        max_length=50,
        description="Lines of the scripted participants in the first seats, one per seat, repeated each round.",
    )
    control: bool = Field(
        default=False, description="Whether the last participant answers twice, without a deliberation."
    )
    informed: str = Field(
        default="", max_length=2_000_000, description="Text with all private facts; empty: those in `private`."
    )

    @property
    def right_options(self) -> list[str]:
        """Return the ids of the options that the right answer names, by id or text."""
        truth = fold_text(str(self.truth))
        return [
            option_id for option_id, text in self.options.items() if truth in (fold_text(option_id), fold_text(text))
        ]

    @model_validator(mode="after")
    def _check_truth(self) -> Self:
        if self.options and self.truth is not None and len(self.right_options) != 1:
            ids = ", ".join(self.right_options)
            raise make_setting_error(
                "truth",
                self.truth,
                f"fits several options ({ids}); give ids that are not also texts"
                if ids
                else "must be one of the options",
            )
        return self

    @field_validator("options", mode="before")
    @classmethod
    def _key_options_by_letter(cls, value: object) -> object:
        if not isinstance(value, list):
            return _convert_keys(value)
        if len(value) > len(ascii_uppercase):
            raise make_setting_error(
                "options", len(value), "a list has at most 26 options (A to Z); for more give a mapping, id: text"
            )
        return dict(zip(ascii_uppercase, value, strict=False))

    @field_validator("private", mode="before")
    @classmethod
    def _key_private_by_seat(cls, value: object) -> object:
        return _convert_keys(dict(enumerate(value, 1)) if isinstance(value, list) else value)

    @field_validator("truth", mode="before")
    @classmethod
    def _convert_truth(cls, value: object, info: ValidationInfo) -> object:
        if isinstance(value, bool):
            raise ValueError("an answer is an option or a number; put it in quotes")
        return str(value) if info.data.get("options") and isinstance(value, int | float) else value

    @property
    def length(self) -> int:
        """Return the total size of topic, material, options and private texts, in UTF-8 bytes."""
        texts = [self.topic, self.material, *self.options.values(), *self.private.values()]
        return sum(len(text.encode()) for text in texts)


def _convert_keys(value: object) -> object:
    """Return a mapping with its keys as texts, because YAML reads some keys as numbers."""
    return {str(key): entry for key, entry in value.items()} if isinstance(value, Mapping) else value


def make_slug(text: str) -> str:
    """Return a text as lower-case letters, digits and hyphens, for a run's name; may be empty."""
    normalized_text = unicodedata.normalize("NFKD", text).casefold()
    letters = "".join(character for character in normalized_text if not unicodedata.combining(character))
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")


def find_truth(item: Item, answer_format: AnswerFormat) -> str | float | None:
    """Return the right answer of an item as a number or an option's id; `None` if it is unknown.

    Raises `InputError` for a right answer that is neither.
    """
    if item.truth is None:
        return None
    key = f"items.{item.id}.truth"
    if answer_format.is_numeric:
        try:
            return float(item.truth)
        except ValueError:
            raise InputError(key, item.truth, "must be a number") from None
    truth = fold_text(str(item.truth))
    for option_id, text in answer_format.option_texts.items():
        if truth in (fold_text(text), fold_text(option_id)):
            return option_id
    raise InputError(key, item.truth, f"must be one of the options {', '.join(answer_format.option_texts.values())}")


def make_task_items(task_settings: Mapping[str, Any], language: str) -> list[dict[str, Any]]:
    """Generate the items of a task, as plain data for a plan.

    `task_settings`: for example `{task: hidden_profile, n: 40, seed: 3}`. `language`: a language tag. Raises
    `InputError` for a task whose items do not fit a plan.
    """
    task = str(task_settings.get("task", ""))
    items = generate_items(task, {key: value for key, value in task_settings.items() if key != "task"}, language)
    for item in items:
        if not item.options and isinstance(item.truth, str):
            raise InputError(
                "items.dataset",
                task_settings.get("dataset"),
                (
                    "the answers of this data set are words, not options or numbers; name another, such as "
                    "basic_arithmetic"
                ),
            )
    return [item.dump_for_plan() for item in items]


def load_items(source: object, folder: Path) -> list[dict[str, Any]]:
    """Return the items that a plan lists, or load them from a file relative to `folder`.

    An item without an id gets its number. Raises `InputError` for a file that cannot be read.
    """
    items: list[Any]
    if isinstance(source, str):
        path = folder / source
        check_regular_file(path, "items")
        text = read_text(path, "items", MAX_FILE_BYTES)
        match path.suffix.lower():
            case ".jsonl":
                items = []
                for number, line in enumerate(text.split("\n"), 1):
                    try:
                        items += [json.loads(line)] if line.strip() else []
                    except (ValueError, RecursionError) as error:
                        raise InputError("items", str(path), f"line {number} is not JSON: {error}") from None
            case ".csv":
                try:
                    rows = list(csv.DictReader(io.StringIO(text, newline="")))
                except csv.Error as error:
                    raise InputError("items", str(path), f"no CSV: {error}") from None
                if any(None in row for row in rows):
                    raise InputError("items", str(path), "a row has more cells than the header line")
                items = [{key: _parse_cell(key, cell, path) for key, cell in row.items() if cell} for row in rows]
            case _:
                raise InputError("items", str(path), "give a file that ends in .jsonl or .csv")
    elif isinstance(source, Sequence):
        items = [{"topic": topic} if isinstance(topic, str) else topic for topic in source]
    else:
        raise InputError("items", source, "give a list of topics, or the name of a JSONL or CSV file")
    for index, item in enumerate(items, 1):
        if not isinstance(item, Mapping):
            raise InputError(f"items.{index}", item, f"give a topic, or a mapping with {', '.join(ITEM_KEYS)}")
    return [
        {**item, "id": str(index if item.get("id") in (None, "") else item["id"])}
        for index, item in enumerate(items, 1)
    ]


def _parse_cell(column: str, value: str, path: Path) -> object:
    """Return the value of a CSV cell.

    Options are JSON or separated by semicolons, private texts are JSON, other cells are text. `path`: file that an
    error names.
    """
    if column == "options" and not value.lstrip().startswith("["):
        return [option.strip() for option in value.split(";") if option.strip()]
    if column in ("options", "private"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError) as error:
            raise InputError(f"items.{column}", value, f"in {path}: give JSON: {error}") from None
    return value
