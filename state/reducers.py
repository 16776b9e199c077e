"""Reducers: functions that fold the writes of steps into channels, one by one or in batches.

They convert plain dicts from clients into the types of the state.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import TypeAdapter

from .settings import Settings, parse_settings

T = TypeVar("T")


def make_append_reducer(item_type: type[T]) -> Callable[[list[T], Sequence[list[T]]], list[T]]:
    """Make a reducer that appends the items of all writes, and parses plain dicts as `item_type`."""
    adapter = TypeAdapter(list[item_type])  # type: ignore[valid-type]

    def append_items(current: list[T], writes: Sequence[list[T]]) -> list[T]:
        items = [item for write in writes for item in write]
        is_typed = all(isinstance(item, item_type) for item in items)
        return [*current, *(items if is_typed else adapter.validate_python(items))]

    return append_items


def make_merge_reducer(value_type: type[T]) -> Callable[[dict[str, T], Sequence[dict[str, T]]], dict[str, T]]:
    """Make a reducer that merges mappings by key. The last write of a key counts."""
    adapter = TypeAdapter(dict[str, value_type])  # type: ignore[valid-type]

    def merge_items(current: dict[str, T], writes: Sequence[dict[str, T]]) -> dict[str, T]:
        merged_items = dict(current)
        for write in writes:
            merged_items.update(adapter.validate_python(write))
        return merged_items

    return merge_items


def keep_latest(current: T, writes: Sequence[T]) -> T:
    """Return the last write, or the current value without a write."""
    return writes[-1] if writes else current


def make_latest_reducer(value_type: type[T]) -> Callable[[T, Sequence[Any]], T]:
    """Make a reducer that keeps the last write and turns a client's plain dicts into `value_type`."""
    adapter = TypeAdapter(value_type)

    def validate_latest(current: T, writes: Sequence[Any]) -> T:
        return adapter.validate_python(keep_latest(current, writes))

    return validate_latest


def keep_latest_settings(current: Settings, writes: Sequence[object]) -> Settings:
    """Return the last write or, without one, the current settings, in the protocol's settings class."""
    return parse_settings(keep_latest(current, writes))
