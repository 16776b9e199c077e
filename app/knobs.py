"""Every knob of a protocol, read from the schema of its rules."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..state.rules import Rules

Schema = Mapping[str, Any]

OF_RECORD = ("protocol", "schema_version", "packages")
"""What stands among the rules and is nobody's choice."""


class Knob(NamedTuple):
    """One knob by its dotted name, as `--set` and a config file know it. `bounds`: empty: none."""

    name: str
    type: str
    bounds: str
    default: Any
    meaning: str


def knobs_of(rules: type[Rules]) -> list[Knob]:
    """The knobs that do something in a protocol with these rules."""
    schema = rules.model_json_schema()
    found = _within("", schema, rules().model_dump(mode="json"), schema.get("$defs", {}))
    left_out = {*OF_RECORD, *rules.idle, *rules.own_words}
    return [one for one in found if not {one.name, one.name.partition(".")[0]} & left_out]


def _within(prefix: str, schema: Schema, defaults: Schema, named: Schema) -> Iterator[Knob]:
    for key, knob in schema["properties"].items():
        if key not in defaults:
            continue  # it follows from other knobs
        form, default = _resolved(knob, named), defaults[key]
        inside = next((one for one in _forms(form, named) if "properties" in one), None)
        if inside and isinstance(default, Mapping | None):
            yield from _within(f"{prefix}{key}.", inside, default or dict.fromkeys(inside["properties"]), named)
            continue
        bounds = ", ".join(dict.fromkeys(filter(None, map(_bounds, _forms(form, named)))))
        meaning = knob.get("description") or form.get("description", "")
        yield Knob(f"{prefix}{key}", _type(form, named), bounds, default, meaning)


def _choices(form: Schema) -> list[Schema]:
    return form.get("anyOf") or form.get("oneOf") or []


def _resolved(form: Schema, named: Schema) -> Schema:
    """A form with what it refers to in its place."""
    return {**named[form["$ref"].rpartition("/")[2]], **form} if "$ref" in form else form


def _forms(form: Schema, named: Schema) -> list[Schema]:
    """The forms a value may have."""
    return [_resolved(one, named) for one in _choices(form) or [form]]


def _type(form: Schema, named: Schema) -> str:
    return " or ".join(dict.fromkeys(_named(one, named) for one in _forms(form, named)))


def _named(form: Schema, named: Schema) -> str:
    """The word for the type of a value; of a few words, those."""
    if "const" in form or "enum" in form:
        return " | ".join(str(one) for one in form.get("enum", [form.get("const")]))
    kind = str(form.get("type", "any"))
    if kind == "array":
        return f"list of {_type(_resolved(form.get('items', {}), named), named)}"
    inside = form.get("additionalProperties")
    if kind == "object" and isinstance(inside, dict):
        return f"mapping to {_type(_resolved(inside, named), named)}"
    return {"null": "none", "string": "text", "object": "mapping", "boolean": "true | false"}.get(kind, kind)


def _bounds(form: Schema) -> str:
    low = form.get("minimum", form.get("exclusiveMinimum"))
    high = form.get("maximum", form.get("exclusiveMaximum"))
    above, below = "exclusiveMinimum" in form, "exclusiveMaximum" in form
    if low is not None and high is not None and not (above or below):
        return f"{low:,}–{high:,}"
    parts = [f"{'above' if above else 'from'} {low:,}"] if low is not None else []
    parts += [f"{'below' if below else 'up to'} {high:,}"] if high is not None else []
    return " ".join(parts)
