"""What pydantic found wrong, as Moot says no: key, value, remedy."""

from collections.abc import Sequence
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, ValidationError
from typing_extensions import is_typeddict

from .refusal import LANGUAGE_TAG, OWN_TAG, Refused
from .spelling import refusal_of, unknown_key


def refused(error: ValidationError, schema: Any = None) -> Refused:
    """The first fault, unknown keys before all others; `schema` is the type that was validated.

    For an unknown key the nearest known one is named.
    """
    faults = error.errors(include_url=False)
    first = next((one for one in faults if one["type"] == "extra_forbidden"), faults[0])
    place, remedy = first["loc"], first["msg"].removeprefix("Value error, ")
    key = ".".join(str(part) for part in place)
    if first["type"] == "extra_forbidden":
        return Refused(key, first["input"], unknown_key(str(place[-1]), _keys(schema, place[:-1])))
    if first["type"] == "unusable":
        return refusal_of(error)
    if first["type"] == "string_pattern_mismatch" and first["ctx"]["pattern"] in (LANGUAGE_TAG, OWN_TAG):
        return Refused(key, first["input"], "give a language tag such as en, zh or es-MX")
    if first["type"] == "missing":
        return Refused(key, None, "it is required")
    if first["type"] == "model_type":
        return Refused(
            key or "input", first["input"], f"give a mapping; its keys are {', '.join(_keys(schema, place))}"
        )
    if not place:
        return _of_the_whole(remedy, first["input"])
    return Refused(key, first["input"], remedy[:1].lower() + remedy[1:])


def _of_the_whole(said: str, value: Any) -> Refused:
    """A fault between several keys; its message begins with the key it is about."""
    key, _, remedy = said.partition(" ")
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return Refused(key, value, remedy)


def _keys(schema: Any, place: Sequence[int | str]) -> list[str]:
    """The keys known at `place` inside a model, a TypedDict, or a list of them."""
    for part in place:
        schema = next((kind for kind in _inside(schema, part) if _fields(kind)), None)
    return list(_fields(schema))


def _inside(schema: Any, part: int | str) -> list[Any]:
    """The types that may stand at one key or index, annotations and alternatives taken apart."""
    left = [schema] if isinstance(part, int) else [_fields(schema).get(part)]
    for kind in left:
        left += get_args(kind)
    return left


def _fields(schema: Any) -> dict[str, Any]:
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return {name: field.annotation for name, field in schema.model_fields.items()}
    return get_type_hints(schema) if is_typeddict(schema) else {}
