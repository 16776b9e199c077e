"""Entry points of installed packages: protocols, rules, turn orders, agents and tools.

The names come from package metadata, so no package is imported. The command line's help needs them, so this module
imports only fast modules.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

PROTOCOL_GROUP, STOPPING_RULE_GROUP, TURN_ORDER_GROUP, VOTING_RULE_GROUP, AGENT_GROUP, TOOL_GROUP = (
    "moot.protocols",
    "moot.endings",
    "moot.orders",
    "moot.counts",
    "moot.agents",
    "moot.tools",
)


@cache
def map_entry_points(group: str) -> Mapping[str, list[EntryPoint]]:
    """Return the entry points of a group, by name. Several packages may use the same name."""
    entries_by_name: dict[str, list[EntryPoint]] = {}
    for entry in sorted(entry_points(group=group), key=get_package_name):
        entries_by_name.setdefault(entry.name, []).append(entry)
    return entries_by_name


def get_package_name(entry: EntryPoint) -> str:
    """Return the name under which the package of an entry point is installed."""
    return entry.dist.name if entry.dist else entry.module
