"""Tasks made by rule from a seed, with their truth, in every language: no download, and in no training set."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from ....state.refused import Refused, refused_input, unknown_key
from .arithmetic import Arithmetic, arithmetic
from .hidden_profile import Mention, hidden_profile, mention_rate, mention_time, mentions
from .item import Fact, Item, Members, Settings, Signal, Source
from .pressure import Pressure, pressure, yielding
from .private_signals import Crowd, PrivateSignals, Regret, crowd, pooled, private_signals, regret
from .ranking import Ranking, order_in, ranking
from .reasoning import Reasoning, reasoning, reasoning_score


class Task(NamedTuple):
    """A task: what it takes, and what makes its item of a number."""

    settings: type[Settings]
    make: Callable[[Any, int, str], Item]


TASKS = {
    "hidden_profile": Task(Members, hidden_profile),
    "private_signals": Task(PrivateSignals, private_signals),
    "arithmetic": Task(Arithmetic, arithmetic),
    "reasoning": Task(Reasoning, reasoning),
    "ranking": Task(Ranking, ranking),
    "pressure": Task(Pressure, pressure),
}


def generate(task: str, given: Mapping[str, object], language: str = "en") -> list[Item]:
    """The items of a task: `n` of a `seed`, and what else the task takes; `language` is a tag.

    Raises `Refused` for a task, a key or a value that is not known.
    """
    if task not in TASKS:
        raise Refused("task", task, unknown_key(task, TASKS).replace("key", "task", 1))
    kind = TASKS[task]
    try:
        settings = kind.settings.model_validate(given)
    except ValidationError as error:
        raise refused_input(error, kind.settings) from None
    return [kind.make(settings, number, language) for number in range(1, settings.n + 1)]
