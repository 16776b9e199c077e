"""The types of what a protocol is called with, made from its rules and inputs: `python tests/support/contexts.py`."""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin

from moot.app.protocols.registry import PROTOCOLS
from moot.state.justice.setting_keys import KEY_ALIASES, SETTING_GROUPS, SETTING_HEADINGS
from moot.state.settings import Settings
from places import ROOT
from pydantic import BaseModel
from typing_extensions import get_type_hints

PAGE = ROOT / "state" / "contexts" / "arguments.pyi"
HEAD = '''\
"""Arguments of the protocols for type checkers, generated from their settings and inputs. A test compares them.

Run `python tests/support/contexts.py` to write it again. The settings document meaning and bounds.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from pydantic import BaseModel
from typing_extensions import TypedDict

SettingsArgument = Mapping[str, Any] | BaseModel
"""Group of settings, as a mapping or as its model."""
ParticipantArgument = str | Mapping[str, Any] | BaseModel
"""Participant: a name, or all of its fields."""
'''
FILLED_IN = ("protocol", "schema_version", "packages", "tool_definitions", "recipients")
"""Knobs that nobody gives."""
Members = dict[str, str]


def text() -> str:
    """The file as it should be."""
    settings = {name: knobs_of(PROTOCOL.build_graph().context_schema) for name, PROTOCOL in PROTOCOLS.items()}
    inputs = {name: inputs_of(PROTOCOL.build_graph().input_schema) for name, PROTOCOL in PROTOCOLS.items()}
    talks = {name for name, one in inputs.items() if one == inputs["debate"] or "query" in one}
    shared = common(list(settings.values()))
    talk = {key: kind for key, kind in common([settings[name] for name in talks]).items() if key not in shared}
    parts = [HEAD, written("SharedContext", "TypedDict, total=False", "Settings that all protocols share.", shared)]
    parts.append(
        written("TalkContext", "SharedContext, total=False", "Settings of all deliberations on a subject.", talk)
    )
    parts.append(written("TopicInput", "TypedDict", "Input of all deliberations on a topic.", inputs["debate"]))
    for name, setting in settings.items():
        base, known = ("TalkContext", {**shared, **talk}) if name in talks else ("SharedContext", shared)
        own = {key: kind for key, kind in setting.items() if key not in known}
        parts.append(written(f"{name.title()}Context", f"{base}, total=False", f"Settings of `{name}`.", own))
        is_usual = inputs[name] == inputs["debate"]
        base, members = ("TopicInput", {}) if is_usual else ("TypedDict", inputs[name])
        parts.append(written(f"{name.title()}Input", base, f"Input of `{name}`.", members))
    return "\n".join(parts)


def common(members: list[Members]) -> Members:
    """What all have, with the same type."""
    return {key: kind for key, kind in members[0].items() if all(member.get(key) == kind for member in members)}


def written(name: str, bases: str, doc: str, members: Members) -> str:
    """One class."""
    lines = [f"    {key}: {kind}" for key, kind in members.items()]
    return "\n".join([f"class {name}({bases}):", f'    """{doc}"""', *(["", *lines] if lines else []), ""])


def knobs_of(rules: type[Settings]) -> Members:
    """The knobs that can be given, by name, those that do nothing left out."""
    found = fields(rules)
    if rules.__name__ == "JusticeSettings":
        inside = {key: kind for group in SETTING_GROUPS.values() for key, kind in fields(group).items()}
        found = {**inside, **found, **dict.fromkeys(SETTING_HEADINGS, "SettingsArgument")}
        found["wording"] = "str | SettingsArgument"
        found |= {alias: inside[key] for alias, key in KEY_ALIASES.items()}
    found |= {own: found[knob] for own, knob in rules.setting_aliases.items()}
    return {key: kind for key, kind in sorted(found.items()) if key not in (*FILLED_IN, *rules.unused_settings)}


def fields(model: type[BaseModel]) -> Members:
    """The fields of a model, each with its type in words."""
    return {key: in_words(field.annotation, key) for key, field in model.model_fields.items()}


def inputs_of(schema: Any) -> Members:
    """The inputs, each with its type in words; what may be left out says so."""
    hints = get_type_hints(schema, include_extras=True)
    found: Members = {}
    for key, hint in hints.items():
        free = get_origin(hint) is NotRequired
        kind = in_words(get_args(hint)[0] if free else hint, key)
        found[key] = f"NotRequired[{kind}]" if free else kind
    return found


def in_words(kind: Any, key: str) -> str:
    """A type as a caller may give it: a model as a mapping too, a participant by its name alone."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return in_words(args[0], key)
    if origin in (Union, UnionType):
        return " | ".join(
            dict.fromkeys("None" if argument is NoneType else in_words(argument, key) for argument in args)
        )
    if origin is list:
        return f"Sequence[{in_words(args[0], key)}]"
    if origin in (dict, Mapping):
        return f"Mapping[{', '.join(in_words(argument, key) for argument in args)}]"
    if origin is Literal:
        return f"Literal[{', '.join(map(quoted, args))}]"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "ParticipantArgument" if key == "participants" else "SettingsArgument"
    return kind.__name__ if kind in (str, int, float, bool) else "Any"


def quoted(value: object) -> str:
    """A value as it is written in the file."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
