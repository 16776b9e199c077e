"""Experts as they are named in options and calls: by name alone, or with a role and a focus."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...state.statement import Participant


def expert(given: Any) -> Any:
    """A participant from a name, "Name: role", or a mapping with name, role and focus; anything else as it is."""
    if isinstance(given, str):
        name, *role = re.split("[:：]", given, maxsplit=1)
        return {"name": name.strip(), "role": "".join(role).strip()}
    if isinstance(given, Participant) or not isinstance(given, Mapping):
        return given
    named = {key: value for key, value in given.items() if key != "focus"}
    parts = [str(part).strip() for part in (given.get("role"), given.get("focus")) if part]
    return named | {"role": ", ".join(parts)}


def experts(given: Sequence[str]) -> list[Any]:
    """Experts from the command line: names in one option are separated by commas, the last may have a description."""
    return [expert(one.strip()) for text in given for one in _told_apart(text) if one.strip()]


def _told_apart(text: str) -> list[str]:
    """`A, B: role, focus` as `A` and `B: role, focus`."""
    named = re.split("[:：]", text, maxsplit=1)[0]
    *others, last = re.split("[,，]", named)
    return [*others, last + text[len(named) :]]
