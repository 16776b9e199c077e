"""What a protocol does in its own way in the application; one without hooks does everything as any protocol does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

from ..state.rules import Rules, TalkRules
from .protocols import protocol
from .saved import Saved

Document = Mapping[str, Any]


def capped(rules: Rules, seats: int) -> int | None:
    """The most turns a talk among `seats` participants can take; none where there is no cap."""
    if not isinstance(rules, TalkRules):
        return None
    caps = [rules.turn_cap(seats), rules.max_rounds * seats if rules.max_rounds and seats else None]
    return min((cap for cap in caps if cap), default=None)


@dataclass(frozen=True)
class Hooks:
    """One protocol's hooks; what is not given is as for any protocol.

    `keys`: from a saved run and its envelope, the protocol's own keys of the document. `answer`: from a document, its
    conclusion and discussion as one text that stands in for the transcript; with the second argument false, in short.
    `closing`: from a document, lines shown after the headline. `private`: from a document, by name, what no other
    participant was shown: what it is, and the text. `stands`: from an unfinished run's, where it stands.
    `turns`: from the rules and the number of seats, the most turns there can be. `rules`: from settings and
    what is said beside them, which comes first, the rules, where settings have a spelling of their own. `callbacks`:
    from the rules, the run's name and its database, what listens to its calls. `sections`: by anchor and heading, what
    makes the blocks of its own sections from a report's page. `tables`: by name, what the columns of its own tables
    mean, the run apart, and from a document their rows.
    """

    keys: Callable[[Saved, Document], Mapping[str, Any]] | None = None
    answer: Callable[[Document, bool], str] | None = None
    closing: Callable[[Document], list[str]] = lambda _: []
    private: Callable[[Document], Mapping[str, Sequence[tuple[str, str]]]] = lambda _: {}
    stands: Callable[[Document], list[str]] = lambda _: []
    turns: Callable[[Rules, int], int | None] = capped
    rules: Callable[[Mapping[str, Any], Mapping[str, Any]], Rules] | None = None
    callbacks: Callable[[Rules, str, str], Sequence[BaseCallbackHandler]] = lambda *_: ()
    sections: Mapping[str, Sequence[Callable[[Any], Sequence[Any]]]] = field(default_factory=dict)
    tables: Mapping[str, tuple[Mapping[str, str], Callable[[Document], list[dict[str, Any]]]]] = field(
        default_factory=dict
    )


def hooks_of(name: str) -> Hooks:
    """The hooks of the protocol of this name."""
    place = protocol(name).hooks_in
    found: Hooks = import_module(f".{place}", __package__).HOOKS if place else Hooks()
    return found
