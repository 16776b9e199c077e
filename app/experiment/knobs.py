"""The knobs in which runs differ, so that two treatments never look alike."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

LEFT_OUT = ("rules.seed", "rules.place", "rules.protocol", "rules.schema_version")


def differing(documents: Sequence[Mapping[str, Any]]) -> dict[str, list[object]]:
    """By path, each run's value of every knob that is not the same in all; participants by name."""
    flat = [dict(_flat("", {"rules": one["rules"], "participants": _by_name(one)})) for one in documents]
    paths = dict.fromkeys(path for one in flat for path in one if path not in LEFT_OUT)
    found = {path: [one.get(path) for one in flat] for path in paths}
    return {path: values for path, values in found.items() if len({repr(one) for one in values}) > 1}


def _by_name(document: Mapping[str, Any]) -> dict[str, Any]:
    return {one["name"]: one for one in document["participants"]}


def _flat(path: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, one in value.items():
            yield from _flat(f"{path}.{key}" if path else str(key), one)
    elif isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
        yield from _flat(path, {str(place): one for place, one in enumerate(value, 1)})
    else:
        yield path, value if not isinstance(value, list) else "; ".join(map(str, value))
