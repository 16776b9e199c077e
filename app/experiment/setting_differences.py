"""Settings that differ between runs, so that two treatments never look alike."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

IGNORED_SETTINGS = ("settings.seed", "settings.place", "settings.protocol", "settings.schema_version")


def list_differing_settings(documents: Sequence[Mapping[str, Any]]) -> dict[str, list[object]]:
    """Return each run's values of the settings that differ, by path.

    The comparison includes the participants, matched by name.
    """
    flat_settings = [
        dict(
            _flatten_value("", {"settings": document["settings"], "participants": _key_participants_by_name(document)})
        )
        for document in documents
    ]
    paths = dict.fromkeys(path for settings in flat_settings for path in settings if path not in IGNORED_SETTINGS)
    values_by_path = {path: [settings.get(path) for settings in flat_settings] for path in paths}
    return {path: values for path, values in values_by_path.items() if len({repr(value) for value in values}) > 1}


def _key_participants_by_name(document: Mapping[str, Any]) -> dict[str, Any]:
    return {participant["name"]: participant for participant in document["participants"]}


def _flatten_value(path: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, entry in value.items():
            yield from _flatten_value(f"{path}.{key}" if path else str(key), entry)
    elif isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
        yield from _flatten_value(path, {str(index): entry for index, entry in enumerate(value, 1)})
    else:
        yield path, value if not isinstance(value, list) else "; ".join(map(str, value))
