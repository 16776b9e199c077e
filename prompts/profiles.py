"""Persona profiles as data: who argues, with which public role and which private persona."""

from typing import NamedTuple, cast

from .catalogue import table


class Persona(NamedTuple):
    """A seat of a profile: what everyone is told (`role`), what only its holder is told (`text`)."""

    seat: str
    role: str
    text: str


def profiles(protocol: str, language: str = "en") -> dict[str, list[Persona]]:
    """The persona profiles of a protocol, by name, each with its seats in order; `{}` where it has none."""
    named = cast(dict[str, dict[str, dict[str, str]]], table("personas", language).get(protocol, {}))
    return {
        name: [Persona(seat, words["role"], words["persona"]) for seat, words in seats.items()]
        for name, seats in named.items()
    }
