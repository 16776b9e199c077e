"""Experts named in options and calls: by name alone, or with a role and a focus."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ....state.statement import Participant


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

    Commas separate the names in one option. Only the last name may have a description.
    """
    return [
        parse_expert(expert_text.strip())
        for text in texts
        for expert_text in _split_experts(text)
        if expert_text.strip()
    ]


def _split_experts(text: str) -> list[str]:
    """Split `A, B: role, focus` into `A` and `B: role, focus`."""
    names = re.split("[:：]", text, maxsplit=1)[0]
    *other_names, last_name = re.split("[,，]", names)
    return [*other_names, last_name + text[len(names) :]]
