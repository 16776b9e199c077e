"""Rooms that hand on the names of their modules without loading them all."""

from collections.abc import Callable, Mapping
from importlib import import_module


def import_at_first_use(room: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Build the `__getattr__` of a room whose names are imported at first use.

    `modules`: the names of each module, with spaces between them.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def __getattr__(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(f".{module_of[name]}", room), name)

    return __getattr__
