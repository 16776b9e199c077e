"""How Moot says no to input: which key, which value, what to do instead."""

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError
from typing_extensions import is_typeddict

LANGUAGE_TAG = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"
"""A BCP-47 tag."""

OWN_TAG = rf"^$|{LANGUAGE_TAG}"
"""The tag of one's own language, or nothing where it is the run's."""


class Refused(ValueError):
    """Input that cannot be used, found before any model was called.

    `key` names the setting, `value` what was given (shortened), `remedy` what would be accepted.
    """

    def __init__(self, key: str, value: object, remedy: str) -> None:
        shown = repr(value)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        super().__init__(f"{key} = {shown}: {remedy}")
        self.key, self.value, self.remedy = key, value, remedy

    def __reduce__(self) -> tuple[type["Refused"], tuple[str, object, str]]:
        return type(self), (self.key, self.value, self.remedy)


LISTED = 50
"""Known keys that are all named where none of them resembles the one given."""


def unusable(key: str, given: object, remedy: str) -> PydanticCustomError:
    """What a validator raises for a value that only shows as wrong beside others: key, value and remedy."""
    return PydanticCustomError("unusable", "{key}: {remedy}", {"key": key, "given": given, "remedy": remedy})


def refuse_unknown(given: Mapping[str, object], known: Collection[str]) -> None:
    """Raise for the first key of `given` that is not in `known`, suggesting the nearest known one."""
    for key, value in given.items():
        if key not in known:
            raise unusable(str(key), value, unknown_key(str(key), known))


def unknown_key(key: str, known: Collection[str]) -> str:
    """The remedy for a key nobody knows: the nearest known one, or all of them unless they are very many."""
    near = get_close_matches(key.lower(), known, n=1, cutoff=0.5)
    if near:
        return f"unknown key; did you mean {near[0]}?"
    listed = f"known are {', '.join(sorted(known))}"
    return f"unknown key; {listed if len(known) <= LISTED else 'no known key resembles it'}"


def flattened(given: Mapping[str, object], headings: Collection[str], aliases: Mapping[str, str]) -> dict[str, object]:
    """`given` with the mappings under `headings` lifted to the top and older names replaced.

    A dot in a key stands for a mapping: `logging.level: x` is `logging: {level: x}`. A key that is given twice with
    different values is refused.
    """
    flat: dict[str, object] = {}
    for key, value in given.items():
        for name, lifted in _lifted(str(key), value, headings, aliases).items():
            flat[name] = _joined(name, flat[name], lifted) if name in flat else lifted
    return flat


def _lifted(key: str, value: object, headings: Collection[str], aliases: Mapping[str, str]) -> dict[str, object]:
    heading, dot, rest = key.partition(".")
    if dot:
        return _lifted(heading, {rest: value}, headings, aliases)
    if key in headings and isinstance(value, Mapping):
        return flattened(value, headings, aliases)
    return {aliases.get(key, key): value}


def _joined(key: str, first: object, second: object) -> object:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return {**first, **{name: _joined(name, first.get(name, value), value) for name, value in second.items()}}
    if first != second:
        raise unusable(key, second, f"given twice, as {first!r} too; keep one")
    return second


def refused_setting(error: ValidationError) -> Refused:
    """The first thing wrong, as key (with the place it stands in), value and remedy."""
    first = error.errors(include_url=False)[0]
    context = first.get("ctx") or {}
    place = [str(part) for part in first["loc"]]
    if first["type"] == "unusable":
        return Refused(".".join([*place, context["key"]]), context["given"], context["remedy"])
    return Refused(".".join(place) or "settings", first["input"], first["msg"].removeprefix("Value error, "))


def refused_input(error: ValidationError, schema: Any = None) -> Refused:
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
        return refused_setting(error)
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
