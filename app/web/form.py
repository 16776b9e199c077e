"""The form of a protocol, made from its schemas: what is asked, what may be given, what happens if nothing is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

import yaml

from ...nodes.models.operator_limits import BY_PLACE
from ...prompts import base_language, profiles
from ...state.refused import Refused
from ...state.rules import Rules
from ..config import PlainLoader
from ..knobs import Knob, knobs_of
from ..protocols import Protocol

HIDDEN = re.compile(
    r"packages|place|prices\..*|record|replay|stop_file|stop_insist|templates|library|sources|logging\..*|participants|personas"
)
"""Knobs that no page offers: files of this machine, what is filled in, and what has a place of its own."""

FIRST = ("max_turns", "max_rounds", "discussion.max_rounds", "model", "language", "profile", "vote", "stopping", "seed")
"""Knobs that stand above the fold, where a protocol has them."""

SEATS = 5
"""Rows for participants; whoever needs more adds them."""

LONGEST_SLIDER = 100
SEAT_KEYS = ("name", "model", "persona", "kind")


@dataclass(frozen=True)
class Ask:
    """One field. `how`: slider, number, choice, text or yaml; `default`: in words, empty where that is nothing."""

    name: str
    how: str
    default: str
    meaning: str
    bounds: str = ""
    choices: tuple[str, ...] = ()
    least: str = ""
    most: str = ""
    step: str = ""


@dataclass(frozen=True)
class Form:
    """The fields of a protocol's form. `about`: what it calls its topic; empty: it has none."""

    about: str
    material: bool
    first: list[Ask]
    more: list[Ask]
    persona: str

    @property
    def asks(self) -> list[Ask]:
        """Every knob that can be given."""
        return [*self.first, *self.more]


def form_of(protocol: Protocol) -> Form:
    """The form of a protocol."""
    graph = protocol.drawing
    rules: type[Rules] = graph.context_schema
    asks = {one.name: ask_of(one) for one in knobs_of(rules) if not HIDDEN.fullmatch(one.name)}
    first = [asks.pop(name) for name in FIRST if name in asks]
    inputs = get_type_hints(graph.input_schema)
    persona = "persona" if "participants" in inputs else "personality"
    return Form(protocol.about, "material" in inputs, first, list(asks.values()), persona)


def ask_of(knob: Knob) -> Ask:
    """The field of a knob."""
    kind = knob.type.removesuffix(" or none")
    default = "" if knob.default in (None, "", [], {}) else _written(knob.default)
    if kind.startswith(("list", "mapping")) or kind.endswith("mapping"):
        return Ask(knob.name, "yaml", default, knob.meaning, knob.bounds)
    if " | " in kind:
        offered = tuple(one for one in kind.split(" | ") if one != BY_PLACE.get(knob.name))
        return Ask(knob.name, "choice", default, knob.meaning, choices=offered)
    if kind not in ("integer", "number"):
        return Ask(knob.name, "text", default, knob.meaning, knob.bounds)
    least, most = _ends(knob.bounds)
    slides = kind == "integer" and default and least and most and int(most) <= LONGEST_SLIDER
    step = "1" if kind == "integer" else "any"
    how = "slider" if slides and knob.name.endswith(("max_turns", "max_rounds")) else "number"
    return Ask(knob.name, how, default, knob.meaning, knob.bounds, (), least, most, step)


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return yaml.safe_dump(value, allow_unicode=True, default_flow_style=True, width=10_000).strip()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _ends(bounds: str) -> tuple[str, str]:
    """The least and the most of bounds such as `1–1,000`; what is open, or not a plain number, is left to the rules."""
    found = re.fullmatch(r"([\d,.]+)–([\d,.]+)", bounds)
    return (found[1].replace(",", ""), found[2].replace(",", "")) if found else ("", "")


def settings_of(form: Form, given: Mapping[str, str]) -> dict[str, Any]:
    """The settings that were filled in, by dotted name. Raises `Refused` for what is not plain YAML."""
    found: dict[str, Any] = {}
    for ask in form.asks:
        said = given.get(ask.name, "").strip()
        if said and (said != ask.default or ask.how != "slider"):
            found[ask.name] = said if ask.how == "text" else _value(ask.name, said)
    if form.about and (topic := given.get(form.about, "").strip()):
        found[form.about] = topic
    if seats := seats_of(form, given):
        found["participants"] = seats
    return found


def seats_of(form: Form, given: Mapping[str, str]) -> list[dict[str, str]]:
    """The participants that have a name. Raises `Refused` for a seat that was filled in without one."""
    places = places_of(given)
    seats = [{key: given.get(f"seat.{place}.{key}", "").strip() for key in SEAT_KEYS} for place in places]
    for place, one in zip(places, seats, strict=True):
        if not one["name"] and (one["model"] or one["persona"] or one["kind"] == "person"):
            raise Refused(f"seat.{place}.name", "", "give a name to whoever sits here")
    named = {"persona": form.persona}
    return [{named.get(key, key): value for key, value in one.items() if value} for one in seats if one["name"]]


def places_of(given: Mapping[str, str]) -> list[int]:
    """The rows for participants that a form was sent with, by their numbers."""
    found = [re.fullmatch(r"seat\.([1-9][0-9]{0,2})\.name", key) for key in given]
    return sorted(int(one[1]) for one in found if one)


def _value(name: str, said: str) -> Any:
    try:
        return yaml.load(said, PlainLoader)
    except (yaml.YAMLError, RecursionError):
        raise Refused(name, said, "not plain YAML; write it as the default is written") from None


def personas(protocol: str, language: str) -> list[str]:
    """The personas of a protocol's profiles, as choices beside words of one's own."""
    return [one.text for seats in profiles(protocol, base_language(language)).values() for one in seats]
