"""Hooks of a protocol, which replace the defaults of its display, its report and its settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

from ...state.settings import Settings, StoppingSettings
from ..saved import SavedRun
from .protocol import get_protocol

RunDocument = Mapping[str, Any]


def compute_turn_cap(settings: Settings, seat_count: int) -> int | None:
    """Compute the highest number of turns for this number of seats, or `None` without a cap."""
    if not isinstance(settings, StoppingSettings):
        return None
    caps = [
        settings.get_turn_cap(seat_count),
        settings.max_rounds * seat_count if settings.max_rounds and seat_count else None,
    ]
    return min((cap for cap in caps if cap), default=None)


@dataclass(frozen=True)
class Hooks:
    """Hooks of one protocol. Each has a default that fits any protocol."""

    keys: Callable[[SavedRun, RunDocument], Mapping[str, Any]] | None = None
    """Protocol's own document keys, from a saved run and its envelope."""
    answer: Callable[[RunDocument, bool], str] | None = None
    """Conclusion and discussion as one text that replaces the transcript, from a document.

    Second argument: in full, or shortened.
    """
    closing_lines: Callable[[RunDocument], list[str]] = lambda _: []
    """Lines after the headline, from a document."""
    private_texts: Callable[[RunDocument], Mapping[str, Sequence[tuple[str, str]]]] = lambda _: {}
    """Private texts of each participant, by name: pairs of label and text."""
    progress_lines: Callable[[RunDocument], list[str]] = lambda _: []
    """Lines about the progress of an unfinished run, from its document."""
    turn_cap: Callable[[Settings, int], int | None] = compute_turn_cap
    """Highest number of turns, from the settings and the number of seats; `None` without a cap."""
    settings_reader: Callable[[Mapping[str, Any], Mapping[str, Any]], Settings] | None = None
    """Reader of settings that have several spellings.

    Arguments: a file's values, and the values that override them.
    """
    callbacks: Callable[[Settings, str, str], Sequence[BaseCallbackHandler]] = lambda *_: ()
    """Callback handlers of a run, from its settings, its name and its database."""
    sections: Mapping[str, Sequence[Callable[[Any], Sequence[Any]]]] = field(default_factory=dict)
    """Builders of the protocol's report sections, by anchor. Each makes blocks from a report's page."""
    tables: Mapping[str, tuple[Mapping[str, str], Callable[[RunDocument], list[dict[str, Any]]]]] = field(
        default_factory=dict
    )
    """Protocol's own tables, by name: meanings of the columns, and a function from a document to the rows."""


def get_hooks(name: str) -> Hooks:
    """Return the hooks of the protocol of this name."""
    module_name = get_protocol(name).hooks_module
    hooks: Hooks = import_module(f"..{module_name}", __package__).HOOKS if module_name else Hooks()
    return hooks
