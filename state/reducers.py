"""Reducers: fold the writes of steps into channels, in any batches. Plain dicts become the types of the state."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import TypeAdapter

from .settings import Settings, parse_settings

T = TypeVar("T")


def make_append_reducer(kind: type[T]) -> Callable[[list[T], Sequence[list[T]]], list[T]]:
    """Make a reducer that appends the items of all writes and turns a client's plain dicts into `kind`."""
    adapter = TypeAdapter(list[kind])  # type: ignore[valid-type]

    def append_items(current: list[T], writes: Sequence[list[T]]) -> list[T]:
        items = [item for write in writes for item in write]
        is_typed = all(isinstance(item, kind) for item in items)
        return [*current, *(items if is_typed else adapter.validate_python(items))]

    return append_items


def make_merge_reducer(kind: type[T]) -> Callable[[dict[str, T], Sequence[dict[str, T]]], dict[str, T]]:
    """Make a reducer that merges by key, with the last write of each.

    It turns a client's plain dicts into `kind`.
    """
    adapter = TypeAdapter(dict[str, kind])  # type: ignore[valid-type]

    def merge_items(current: dict[str, T], writes: Sequence[dict[str, T]]) -> dict[str, T]:
        merged = dict(current)
        for write in writes:
            merged.update(adapter.validate_python(write))
        return merged

    return merge_items


def keep_latest(current: T, writes: Sequence[T]) -> T:
    """Keep the last write."""
    return writes[-1] if writes else current


def make_latest_reducer(kind: type[T]) -> Callable[[T, Sequence[Any]], T]:
    """Make a reducer that keeps the last write and turns a client's plain dicts into `kind`."""
    adapter = TypeAdapter(kind)

    def keep_last(current: T, writes: Sequence[Any]) -> T:
        return adapter.validate_python(keep_latest(current, writes))

    return keep_last


def keep_latest_settings(current: Settings, writes: Sequence[object]) -> Settings:
    """Keep the last write, as the settings of its protocol."""
    return parse_settings(keep_latest(current, writes))
