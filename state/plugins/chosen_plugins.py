"""Plugins that a run chooses: load them at first use, and check them before any call."""

from functools import cache
from typing import Any

from ..channel_requirements import Requirement, StateFunction, check_requirements, get_requirements, mark_reads
from ..settings import Settings, check_packages, get_plugin_settings
from .plugin_names import PluginName


def load_chosen_plugin(settings: Settings, setting: str) -> StateFunction[Any] | None:
    """Load the plugin that the run's value of `setting` names.

    Return `None` if the value names a part of Moot.
    """
    plugin_name, name = get_plugin_settings(type(settings))[setting], getattr(settings, setting)
    return None if name in plugin_name.builtin_names else _load_function(setting, plugin_name, name)


@cache
def _load_function(setting: str, plugin_name: PluginName, name: str) -> StateFunction[Any]:
    function = plugin_name.load_typed_plugin(setting, name)
    return function if isinstance(function, StateFunction) else mark_reads(function)


def list_chosen_requirements(requirements: list[Requirement], settings: Settings) -> list[Requirement]:
    """Return the requirements of the plugins that the settings in `requirements` choose."""
    functions = [
        load_chosen_plugin(settings, requirement.setting) for requirement in requirements if requirement.setting
    ]
    return [requirement for function in functions if function for requirement in function.requirements]


def check_chosen_plugins(settings: Settings, state: type, context: type | None) -> None:
    """Check that the run's plugins are installed and loadable, and that the graph suits them.

    `state`: class with all channels of the graph. `context`: class of its settings. Raises `InputError`.
    """
    check_packages(settings)
    for setting in settings.packages.keys() & get_plugin_settings(type(settings)).keys():
        plugin = get_plugin_settings(type(settings))[setting].load_typed_plugin(setting, getattr(settings, setting))
        if callable(plugin):
            check_requirements(get_requirements(plugin), state, context)
