"""Tasks from the package reasoning-gym, with its scorers. Some questions exist only in English."""

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from pydantic import Field

from ....prompts import get_base_language, load_phrases
from ....state import InputError, make_rng
from .item import TaskItem, TaskSettings

NUMBER_PATTERN = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


class ReasoningSettings(TaskSettings):
    """Settings of the reasoning task, with the name of the data set."""

    dataset: str = Field(default="basic_arithmetic", min_length=1, description="Name of a data set of reasoning-gym.")


def make_reasoning_item(settings: ReasoningSettings, number: int, language: str) -> TaskItem:
    """Make the item with this number, from 1, with the settings' seed.

    A numeric answer is requested as a number. Raises `InputError` for a data set whose questions have no single answer.
    """
    rng = make_rng(settings.seed, "reasoning", settings.dataset, number)
    source = settings.dataset, rng.randrange(2**31)
    dataset = _create_dataset(*source)
    entry = dataset[0]
    if entry["answer"] is None:
        raise InputError(
            "dataset", settings.dataset, "the questions of this data set have no single answer; name another data set"
        )
    answer, truth, tolerance = str(entry["answer"]), None, 0.0
    if NUMBER_PATTERN.fullmatch(answer):
        truth = float(answer)
        for digits in (3, 6, 9):  # the largest rounding that the scorer accepts
            rounded_text = f"{truth:.{digits}g}"
            if float(rounded_text) != truth and dataset.score_answer(rounded_text, entry) == 1:
                tolerance = 0.5 * 10.0 ** (1 - digits)
                break
    return TaskItem(
        id=f"reasoning-{number}",
        language=language,
        topic=_build_question(settings.dataset, entry, language),
        truth=answer if truth is None else truth,
        tolerance=tolerance,
        source=source,
    )


def _build_question(name: str, entry: Mapping[str, Any], language: str) -> str:
    """Return the question in the plan's language, or in English if it needs no translation.

    `name`: name of the data set. Raises `InputError` if the plan's language is not English and no translation exists.
    """
    translated_names = load_phrases("tasks").list_keys("reasoning")
    if name in translated_names:
        values = {
            key: ", ".join(map(str, value)) if isinstance(value, list) else value
            for key, value in entry["metadata"].items()
        }
        return load_phrases("tasks").translate_phrase(language, f"reasoning.{name}", **values)
    if get_base_language(language) != "en":
        raise InputError(
            "dataset",
            name,
            (
                "the questions of this generator are in English; write language: en, or take one of "
                f"{', '.join(translated_names)}"
            ),
        )
    return str(entry["question"])


def score_reasoning(item: TaskItem, answer: str) -> float:
    """Score an answer from 0 to 1, with the scorer of the generator that made the item."""
    assert item.source is not None
    dataset = _create_dataset(*item.source)
    return float(dataset.score_answer(answer, dataset[0]))


def _create_dataset(name: str, seed: int) -> Any:
    try:
        reasoning_gym = import_module("reasoning_gym")
    except ModuleNotFoundError as import_error:
        if import_error.name != "reasoning_gym":
            raise
        raise InputError("task", "reasoning", 'needs: pip install "moot[reasoning-gym]"') from None
    try:
        return reasoning_gym.create_dataset(name, seed=seed, size=1)
    except ValueError as error:
        raise InputError("dataset", name, str(error)) from None
