"""The command of a protocol without a module in `commands`, made from what its graph takes: its input and its rules."""

from collections.abc import Callable
from dataclasses import field, fields, make_dataclass
from importlib.util import find_spec
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from typer import Option, Typer
from typer.main import get_command

from ..state.rules import Rules
from .begin import begin
from .config import SPELLINGS, read_text
from .options import IDLE, Knobs, Material, People, Topic, View, seats_of, spread
from .protocols import protocol

OWN = "Its own knobs"
SCALARS: dict[object, Any] = {bool: bool | None, int: int | None, float: float | None, str: str | None}
"""What an option may hold, by the type of the knob; any other knob is set with `--set`."""


def command_of(name: str) -> Callable[..., None]:
    """The function of the command of this name, with an option for each input and knob that its graph takes."""
    one = protocol(name)
    graph = one.build()

    def command(*, inputs: Any, knobs: Knobs, view: View) -> None:
        begin(one.name, _input(one.about, vars(inputs)), knobs, view)

    command.__doc__ = one.line
    offered = _inputs_of(get_type_hints(graph.input_schema), one.about)
    command.__annotations__ |= {"inputs": offered, "knobs": _knobs_of(graph.context_schema)}
    return spread(command)


def own_options(name: str) -> list[Any]:
    """The options of the command of this name that only it has; none of a command with a module of its own."""
    one = protocol(name)
    if find_spec(f".commands.{one.command}", __package__):
        return []

    def command(*, knobs: Any) -> None: ...

    command.__annotations__["knobs"] = _knobs_of(one.drawing.context_schema)
    alone = Typer(add_completion=False)
    alone.command()(spread(command))
    shared = {field.name for field in fields(Knobs)}
    return [made for made in get_command(alone).params if made.name not in shared and made.name != "help"]


def _input(about: str, given: dict[str, Any]) -> dict[str, Any]:
    """The input by its keys, from what was given by option."""
    material, people = given.get("material"), given.get("people")
    return {
        about: given.get("topic"),
        "material": read_text(material, "material") if material else None,
        "participants": seats_of(people) if people else None,
    }


def _inputs_of(known: dict[str, Any], about: str) -> type:
    """A group of options with one for each of the shared inputs that is known."""
    options: list[tuple[str, Any, Any]] = [("topic", Topic, None)] if about else []
    options += [("material", Material, None)] if "material" in known else []
    options += [("people", People, field(default_factory=list))] if "participants" in known else []
    return make_dataclass("Inputs", options, frozen=True)


def _knobs_of(rules: type[Rules]) -> type[Knobs]:
    """The shared knobs, those hidden that do nothing here, and one for each of the protocol's own with one value."""
    shared = [one.name for one in fields(Knobs) if one.name not in ("config", "set")]
    taken = {*Rules.model_fields, *shared, *(one.name for one in fields(View))}
    own = {name: one for name, one in rules.model_fields.items() if name not in taken and name not in rules.idle}
    options: list[tuple[str, Any, Any]] = [
        (name, Annotated[kind, Option(help=one.description, rich_help_panel=OWN, show_default=False)], None)
        for name, one in own.items()
        if (kind := _kind(one.annotation))
    ]
    options += [(name, Annotated[str | None, IDLE], None) for name in shared if _is_idle(name, rules)]
    return make_dataclass("OwnKnobs", options, bases=(Knobs,), frozen=True)


def _is_idle(name: str, rules: type[Rules]) -> bool:
    key = SPELLINGS.get(name, name)
    return key in rules.idle or key.partition(".")[0] not in rules.model_fields


def _kind(annotation: Any) -> Any:
    """What an option for a knob of this type holds; none where one option cannot hold it."""
    if get_origin(annotation) is Literal:
        return SCALARS.get(type(get_args(annotation)[0]))
    found = [one for one in (get_args(annotation) or (annotation,)) if one is not NoneType]
    return SCALARS.get(found[0]) if len(found) == 1 else None
