"""What is chosen by name: Moot's own, or what a package brings, which is imported when it is chosen, never before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from ..refused import Refused
from .packages import brought, package_of


def the_one(key: str, group: str, name: str, taken: bool) -> EntryPoint:
    """What bears a name that is brought. Raises `Refused` where two bear it, `taken` being Moot's own."""
    packages = [*(["Moot itself"] if taken else []), *map(package_of, entries := brought(group)[name])]
    if len(packages) > 1:
        remedy = f"brought by {' and '.join(packages)}; uninstall {packages[-1]}, or have it renamed there"
        raise Refused(key, name, remedy)
    return entries[0]


@cache
def loaded(key: str, group: str, name: str) -> Any:
    """What a package brings under a name; `key` is the setting it is chosen by.

    Raises `Refused` where the package cannot be imported, or does not hold what it declares.
    """
    entry = the_one(key, group, name, taken=False)
    try:
        return entry.load()
    except (ImportError, AttributeError) as fault:
        remedy = f"the package {package_of(entry)} declares it as {entry.value}, which cannot be imported: {fault}"
        raise Refused(key, name, remedy) from None


def loaded_module(key: str, group: str, name: str, parts: Sequence[str]) -> ModuleType:
    """The module that a package brings under a name. Raises `Refused` if it is none, or lacks one of its `parts`."""
    found = loaded(key, group, name)
    if lacking := [part for part in parts if not hasattr(found, part)]:
        remedy = f"the package {package_of(brought(group)[name][0])} brings a module without {lacking[0]}"
        raise Refused(key, name, remedy)
    assert isinstance(found, ModuleType)
    return found


def refuse_missing(key: str, group: str, name: str, package: str) -> None:
    """Raise `Refused` where the package that brought a name when it was chosen is not here any more."""
    if name not in brought(group):
        remedy = f"the package {package} brings it and is not installed here; install it, and go on"
        raise Refused(key, name, remedy)


@dataclass(frozen=True)
class Named:
    """Marks a knob whose value is a name: one of Moot's own, or one that a package brings in `group`."""

    group: str
    own: tuple[str, ...]
    kind: Any = Callable
    """What a package has to bring: a function, or something of this type."""

    @property
    def names(self) -> list[str]:
        """Every name there is."""
        return list(dict.fromkeys([*self.own, *brought(self.group)]))

    def load(self, key: str, name: str) -> Any:
        """What a package brings under this name. Raises `Refused` if it cannot be used."""
        found = loaded(key, self.group, name)
        if not isinstance(found, self.kind):
            package = package_of(brought(self.group)[name][0])
            remedy = f"the package {package} brings a {type(found).__name__} where a {self.kind.__name__} is needed"
            raise Refused(key, name, remedy)
        return found

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self._known, handler(source))

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "enum": self.names}

    def _known(self, name: str, info: ValidationInfo) -> str:
        """The name, if it is known, or is on record with the package that brought it."""
        if name in brought(self.group):
            try:
                the_one(str(info.field_name), self.group, name, name in self.own)
            except Refused as shared:
                raise ValueError(shared.remedy) from None
        elif name not in self.own and info.field_name not in info.data.get("packages", {}):
            near = get_close_matches(name, self.names, n=1, cutoff=0.5)
            meant = f"did you mean {near[0]}? " if near else ""
            raise ValueError(f"{meant}There are {', '.join(self.names)}")
        return name
