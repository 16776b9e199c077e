"""Protocols by name, Moot's own and those of installed packages.

Commands, estimates, saved runs, `langgraph.json` and the README use this list. Every `moot --help` imports this module,
so it imports only modules that load fast.
"""

from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from ...state import InputError
from ...state.plugins import PROTOCOL_GROUP, check_installed, get_entry_point, get_package_name, map_entry_points
from ...state.plugins.plugin_names import load_plugin_module


class ProtocolEntry(NamedTuple):
    """Protocol in the list of all protocols.

    `name`: also the name of its module in `graphs` or, if a package provides it, of its entry point. `line`: summary
    line in the help. `topic_key`: input key of the topic; empty without a topic. `hooks_module`: module in `app` with
    its `HOOKS`; empty for the defaults. `package`: package that provides the protocol; empty for Moot itself.
    """

    name: str
    line: str
    topic_key: str = "topic"
    hooks_module: str = ""
    package: str = ""

    @property
    def module(self) -> ModuleType:
        """Return the module of the protocol's graph, with `build()`, the compiled `graph` and `TEMPLATES`."""
        if not self.package:
            return import_module(f"...graphs.{self.name}", __package__)
        return load_plugin_module("protocol", PROTOCOL_GROUP, self.name, ["build", "graph", "TEMPLATES"])

    @property
    def graph(self) -> Any:
        """Return the graph of the protocol, built once and not compiled. Do not change it.

        Its `context_schema` is the settings class, its `input_schema` the type of the input.
        """
        return self.module.graph.builder

    def build_graph(self) -> Any:
        """Build a new graph of the protocol, which the caller may change and compile."""
        return self.module.build()


PROTOCOLS = {
    protocol.name: protocol
    for protocol in [
        ProtocolEntry(
            "debate",
            "Debate a motion until one side concedes or both are stuck.",
            hooks_module="protocols.debate",
        ),
        ProtocolEntry(
            "consensus",
            "Look for common ground among three or more; keep the dissent.",
            hooks_module="protocols.consensus",
        ),
        ProtocolEntry(
            "discussion",
            "Hold a session in which people, programs and models take turns.",
            hooks_module="protocols.discussion",
        ),
        ProtocolEntry("panel", "Let experts read papers and answer a question.", "query", "protocols.panel.hooks"),
        ProtocolEntry(
            "council",
            "Answer separately, rank the answers, write a final one.",
            hooks_module="protocols.council",
        ),
        ProtocolEntry(
            "jury",
            "Discuss and vote in secret until a verdict or a deadlock.",
            hooks_module="protocols.jury",
        ),
        ProtocolEntry(
            "delphi",
            "Estimate a number in rounds, each round with the group’s figures.",
            hooks_module="protocols.delphi",
        ),
        ProtocolEntry(
            "justice",
            "Run the Frohlich–Oppenheimer justice experiment.",
            "",
            "protocols.justice.hooks",
        ),
    ]
}

HIDDEN_PROTOCOLS = {
    protocol.name: protocol
    for protocol in [ProtocolEntry("independent", "Answers given alone, to compare a deliberation with.")]
}
"""Protocols without a command, for the runs of an experiment."""


def map_protocols() -> dict[str, ProtocolEntry]:
    """Return Moot's protocols and those of packages, by name, without importing any package.

    The summary of a package is used as the summary line of its protocol.
    """
    protocols = dict(PROTOCOLS)
    for name, (entry, *_) in map_entry_points(PROTOCOL_GROUP).items():
        if name not in PROTOCOLS:
            package, metadata = get_package_name(entry), entry.dist.metadata.json if entry.dist else {}
            protocols[name] = ProtocolEntry(
                entry.name, str(metadata.get("summary") or f"Of the package {package}."), package=package
            )
    return protocols


def get_protocol(name: str, package: str = "") -> ProtocolEntry:
    """Return the protocol with this name.

    `package`: package that provided the protocol when the run started. Raises `InputError`, with the known names, for
    an unknown or ambiguous name and for a missing package.
    """
    if name in map_entry_points(PROTOCOL_GROUP):
        check_protocol_name(name, name in PROTOCOLS)
    elif package:
        check_installed("protocol", PROTOCOL_GROUP, name, package)
    for entry in [*map_protocols().values(), *HIDDEN_PROTOCOLS.values()]:
        if name == entry.name:
            return entry
    raise InputError("protocol", name, f"choose one of {', '.join(map_protocols())}")


def check_protocol_name(name: str, is_taken: bool = True) -> None:
    """Check that only one package, or Moot alone, provides a protocol with this name.

    `is_taken`: whether Moot has a protocol or command with this name. Raises `InputError`.
    """
    get_entry_point("protocol", PROTOCOL_GROUP, name, is_taken)
