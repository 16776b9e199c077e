"""Plugins chosen by a run: loaded at first use, and checked before any call."""

from functools import cache
from typing import Any

from ..channel_requirements import Requirement, StateFunction, check_requirements, get_requirements, mark_reads
from ..settings import Settings, check_packages, get_plugin_settings
from .names import PluginName


def load_chosen(settings: Settings, setting: str) -> StateFunction[Any] | None:
    """Load the function that a setting of the run names; `None` for a name of Moot's own, or off."""
    mark, name = get_plugin_settings(type(settings))[setting], getattr(settings, setting)
    return None if name in mark.builtin_names else _load_function(setting, mark, name)


@cache
def _load_function(setting: str, mark: PluginName, name: str) -> StateFunction[Any]:
    function = mark.load_named(setting, name)
    return function if isinstance(function, StateFunction) else mark_reads(function)


def list_chosen_requirements(requirements: list[Requirement], settings: Settings) -> list[Requirement]:
    """Return the further requirements of the functions that the settings name in `requirements`."""
    functions = [load_chosen(settings, requirement.setting) for requirement in requirements if requirement.setting]
    return [requirement for function in functions if function for requirement in function.requirements]


def check_chosen(settings: Settings, state: type, context: type | None) -> None:
    """Check that the plugins of a run are installed and loadable, and that the graph carries their requirements.

    Raises `InputError`.
    """
    check_packages(settings)
    for setting in settings.packages.keys() & get_plugin_settings(type(settings)).keys():
        plugin = get_plugin_settings(type(settings))[setting].load_named(setting, getattr(settings, setting))
        if callable(plugin):
            check_requirements(get_requirements(plugin), state, context)
