"""What installed packages bring, by the entry points they declare: protocols, endings, orders and counting rules.

A package's names are read from its metadata, nothing of it is imported. The command line's help reads them, and so this
imports nothing that takes long to load.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

PROTOCOLS, ENDINGS, ORDERS, COUNTS = "moot.protocols", "moot.endings", "moot.orders", "moot.counts"
"""The groups of entry points."""


@cache
def brought(group: str) -> Mapping[str, list[EntryPoint]]:
    """What packages bring in a group, by name; of several packages with the same name, all."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in sorted(entry_points(group=group), key=package_of):
        found.setdefault(entry.name, []).append(entry)
    return found


def package_of(entry: EntryPoint) -> str:
    """The name under which the package of an entry point is installed."""
    return entry.dist.name if entry.dist else entry.module
