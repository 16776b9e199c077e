"""Options that many commands share, and those that show a run."""

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from typer import Argument, Option


def flatten_options(command: Callable[..., Any]) -> Callable[..., None]:
    """Return a command with one parameter for each field of its dataclass parameters.

    If the command is a coroutine function, it runs in an event loop.
    """
    option_classes: dict[str, Any] = {}
    flat_parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        if not is_dataclass(parameter.annotation):
            flat_parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        option_class: Any = parameter.annotation
        option_classes[parameter.name] = option_class
        type_hints = get_type_hints(option_class, include_extras=True)
        for option in fields(option_class):
            default = option.default
            if default is MISSING:
                default = inspect.Parameter.empty if option.default_factory is MISSING else option.default_factory()
            flat_parameters.append(
                inspect.Parameter(
                    option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=type_hints[option.name]
                )
            )

    def call_command(**values: Any) -> None:
        for name, option_class in option_classes.items():
            values[name] = option_class(**{option.name: values.pop(option.name) for option in fields(option_class)})
        if inspect.iscoroutine(result := command(**values)):
            asyncio.run(result)

    call_command.__name__, call_command.__doc__ = command.__name__, command.__doc__
    call_command.__signature__ = inspect.Signature(flat_parameters)  # type: ignore[attr-defined]
    call_command.__annotations__ = {parameter.name: parameter.annotation for parameter in flat_parameters}
    return call_command


OptionalText = str | None
Topic = Annotated[OptionalText, Argument(metavar="TOPIC", help="Topic or question.", show_default=False)]
Material = Annotated[Path | None, Option("--material", metavar="FILE", help="Background that everyone sees.")]
RunName = Annotated[str, Argument(metavar="RUN", help="Name of a saved run; `moot runs` lists them.")]
Database = Annotated[str, Option("--db", metavar="PATH|URL", help="Saved runs: an SQLite file, or postgresql://…")]
AsJson = Annotated[bool, Option("--json", help="Print only one JSON document.")]
NoColor = Annotated[bool, Option("--no-color", help="Print without colors.")]


@dataclass(frozen=True)
class ViewOptions:
    """Options for the database of a run and for its display."""

    db: Database = ""
    json: AsJson = False
    quiet: Annotated[bool, Option("--quiet", "-q", help="Print only the ending and the synthesis.")] = False
    no_color: NoColor = False
    fast: Annotated[bool, Option("--no-pacing", help="Show a rehearsal at full speed.")] = False
