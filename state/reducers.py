"""Reducers: how channels fold what steps write, in whatever batches; plain dicts become the state's own types."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import TypeAdapter

from .rules import Rules, revived

T = TypeVar("T")


def appending(kind: type[T]) -> Callable[[list[T], Sequence[list[T]]], list[T]]:
    """A reducer that gathers what nodes write, turning a client's plain dicts into `kind`."""
    adapter = TypeAdapter(list[kind])  # type: ignore[valid-type]

    def gather(current: list[T], writes: Sequence[list[T]]) -> list[T]:
        news = [item for write in writes for item in write]
        whole = all(isinstance(item, kind) for item in news)
        return [*current, *(news if whole else adapter.validate_python(news))]

    return gather


def merging(kind: type[T]) -> Callable[[dict[str, T], Sequence[dict[str, T]]], dict[str, T]]:
    """A reducer that merges key by key, the last write of each, turning a client's plain dicts into `kind`."""
    adapter = TypeAdapter(dict[str, kind])  # type: ignore[valid-type]

    def merge(current: dict[str, T], writes: Sequence[dict[str, T]]) -> dict[str, T]:
        merged = dict(current)
        for write in writes:
            merged.update(adapter.validate_python(write))
        return merged

    return merge


def latest(current: T, writes: Sequence[T]) -> T:
    """The last write."""
    return writes[-1] if writes else current


def latest_of(kind: type[T]) -> Callable[[T, Sequence[Any]], T]:
    """A reducer that keeps the last write, turning a client's plain dicts into `kind`."""
    adapter = TypeAdapter(kind)

    def last(current: T, writes: Sequence[Any]) -> T:
        return adapter.validate_python(latest(current, writes))

    return last


def latest_rules(current: Rules, writes: Sequence[object]) -> Rules:
    """The last write, as the rules of its protocol."""
    return revived(latest(current, writes))
