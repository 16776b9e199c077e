"""Options in groups: a command takes dataclasses, and each field of theirs is an option of its own."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_type_hints


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with every dataclass among its parameters replaced by that dataclass's fields."""
    given = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {one.name: one.annotation for one in given if is_dataclass(one.annotation)}
    flat: list[inspect.Parameter] = []
    for one in given:
        flat += _fields(groups[one.name]) if one.name in groups else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]

    def called(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{one.name: values.pop(one.name) for one in fields(group)})
        command(**values)

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in flat}
    return called


def _fields(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [_parameter(one, hints[one.name]) for one in fields(group)]


def _parameter(field: Field[Any], annotation: Any) -> inspect.Parameter:
    default = field.default
    if default is MISSING:
        default = inspect.Parameter.empty if field.default_factory is MISSING else field.default_factory()
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
