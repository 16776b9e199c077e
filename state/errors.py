"""Errors for unusable input, with the key, the value and the remedy."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError
from typing_extensions import is_typeddict

LANGUAGE_TAG_PATTERN = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"

OPTIONAL_TAG_PATTERN = rf"^$|{LANGUAGE_TAG_PATTERN}"
"""Pattern of a participant's language tag; empty takes the language of the run."""


FAULT_WORDS = {
    r"^(Value error, )?": "",
    r"^[Ii]nput should (be )?": "must be ",
    r"greater than or equal to": "at least",
    r"less than or equal to": "at most",
    r"greater than": "more than",
    r"a valid list": "a list",
    r"a valid dictionary( or .*)?$": "a mapping",
    r"a valid string$": "a text",
    r"a valid integer.*": "a whole number",
    r"a valid number.*": "a number",
    r"a valid boolean.*": "true or false",
}
"""Patterns in the messages of the validator, with the words of Moot."""


class InputError(ValueError):
    """Error for unusable input, found before any model call.

    `key` names the setting, `value` is the shortened input, `remedy` describes an acceptable value.
    """

    def __init__(self, key: str, value: object, remedy: str) -> None:
        text = repr(value)
        text = text if len(text) <= 80 else text[:77] + "..."
        super().__init__(f"{key} = {text}: {remedy}")
        self.key, self.value, self.remedy = key, value, remedy

    def __reduce__(self) -> tuple[type["InputError"], tuple[str, object, str]]:
        return type(self), (self.key, self.value, self.remedy)


def make_setting_error(key: str, value: object, remedy: str) -> PydanticCustomError:
    """Make the validation error for a setting whose value contradicts other settings."""
    return PydanticCustomError("unusable", "{key}: {remedy}", {"key": key, "given": value, "remedy": remedy})


def check_effect(settings: BaseModel, key: str, has_effect: bool, remedy: str) -> None:
    """Check that a setting without effect has its default value.

    Raises the validation error, with `remedy`, for any other value. `has_effect`: whether the setting has an effect
    here.
    """
    value = getattr(settings, key)
    if not has_effect and value != type(settings).model_fields[key].default:
        raise make_setting_error(key, value, f"it has no effect here; {remedy}, or leave it out")


def check_keys(values: Mapping[str, object], known_keys: Collection[str]) -> None:
    """Check that every key of `values` is in `known_keys`.

    Raises the validation error for the first unknown key, with the nearest known one.
    """
    for key, value in values.items():
        if key not in known_keys:
            raise make_setting_error(str(key), value, explain_unknown_key(str(key), known_keys))


def explain_unknown_key(key: str, known_keys: Collection[str]) -> str:
    """Return the remedy for an unknown key: the nearest known key, all known keys, or how to list them."""
    names = {name.lower(): name for name in known_keys}
    if matches := get_close_matches(key.lower(), names, n=1, cutoff=0.7):
        return f"unknown key; did you mean {names[matches[0]]}?"
    key_list = f"the keys are {', '.join(sorted(known_keys))}"
    return f"unknown key; {key_list if len(known_keys) <= 50 else 'run `moot settings PROTOCOL` for all keys'}"


def flatten_settings(
    values: Mapping[str, object], headings: Collection[str], aliases: Mapping[str, str]
) -> dict[str, object]:
    """Move the mappings under `headings` to the top level, and replace aliases by current names.

    A dotted key stands for a nested mapping: `logging.level: x` means `logging: {level: x}`. Raises the validation
    error if a key occurs twice with different values.
    """
    flat_settings: dict[str, object] = {}
    for key, value in values.items():
        for name, unnested_value in _unnest_setting(str(key), value, headings, aliases).items():
            flat_settings[name] = (
                _merge_values(name, flat_settings[name], unnested_value) if name in flat_settings else unnested_value
            )
    return flat_settings


def _unnest_setting(
    key: str, value: object, headings: Collection[str], aliases: Mapping[str, str]
) -> dict[str, object]:
    heading, dot, subkey = key.partition(".")
    if dot:
        return _unnest_setting(heading, {subkey: value}, headings, aliases)
    if key in headings and isinstance(value, Mapping):
        return flatten_settings(value, headings, aliases)
    return {aliases.get(key, key): value}


