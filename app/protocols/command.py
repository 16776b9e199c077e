"""Command for a protocol, made from the input and the settings of its graph.

It is for protocols without a module in `commands`.
"""

from collections.abc import Callable
from dataclasses import field, fields, make_dataclass
from importlib.util import find_spec
from typing import Annotated, Any, get_type_hints

from typer import Option, Typer
from typer.main import get_command

from ...state import DeliberationInput, Settings, get_settings_class
from ..display.plain_text import format_json
from ..run import (
    IDLE_OPTION,
    SETTING_ALIASES,
    Material,
    People,
    RunOptions,
    Topic,
    ViewOptions,
    flatten_options,
    parse_seats,
    read_text,
    start_run,
)
from ..schema_fields import list_schema_fields
from .registry import ProtocolEntry, get_protocol

OWN_SETTINGS_HELP_PANEL = "Settings of this protocol"
OPTION_TYPES: dict[str, Any] = {
    **dict.fromkeys(("boolean", "bool"), bool | None),
    **dict.fromkeys(("integer", "int"), int | None),
    **dict.fromkeys(("number", "float"), float | None),
    **dict.fromkeys(("string", "str"), str | None),
}
"""Type of an option's value, by the type of its setting in JSON, or of its choices.

Settings of other types need `--set`.
"""
METAVARS: dict[Any, str] = {int | None: "N", float | None: "X"}
"""Placeholder of an option's value, by type. The placeholder of a text is the last word of the setting's name."""


def make_protocol_command(name: str) -> Callable[..., None]:
    """Make the command of the protocol `name`, with an option for each input and setting of its graph."""
    protocol = get_protocol(name)
    input_schema, settings_class = get_schemas(protocol)

    def command(*, inputs: Any, options: RunOptions, view: ViewOptions) -> None:
        values = vars(inputs)
        material, people = values.get("material"), values.get("people")
        graph_input = {
            protocol.topic_key: values.get("topic"),
            "material": read_text(material, "material") if material else None,
            "participants": parse_seats(people) if people else None,
        }
        start_run(protocol.name, graph_input, options, view)

    command.__doc__ = protocol.line
    input_types = get_type_hints(input_schema)
    input_fields: list[tuple[str, Any, Any]] = [("topic", Topic, None)] if protocol.topic_key else []
    input_fields += [("material", Material, None)] if "material" in input_types else []
    input_fields += [("people", People, field(default_factory=list))] if "participants" in input_types else []
    command.__annotations__ |= {
        "inputs": make_dataclass("InputOptions", input_fields, frozen=True),
        "options": _make_setting_options(settings_class),
    }
    return flatten_options(command)


def get_schemas(protocol: ProtocolEntry) -> tuple[Any, type[Settings]]:
    """Return the input type and the settings class of a protocol.

    For Moot's own protocols with a generic command, the input type is a shared one. So the help loads no graph.
    """
    if protocol.package:
        return protocol.graph.input_schema, protocol.graph.context_schema
    return DeliberationInput, get_settings_class(protocol.name)


def list_own_options(name: str) -> list[Any]:
    """Return the options that only this protocol's command has.

    The list is empty if the command has its own module in `commands`.
    """
    protocol = get_protocol(name)
    if find_spec(f"..commands.{protocol.name}", __package__):
        return []

    def command(*, options: Any) -> None: ...

    command.__annotations__["options"] = _make_setting_options(get_schemas(protocol)[1])
    typer_app = Typer(add_completion=False)
    typer_app.command()(flatten_options(command))
    shared_names = {field.name for field in fields(RunOptions)}
    return [
        option for option in get_command(typer_app).params if option.name not in shared_names and option.name != "help"
    ]


def _make_setting_options(settings_class: type[Settings]) -> type[RunOptions]:
    """Make the options class of a protocol: the shared options, and its own scalar settings.

    Shared options that have no effect here are hidden.
    """
    shared_names = [option.name for option in fields(RunOptions) if option.name not in ("config", "set")]
    taken_names = {*Settings.model_fields, *shared_names, *(option.name for option in fields(ViewOptions))}
    options: list[tuple[str, Any, Any]] = []
    for setting in list_schema_fields(settings_class.model_json_schema()):
        value_types = [type(choice).__name__ for choice in setting.choices[:1]] or [str(setting.schema.get("type"))]
        option_type = OPTION_TYPES.get(value_types[0])
        if option_type and setting.name not in taken_names and setting.name not in settings_class.unused_settings:
            default = format_json(setting.default, None).strip('"')
            has_default = setting.default not in (None, "", [], {})
            option = Option(
                help=f"{setting.meaning.removesuffix('.')} [default: {default}]." if has_default else setting.meaning,
                metavar=METAVARS.get(option_type) or setting.name.rpartition("_")[2].upper(),
                rich_help_panel=OWN_SETTINGS_HELP_PANEL,
                show_default=False,
            )
            options.append((setting.name, Annotated[option_type, option], None))
    for name in shared_names:
        key = SETTING_ALIASES.get(name, name)
        if key in settings_class.unused_settings or key.partition(".")[0] not in settings_class.model_fields:
            options.append((name, Annotated[str | None, IDLE_OPTION], None))
    return make_dataclass("OwnOptions", options, bases=(RunOptions,), frozen=True)
