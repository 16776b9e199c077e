"""The types of what a protocol is called with, made from its rules and inputs: `python tests/support/contexts.py`."""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin

from moot.app.protocols import PROTOCOLS
from moot.state.justice.keys import ALIASES, GROUPS, HEADINGS
from moot.state.rules import Rules
from places import ROOT
from pydantic import BaseModel
from typing_extensions import get_type_hints

PAGE = ROOT / "state" / "contexts" / "knobs.py"
HEAD = '''"""What a protocol is called with, for type checkers, made from its rules and inputs; a test compares them.

`python tests/support/contexts.py` writes it anew. What a knob means and its bounds stand with the rules.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from pydantic import BaseModel
from typing_extensions import TypedDict

Settings = Mapping[str, Any] | BaseModel
"""Settings that belong together, as a mapping or as their model."""
Named = str | Mapping[str, Any] | BaseModel
"""A participant: a name, or all that is known of it."""
'''
FILLED_IN = ("protocol", "schema_version", "packages")
"""Knobs that nobody gives."""
Members = dict[str, str]


def text() -> str:
    """The file as it should be."""
    knobs = {name: knobs_of(one.build().context_schema) for name, one in PROTOCOLS.items()}
    inputs = {name: inputs_of(one.build().input_schema) for name, one in PROTOCOLS.items()}
    every = [set(one.items()) for one in knobs.values()]
    shared = {key: kind for key, kind in knobs["debate"].items() if all((key, kind) in one for one in every)}
    parts = [HEAD, written("SharedContext", "TypedDict, total=False", "The knobs all protocols share.", shared)]
    for name, one in knobs.items():
        own = {key: kind for key, kind in one.items() if key not in shared}
        parts.append(written(f"{name.title()}Context", "SharedContext, total=False", f"The knobs of a {name}.", own))
        parts.append(written(f"{name.title()}Input", "TypedDict", f"What a {name} is about.", inputs[name]))
    return "\n\n".join(parts)


def written(name: str, bases: str, doc: str, members: Members) -> str:
    """One class."""
    lines = [f"    {key}: {kind}" for key, kind in members.items()]
    return "\n".join([f"class {name}({bases}):", f'    """{doc}"""', *(["", *lines] if lines else []), ""])


def knobs_of(rules: type[Rules]) -> Members:
    """The knobs that can be given, by name, those that do nothing left out."""
    found = fields(rules)
    if rules.__name__ == "JusticeRules":
        inside = {key: kind for group in GROUPS.values() for key, kind in fields(group).items()}
        found = {**inside, **found, **dict.fromkeys(HEADINGS, "Settings"), "wording": "str | Settings"}
        found |= {alias: inside[key] for alias, key in ALIASES.items()}
    found |= {own: found[knob] for own, knob in rules.own_words.items()}
    return {key: kind for key, kind in sorted(found.items()) if key not in (*FILLED_IN, *rules.idle)}


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
        return " | ".join(dict.fromkeys("None" if one is NoneType else in_words(one, key) for one in args))
    if origin is list:
        return f"Sequence[{in_words(args[0], key)}]"
    if origin in (dict, Mapping):
        return f"Mapping[{', '.join(in_words(one, key) for one in args)}]"
    if origin is Literal:
        return f"Literal[{', '.join(map(quoted, args))}]"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "Named" if key == "participants" else "Settings"
    return kind.__name__ if kind in (str, int, float, bool) else "Any"


def quoted(value: object) -> str:
    """A value as it is written in the file."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
