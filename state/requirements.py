"""What a function of the state reads, by its parameters: `state` names a group of channels, `rules` a group of rules.

A step, a road, an ending: `def agreed(state: GroupStage, rules: ConvergenceRules)`. What is made from other
functions reads what they read as well. So a graph knows when it is built whether it carries all that will be read.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, update_wrapper
from typing import Annotated, Any, Generic, TypeVar, cast

from typing_extensions import TypedDict, get_type_hints

from .refused import Refused
from .rules import Rules

T = TypeVar("T")

SENT = "sent"
"""Marks what a branch is sent with, in a group whose other channels it reads."""
Sent = Annotated[T, SENT]


@dataclass(frozen=True)
class Under:
    """Marks a channel that only deliberations under rules of this group have: who reads it reads such rules as well."""

    rules: type[Rules]


@dataclass(frozen=True)
class Need:
    """What one function reads: a group of channels, a group of rules, or both.

    `knob`: the knob by which a run names what else is called; what that reads is known when the rules are.
    """

    who: str
    channels: type | None
    rules: type[Rules] | None
    knob: str = ""


class Reading(Generic[T]):
    """A function of the state alone, with all that it reads; rules of its group it finds in the state."""

    def __init__(self, function: Callable[..., T], given: Iterable[Callable[..., object]], knob: str = "") -> None:
        update_wrapper(self, function)
        self.function = function
        self.takes_rules = "rules" in inspect.signature(function).parameters
        own = [*_own(function), *([Need(function.__name__, None, None, knob)] if knob else [])]
        self.needs = list(dict.fromkeys([*own, *(need for one in given for need in needs(one))]))

    def __call__(self, state: Any) -> T:
        return self.function(state, state["rules"]) if self.takes_rules else self.function(state)


def reading(function: Callable[..., T], *given: Callable[..., object]) -> Reading[T]:
    """`function` as one of the state alone; it reads what its parameters name, and what those `given` to it read."""
    return Reading(function, given)


def choosing(knob: str) -> Callable[[Callable[..., T]], Reading[T]]:
    """Marks a function that calls what the run names by `knob`, and reads what that reads."""
    return lambda function: Reading(function, (), knob)


def needs(function: Callable[..., object]) -> list[Need]:
    """What a function reads."""
    return function.needs if isinstance(function, Reading) else _own(function)


def _own(function: Callable[..., object]) -> list[Need]:
    """What a function reads by itself. Raises `Refused` for one that does not say so."""
    who, hints = f"{function.__module__}.{function.__name__}", get_type_hints(function)
    if silent := [name for name in inspect.signature(function).parameters if name not in hints]:
        remedy = f"{who}: say what it reads, by a group of channels: `def {function.__name__}(state: Stage)`"
        raise Refused(silent[0], None, remedy)
    channels = hints["state"] if is_group(hints.get("state")) else None
    rules = hints["rules"] if isinstance(hints.get("rules"), type) else None
    marks = [mark for hint in _hints(channels).values() for mark in getattr(hint, "__metadata__", ())]
    return [Need(who, channels, rules), *(Need(who, None, mark.rules) for mark in marks if isinstance(mark, Under))]


@cache
def _hints(group: type | None) -> dict[str, Any]:
    """The channels of a group with all that is said of them."""
    return get_type_hints(group, include_extras=True) if group else {}


def group_of(needs: Sequence[Need]) -> type:
    """One group with the channels of all."""
    return _sum_of(*dict.fromkeys(need.channels for need in needs if need.channels))


def is_group(kind: object) -> bool:
    """Whether an annotation names channels; `Any` names none."""
    return isinstance(kind, type) and bool(getattr(kind, "__annotations__", None))


@cache
def _sum_of(*groups: type) -> type:
    hints = {group: _hints(group) for group in groups}
    whole = {key: hint for one in hints.values() for key, hint in one.items()}
    widest = next((group for group in groups if hints[group].keys() == whole.keys()), None)
    name = "And".join(group.__name__ for group in groups)
    return widest or cast(type, TypedDict(name, whole))  # type: ignore[operator]


def check_needs(needs: Sequence[Need], state: type, context: type | None) -> None:
    """Refuse a graph that lacks what is read in it.

    `state` is the sum of its channels, `context` the class of its rules. Raises `Refused` for the first channel or
    group of rules that is missing, with who reads it.
    """
    carried = _hints(state)
    for need in needs:
        for key in _read(need.channels):
            if key not in carried:
                remedy = f"{need.who} reads the channel {key}, which it lacks; "
                raise Refused("state", state.__name__, f"{remedy}add the group {_home(need.channels, key)} to its sum")
        if need.rules and not (context and issubclass(context, need.rules)):
            remedy = f"{need.who} reads rules of the group {need.rules.__name__}; make its rules of that group as well"
            raise Refused("context", context and context.__name__, remedy)


def _read(group: type | None) -> Iterator[str]:
    """The channels of a group, without what a branch is sent and what may be missing."""
    optional: frozenset[str] = getattr(group, "__optional_keys__", frozenset())
    for key, hint in _hints(group).items():
        if key not in optional and SENT not in getattr(hint, "__metadata__", ()):
            yield key


def _home(group: type | None, key: str) -> str:
    """The name of the smallest group, among those that `group` is made of, that has the channel."""
    parts = [part for part in getattr(group, "__orig_bases__", ()) if key in getattr(part, "__annotations__", ())]
    return _home(parts[0], key) if parts else getattr(group, "__name__", "")
