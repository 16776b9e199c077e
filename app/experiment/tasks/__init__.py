"""Tasks generated from a seed, with their right answers, in every language.

The tasks need no download, and no training set contains them.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from ....state import InputError, convert_input_error, explain_unknown_key
from .arithmetic import ArithmeticSettings, make_arithmetic_item
from .hidden_profile import (
    HiddenProfileSettings,
    Mention,
    compute_mean_first_mention,
    compute_mention_rate,
    find_mentions,
    make_hidden_profile_item,
)
from .item import Fact, PrivateSignal, TaskItem, TaskSettings, fold_text
from .pressure import PressureSettings, collect_yielding, make_pressure_item
from .private_signals import (
    PrivateSignalsSettings,
    compute_pooled_estimate,
    make_private_signals_item,
    measure_regret,
    split_crowd_error,
)
from .ranking import RankingSettings, make_ranking_item, parse_order
from .reasoning import ReasoningSettings, make_reasoning_item, score_reasoning


class Task(NamedTuple):
    """Kind of task: its settings class, and the function that makes the item with a given number.

    `factors`: settings that may differ between conditions. The items and seats stay the same.
    """

    settings: type[TaskSettings]
    make_item: Callable[[Any, int, str], TaskItem]
    factors: tuple[str, ...] = ()


TASKS = {
    "hidden_profile": Task(HiddenProfileSettings, make_hidden_profile_item, ("sharing", "told")),
    "private_signals": Task(PrivateSignalsSettings, make_private_signals_item),
    "arithmetic": Task(ArithmeticSettings, make_arithmetic_item),
    "reasoning": Task(ReasoningSettings, make_reasoning_item),
    "ranking": Task(RankingSettings, make_ranking_item),
    "pressure": Task(PressureSettings, make_pressure_item, ("claims",)),
}


def generate_items(task_name: str, values: Mapping[str, object], language: str = "en") -> list[TaskItem]:
    """Generate the items of the task with this name.

    `values`: the task's settings, such as `n` and `seed`. `language`: a language tag. Raises `InputError` for an
    unknown task, key or value.
    """
    if task_name not in TASKS:
        raise InputError("task", task_name, explain_unknown_key(task_name, TASKS).replace("key", "task", 1))
    task_type = TASKS[task_name]
    try:
        settings = task_type.settings.model_validate(values)
    except ValidationError as error:
        raise convert_input_error(error, task_type.settings) from None
    return [task_type.make_item(settings, number, language) for number in range(1, settings.n + 1)]
