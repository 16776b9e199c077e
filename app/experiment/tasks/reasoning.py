"""Items of the generators of reasoning-gym, with its own scorers; its questions are in English."""

import re
from importlib import import_module
from typing import Any

from pydantic import Field

from ....state.draw import stream
from ....state.refused import Refused
from .item import Item, Settings, Source

NUMBER = re.compile(r"-?\d+(\.\d+)?")


class Reasoning(Settings):
    """What reasoning-gym takes."""

    dataset: str = Field(default="basic_arithmetic", min_length=1, description="The name of a generator.")


def reasoning(settings: Reasoning, number: int, language: str) -> Item:
    """Item `number` (from 1) of a seed; an answer that is a number is asked as one."""
    seed = stream(settings.seed, "reasoning", settings.dataset, number).randrange(2**31)
    source = Source(settings.dataset, seed)
    entry = _dataset(source)[0]
    if entry["answer"] is None:
        raise Refused("dataset", settings.dataset, "its questions have no one answer; name another generator")
    answer = str(entry["answer"])
    return Item(
        id=f"reasoning-{number}",
        task="reasoning",
        language=language,
        topic=str(entry["question"]),
        truth=float(answer) if NUMBER.fullmatch(answer) else answer,
        tolerance=0.0,
        source=source,
    )


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
