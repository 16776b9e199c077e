"""Experts named in options and calls, by name only or with a role and a focus."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ....state import Participant


def parse_expert(value: Any) -> Any:
    """Parse a participant from a name, "Name: role", or a mapping. Return other values unchanged."""
    if isinstance(value, str):
        name, *role_parts = re.split("[:：]", value, maxsplit=1)
        return {"name": name.strip(), "role": "".join(role_parts).strip()}
    if isinstance(value, Participant) or not isinstance(value, Mapping):
        return value
    entry = {key: value for key, value in value.items() if key != "focus"}
    descriptions = [str(part).strip() for part in (value.get("role"), value.get("focus")) if part]
    return entry | {"role": ", ".join(descriptions)}


def parse_expert_options(texts: Sequence[str]) -> list[Any]:
    """Parse experts from the options of the command line.

    Commas separate the names in one option. Only the last name may have a description: `A, B: role, focus`.
    """
    experts = []
    for text in texts:
        names = re.split("[:：]", text, maxsplit=1)[0]
        *other_names, last_name = re.split("[,，]", names)
        entries = [*other_names, last_name + text[len(names) :]]
        experts += [parse_expert(entry.strip()) for entry in entries if entry.strip()]
    return experts
