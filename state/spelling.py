"""Spelling of settings: unknown keys refused by name, headings read away, one line for what is wrong."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from .refusal import Refused

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


def refusal_of(error: ValidationError) -> Refused:
    """The first thing wrong, as key (with the place it stands in), value and remedy."""
    first = error.errors(include_url=False)[0]
    context = first.get("ctx") or {}
    place = [str(part) for part in first["loc"]]
    if first["type"] == "unusable":
        return Refused(".".join([*place, context["key"]]), context["given"], context["remedy"])
    return Refused(".".join(place) or "settings", first["input"], first["msg"].removeprefix("Value error, "))
