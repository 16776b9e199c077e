"""The list of protocols, one line each. Commands, estimates, saved runs, `langgraph.json` and the README follow it.

It is read for every `moot --help`, and so imports nothing that takes long to load.
"""

from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple


class Protocol(NamedTuple):
    """A protocol, by the name of its graph's module in `graphs`.

    `line`: what the help says of it. `about`: the input that says what is deliberated; empty: it has none. `hooks_in`:
    the module of its `HOOKS` in `app`; empty: it is shown as any protocol is. `called`: its command, where that has
    another name than the protocol.
    """

    name: str
    line: str
    about: str = "topic"
    hooks_in: str = ""
    called: str = ""

    @property
    def command(self) -> str:
        """The name of the command that begins it."""
        return self.called or self.name

    @property
    def module(self) -> ModuleType:
        """The module of its graph: `build()` and the compiled `graph`."""
        return import_module(f"..graphs.{self.name}", __package__)

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
        Protocol("justice", "Principles of justice, chosen alone and in a group, for pay.", "", "justice.hooks"),
    ]
}
