"""Settings whose value is the name of a part of Moot or of a plugin.

Moot imports a package only if a setting chooses it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from ..errors import InputError
from .entry_points import get_package_name, map_entry_points


def get_entry_point(key: str, group: str, name: str, is_builtin: bool) -> EntryPoint:
    """Return the entry point `name` of `group`.

    `key`: the setting that chooses the plugin. `is_builtin`: whether a part of Moot also has the name. If so, or if two
    plugins share the name, raises `InputError`.
    """
    packages = [
        *(["Moot itself"] if is_builtin else []),
        *map(get_package_name, entries := map_entry_points(group)[name]),
    ]
    if len(packages) > 1:
        raise InputError(
            key, name, f"two packages have a plugin of this name: {' and '.join(packages)}; uninstall {packages[-1]}"
        )
    return entries[0]


@cache
def load_plugin(key: str, group: str, name: str) -> Any:
    """Load and return the plugin `name` of the entry point group `group`.

    `key`: the setting that chooses the plugin. Raises `InputError` if the import fails or two plugins share the name.
    """
    entry = get_entry_point(key, group, name, is_builtin=False)
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        remedy = (
            f"the package {get_package_name(entry)} names {entry.value} as this plugin, and its import fails: {error}"
        )
        raise InputError(key, name, remedy) from None


def load_plugin_module(key: str, group: str, name: str, parts: Sequence[str]) -> ModuleType:
    """Load and return a plugin that is a module.

    `parts`: names that the module must define. Raises `InputError` for a module without them, and for any other object.
    """
    module = load_plugin(key, group, name)
    if missing_parts := [part for part in parts if not hasattr(module, part)]:
        remedy = (
            f"the package {get_package_name(map_entry_points(group)[name][0])} has a module without {missing_parts[0]}"
        )
        raise InputError(key, name, remedy)
    assert isinstance(module, ModuleType)
    return module


def check_installed(key: str, group: str, name: str, package: str) -> None:
    """Check that the chosen plugin is still installed. Raises `InputError`, which names its `package`."""
    if name not in map_entry_points(group):
        raise InputError(
            key,
            name,
            f"the package {package} has this plugin and is not installed here; install the package, then resume",
        )


@dataclass(frozen=True)
class PluginName:
    """Annotation of a setting whose value names a part of Moot or a plugin from `group`."""

    group: str
    builtin_names: tuple[str, ...]
    kind: Any = Callable
    """Required class of a plugin; by default, any function or other callable object."""

    @property
    def names(self) -> list[str]:
        """Return all accepted names: Moot's own and those of plugins."""
        return list(dict.fromkeys([*self.builtin_names, *map_entry_points(self.group)]))

    def load_typed_plugin(self, key: str, name: str) -> Any:
        """Load and return the plugin with this name. Raises `InputError` if it has the wrong type.

        `key`: the setting that chooses the plugin.
        """
        plugin = load_plugin(key, self.group, name)
        if not isinstance(plugin, self.kind):
            package = get_package_name(map_entry_points(self.group)[name][0])
            raise InputError(
                key,
                name,
                (
                    f"the package {package} has a {type(plugin).__name__} as this plugin; it must be a "
                    f"{self.kind.__name__}"
                ),
            )
        return plugin

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self._check_name, handler(source))

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "enum": self.names}

    def _check_name(self, name: str, info: ValidationInfo) -> str:
        if name in map_entry_points(self.group):
            try:
                get_entry_point(str(info.field_name), self.group, name, name in self.builtin_names)
            except InputError as error:
                raise ValueError(error.remedy) from None
        elif name not in self.builtin_names and info.field_name not in info.data.get("packages", {}):
            matches = get_close_matches(name, self.names, n=1, cutoff=0.5)
            suggestion = f"did you mean {matches[0]}? " if matches else ""
            raise ValueError(f"{suggestion}Choose one of {', '.join(self.names)}")
        return name
