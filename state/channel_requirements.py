"""Derive from a function's signature which channels and settings it reads.

The type of the parameter `state` is a group of channels. The type of `settings` is a class of settings. Nodes, routes
and stopping rules are such functions: `def stop_on_agreement(state: GroupState, settings: ConvergenceSettings)`. A
function that combines others also reads their channels. Building a graph checks that the graph has all of these
channels.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, update_wrapper
from typing import Annotated, Any, Generic, TypeVar, cast

from typing_extensions import TypedDict, get_type_hints

from .errors import InputError
from .settings import Settings

T = TypeVar("T")

BRANCH_INPUT = "sent"
"""Mark of a field whose value is sent to a branch. It stands in a group of channels that the branch reads."""
BranchInput = Annotated[T, BRANCH_INPUT]


@dataclass(frozen=True)
class SettingsCondition:
    """Annotation of a channel that exists only if the run's settings are of this class.

    A function that reads the channel thereby requires this class.
    """

    settings: type[Settings]


@dataclass(frozen=True)
class Requirement:
    """Requirement of one function: a group of channels, a class of settings, or both.

    `setting`: name of a setting that selects another function. The selected function adds its own requirements.
    """

    function_name: str
    channels: type | None
    settings: type[Settings] | None
    setting: str = ""


class StateFunction(Generic[T]):
    """Function of the state, which finds the settings in the state and lists its own requirements."""

    def __init__(self, function: Callable[..., T], sources: Iterable[Callable[..., object]], setting: str = "") -> None:
        update_wrapper(self, function)
        self.function = function
        self.takes_settings = "settings" in inspect.signature(function).parameters
        requirements = _derive_requirements(function)
        if setting:
            requirements.append(Requirement(function.__name__, None, None, setting))
        for source in sources:
            requirements += get_requirements(source)
        self.requirements = list(dict.fromkeys(requirements))

    def __call__(self, state: Any) -> T:
        return self.function(state, state["settings"]) if self.takes_settings else self.function(state)


def mark_reads(function: Callable[..., T], *sources: Callable[..., object]) -> StateFunction[T]:
    """Return `function` as a function of the state alone, which requires what it and `sources` read."""
    return StateFunction(function, sources)


def select_by_setting(setting: str) -> Callable[[Callable[..., T]], StateFunction[T]]:
    """Return a decorator for a function that calls the function which the value of `setting` names.

    The decorated function adds the requirements of the named function to its own.
    """
    return lambda function: StateFunction(function, (), setting)


def get_requirements(function: Callable[..., object]) -> list[Requirement]:
    """Return the requirements of a function: its own, and those of the functions it calls."""
    return function.requirements if isinstance(function, StateFunction) else _derive_requirements(function)


def _derive_requirements(function: Callable[..., object]) -> list[Requirement]:
    function_name, hints = f"{function.__module__}.{function.__name__}", get_type_hints(function)
    if unannotated_names := [name for name in inspect.signature(function).parameters if name not in hints]:
        example = f"def {function.__name__}(state: ProgressState)"
        raise InputError(
            unannotated_names[0],
            None,
            f"{function_name}: annotate this parameter with the group of channels that it reads: `{example}`",
        )
    state = hints.get("state")  # `Any` is no group of channels
    channels = state if isinstance(state, type) and getattr(state, "__annotations__", None) else None
    settings = hints["settings"] if isinstance(hints.get("settings"), type) else None
    annotations = [
        annotation for hint in _get_hints(channels).values() for annotation in getattr(hint, "__metadata__", ())
    ]
    return [
        Requirement(function_name, channels, settings),
        *(
            Requirement(function_name, None, annotation.settings)
            for annotation in annotations
            if isinstance(annotation, SettingsCondition)
        ),
    ]


@cache
def _get_hints(group: type | None) -> dict[str, Any]:
    return get_type_hints(group, include_extras=True) if group else {}


def merge_channels(requirements: Sequence[Requirement]) -> type:
    """Merge the channel groups of all requirements into one class."""
    return _merge_groups(*dict.fromkeys(requirement.channels for requirement in requirements if requirement.channels))


@cache
def _merge_groups(*groups: type) -> type:
    hints = {group: _get_hints(group) for group in groups}
    channels = {key: hint for group_hints in hints.values() for key, hint in group_hints.items()}
    widest_group = next((group for group in groups if hints[group].keys() == channels.keys()), None)
    name = "And".join(group.__name__ for group in groups)
    return widest_group or cast(type, TypedDict(name, channels))  # type: ignore[operator]


def check_requirements(requirements: Sequence[Requirement], state: type, context: type | None) -> None:
    """Check that a graph carries all requirements of its functions.

    `state`: class with all channels of the graph. `context`: class of its settings. Raises `InputError` for the first
    missing channel or class of settings. The error names the function that reads the missing part.
    """
    channels = _get_hints(state)
    for requirement in requirements:
        optional_keys: frozenset[str] = getattr(requirement.channels, "__optional_keys__", frozenset())
        for key, hint in _get_hints(requirement.channels).items():
            is_sent = BRANCH_INPUT in getattr(hint, "__metadata__", ())
            if key not in channels and key not in optional_keys and not is_sent:
                group_name = _get_group_name(requirement.channels, key)
                remedy = f"must have the channel {key}, which {requirement.function_name} reads; "
                remedy += f"derive it from {group_name} too"
                raise InputError("state", state.__name__, remedy)
        if requirement.settings and not (context and issubclass(context, requirement.settings)):
            remedy = f"{requirement.function_name} reads settings of {requirement.settings.__name__}; "
            remedy += "derive the context class from that class too"
            raise InputError("context", context and context.__name__, remedy)


def _get_group_name(group: type | None, key: str) -> str:
    """Return the name of the most basic class among the bases of `group` that declares the channel `key`."""
    base_groups = [
        base_group
        for base_group in getattr(group, "__orig_bases__", ())
        if key in getattr(base_group, "__annotations__", ())
    ]
    return _get_group_name(base_groups[0], key) if base_groups else getattr(group, "__name__", "")
