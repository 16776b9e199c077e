"""The list of protocols, one line each. Commands, estimates, saved runs, `langgraph.json` and the README follow it.

Beside Moot's own there are those that installed packages bring.

It is read for every `moot --help`, and so imports nothing that takes long to load.
"""

from importlib import import_module
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any, NamedTuple

from ..state.installed.packages import PROTOCOLS as BROUGHT
from ..state.installed.packages import brought, package_of


class Protocol(NamedTuple):
    """A protocol, by the name of its graph's module in `graphs`.

    `line`: what the help says of it. `about`: the input that says what is deliberated; empty: it has none. `hooks_in`:
    the module of its `HOOKS` in `app`; empty: it is shown as any protocol is. `called`: its command, where that has
    another name than the protocol. `package`: what brings it; empty: Moot itself.
    """

    name: str
    line: str
    about: str = "topic"
    hooks_in: str = ""
    called: str = ""
    package: str = ""

    @property
    def command(self) -> str:
        """The name of the command that begins it."""
        return self.called or self.name

    @property
    def module(self) -> ModuleType:
        """The module of its graph, with `build()`, the compiled `graph` and `WORDS`."""
        if not self.package:
            return import_module(f"..graphs.{self.name}", __package__)
        from ..state.installed.named import loaded_module

        return loaded_module("protocol", BROUGHT, self.name, ["build", "graph", "WORDS"])

    @property
    def drawing(self) -> Any:
        """Its graph as it was built once; the rules class is `context_schema`, the input's `input_schema`."""
        return self.module.graph.builder

    def build(self) -> Any:
        """Its graph, built anew and not yet compiled."""
        return self.module.build()


PROTOCOLS = {
    one.name: one
    for one in [
        Protocol("debate", "Two speakers, for and against, until one concedes or they are stuck."),
        Protocol("consensus", "Three or more look for common ground; dissent is kept."),
        Protocol(
            "discussion",
            "People, programs and models speak strictly in turn, until one closes it.",
            hooks_in="session.hooks",
            called="discuss",
        ),
        Protocol("panel", "Experts discuss research papers and reach one conclusion.", "query", "panel.hooks"),
        Protocol("council", "Members answer blind and rank each other's answers; a chairman writes the final one."),
        Protocol("jury", "Jurors vote in secret and discuss until a verdict or a deadlock.", hooks_in="jury.hooks"),
        Protocol("delphi", "Experts estimate blind and revise, told the group's figures.", hooks_in="delphi.hooks"),
        Protocol("justice", "Principles of justice, chosen alone and in a group, for pay.", "", "justice.hooks"),
    ]
}

HIDDEN = {one.name: one for one in [Protocol("independent", "Answers given alone, which a talk is compared with.")]}
"""Protocols that no command begins: runs of an experiment."""


def every_protocol() -> dict[str, Protocol]:
    """Moot's own protocols and those that packages bring, by name; nothing of a package is imported."""
    others = {name: _of_package(entries[0]) for name, entries in brought(BROUGHT).items() if name not in PROTOCOLS}
    return PROTOCOLS | others


def _of_package(entry: EntryPoint) -> Protocol:
    """The protocol that an entry point declares; the summary of its package is its line."""
    package = package_of(entry)
    summary = entry.dist.metadata.json.get("summary") if entry.dist else None
    return Protocol(entry.name, str(summary or f"Of the package {package}."), package=package)
