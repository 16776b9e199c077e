"""The protocols an application can run: one line each."""

from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from ..state.refused import Refused
from .face import Face


class Protocol(NamedTuple):
    """A protocol: its graph's module in `graphs`, the input that says what it is about, the module of its face."""

    name: str
    about: str = "topic"
    face_in: str = ""

    @property
    def module(self) -> ModuleType:
        """The module of its graph: `build()` and the compiled `graph`."""
        return import_module(f"..graphs.{self.name}", __package__)

    @property
    def face(self) -> Face:
        """What it shows of itself."""
        return import_module(f".{self.face_in}", __package__).FACE if self.face_in else Face()

    def build(self) -> Any:
        """Its drawing, not yet compiled; the rules class is `context_schema`, the input's `input_schema`."""
        return self.module.build()


PROTOCOLS = {
    one.name: one
    for one in [
        Protocol("debate"),
        Protocol("consensus"),
        Protocol("discussion", face_in="session.face"),
        Protocol("panel", "query", "panel.face"),
        Protocol("justice", "experiment_id", "justice.face"),
    ]
}

ALIASES = {"discuss": "discussion"}
"""Other names a protocol is understood by."""


def protocol(name: str) -> Protocol:
    """The protocol of this name; raises `Refused` with the names there are."""
    found = PROTOCOLS.get(ALIASES.get(name, name))
    if found is None:
        raise Refused("protocol", name, f"choose one of {', '.join(PROTOCOLS)}")
    return found
