"""Items of the generators of reasoning-gym, with its own scorers; worded in every language, or English alone."""

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from pydantic import Field

from ....prompts import base_language, phrases
from ....state.draw import stream
from ....state.refused import Refused
from .item import Item, Settings, Source

NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


class Reasoning(Settings):
    """What reasoning-gym takes."""

    dataset: str = Field(default="basic_arithmetic", min_length=1, description="The name of a generator.")


def reasoning(settings: Reasoning, number: int, language: str) -> Item:
    """Item `number` (from 1) of a seed; an answer that is a number is asked as one."""
    seed = stream(settings.seed, "reasoning", settings.dataset, number).randrange(2**31)
    source = Source(settings.dataset, seed)
    dataset = _dataset(source)
    entry = dataset[0]
    if entry["answer"] is None:
        raise Refused("dataset", settings.dataset, "its questions have no one answer; name another generator")
    answer = str(entry["answer"])
    is_number = NUMBER.fullmatch(answer) is not None
    return Item(
        id=f"reasoning-{number}",
        task="reasoning",
        language=language,
        topic=_question(settings.dataset, entry, language),
        truth=float(answer) if is_number else answer,
        tolerance=_tolerance(dataset, float(answer)) if is_number else 0.0,
        source=source,
    )


def _question(name: str, entry: Mapping[str, Any], language: str) -> str:
    """The question in our words where there are some, else in the library's, which are English. Raises `Refused`."""
    worded = phrases("tasks").keys("reasoning")
    if name in worded:
        known = entry["metadata"]
        given = {key: ", ".join(map(str, one)) if isinstance(one, list) else one for key, one in known.items()}
        return phrases("tasks").say(language, f"reasoning.{name}", **given)
    if base_language(language) != "en":
        remedy = f"its questions are in English; write language: en, or take one of {', '.join(worded)}"
        raise Refused("dataset", name, remedy)
    return str(entry["question"])


def _tolerance(dataset: Any, answer: float) -> float:
    """The share by which an answer may differ from the right one: what rounding costs that the scorer lets pass."""
    for digits in (3, 6, 9):
        rounded = f"{answer:.{digits}g}"
        if float(rounded) != answer and dataset.score_answer(rounded, dataset[0]) == 1:
            return 0.5 * 10.0 ** (1 - digits)
    return 0.0


def reasoning_score(item: Item, answer: str) -> float:
    """What the generator's own scorer gives an answer, 0–1."""
    assert item.source is not None
    dataset = _dataset(item.source)
    return float(dataset.score_answer(answer, dataset[0]))


def _dataset(source: Source) -> Any:
    try:
        gym = import_module("reasoning_gym")
    except ModuleNotFoundError as missing:
        if missing.name != "reasoning_gym":
            raise
        raise Refused("task", "reasoning", 'needs: pip install "moot[reasoning-gym]"') from None
    try:
        return gym.create_dataset(source.dataset, seed=source.seed, size=1)
    except ValueError as unknown:
        raise Refused("dataset", source.dataset, str(unknown)) from None
