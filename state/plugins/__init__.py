"""Plugins from installed packages: protocols, stopping rules, turn orders and voting rules, by name."""

from .entry_points import (
    AGENT_GROUP,
    PROTOCOL_GROUP,
    STOPPING_RULE_GROUP,
    TOOL_GROUP,
    TURN_ORDER_GROUP,
    VOTING_RULE_GROUP,
    get_package_name,
    map_entry_points,
)
from .plugin_names import PluginName, check_installed, get_entry_point, load_plugin