def _merge_values(key: str, first: object, second: object) -> object:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return {**first, **{name: _merge_values(name, first.get(name, value), value) for name, value in second.items()}}
    if first != second:
        raise make_setting_error(key, second, f"given twice, the other time as {first!r}; keep one")
    return second


def describe_fault(message: str) -> str:
    """Return a phrase for what a value must be, from the validator's message."""
    for pattern, words in FAULT_WORDS.items():
        message = re.sub(pattern, words, message, count=1)
    return message


def convert_setting_error(error: ValidationError) -> InputError:
    """Convert a validation error of settings into an `InputError` for its first fault."""
    fault = error.errors(include_url=False)[0]
    context = fault.get("ctx") or {}
    path = [str(part) for part in fault["loc"]]
    if fault["type"] == "unusable":
        return InputError(".".join([*path, context["key"]]), context["given"], context["remedy"])
    return InputError(".".join(path) or "settings", fault["input"], describe_fault(fault["msg"]))


def convert_input_error(error: ValidationError, schema: Any = None) -> InputError:
    """Return an `InputError` for the first fault of a validation error.

    An unknown key counts before all other faults. `schema`: schema whose keys the error suggests; `None` for none.
    """
    faults = error.errors(include_url=False)
    first_fault = next((fault for fault in faults if fault["type"] == "extra_forbidden"), faults[0])
    path, remedy = first_fault["loc"], describe_fault(first_fault["msg"])
    key = ".".join(str(part) for part in path)
    if first_fault["type"] == "extra_forbidden":
        return InputError(key, first_fault["input"], explain_unknown_key(str(path[-1]), _list_keys(schema, path[:-1])))
    if first_fault["type"] == "unusable":
        return convert_setting_error(error)
    if first_fault["type"] == "string_pattern_mismatch" and first_fault["ctx"]["pattern"] in (
        LANGUAGE_TAG_PATTERN,
        OPTIONAL_TAG_PATTERN,
    ):
        return InputError(key, first_fault["input"], "must be a language tag such as en, zh or es-MX")
    if first_fault["type"] == "missing":
        return InputError(key, None, "must be given")
    if first_fault["type"] == "model_type":
        return InputError(
            key or "input",
            first_fault["input"],
            f"must be a mapping; its keys are {', '.join(_list_keys(schema, path))}",
        )
    if not path:  # an error of several keys together begins with one of them
        key, _, remedy = remedy.partition(" ")
        value = first_fault["input"]
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return InputError(key, value, remedy)
    if first_fault["type"] == "list_type" and isinstance(example := _get_default(schema, path), list):
        remedy += f"; write {key}={json.dumps(example, separators=(',', ':'))}" if example else ""
    return InputError(key, first_fault["input"], remedy[:1].lower() + remedy[1:])


@cache
def build_adapter(schema: Any) -> TypeAdapter[Any]:
    """Return the pydantic validator of `schema`, a model or another type.

    Repeated calls with the same type return the same validator.
    """
    return TypeAdapter(schema)


def validate_input(schema: Any, values: Any) -> Any:
    """Validate `values` by `schema`, a model or another type, and return the validated values.

    Raises `InputError` for the first fault.
    """
    try:
        return build_adapter(schema).validate_python(values)
    except ValidationError as error:
        raise convert_input_error(error, schema) from None


def _get_default(schema: Any, path: Sequence[int | str]) -> Any:
    fields = schema.model_fields if isinstance(schema, type) and issubclass(schema, BaseModel) else {}
    return fields[path[0]].get_default() if len(path) == 1 and path[0] in fields else None


def _list_keys(schema: Any, path: Sequence[int | str]) -> list[str]:
    for part in path:
        schema = next((kind for kind in _list_inner_types(schema, part) if _get_fields(kind)), None)
    return list(_get_fields(schema))


def _list_inner_types(schema: Any, part: int | str) -> list[Any]:
    types = [schema] if isinstance(part, int) else [_get_fields(schema).get(part)]
    for kind in types:
        types += get_args(kind)
    return types


def _get_fields(schema: Any) -> dict[str, Any]:
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return {field.alias or name: field.annotation for name, field in schema.model_fields.items()}
    return get_type_hints(schema) if is_typeddict(schema) else {}
