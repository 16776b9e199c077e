"""Persona profiles, which give each seat a public role and a private persona."""

from typing import NamedTuple, cast

from .templates import load_table


class Persona(NamedTuple):
    """Persona for one seat of a profile: a public `role`, and the private persona in `text`."""

    seat: str
    role: str
    text: str


def load_profiles(protocol: str, language: str = "en") -> dict[str, list[Persona]]:
    """Load the persona profiles of a protocol, by name, each in seat order; `{}` without profiles."""
    profiles_by_name = cast(dict[str, dict[str, dict[str, str]]], load_table("personas", language).get(protocol, {}))
    return {
        name: [Persona(seat, texts["role"], texts["persona"]) for seat, texts in seats.items()]
        for name, seats in profiles_by_name.items()
    }
