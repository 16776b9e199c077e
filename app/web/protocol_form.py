"""Web form of a protocol, made from its schemas: fields, bounds and defaults."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

import yaml

from ...models import FILE_CHOICES
from ...prompts import get_base_language, load_profiles
from ...state import MAX_FORM_SIZE, InputError, parse_yaml
from ..protocols.registry import ProtocolEntry
from ..schema_fields import SchemaField, list_settings

HIDDEN_SETTINGS = re.compile(
    r"packages|place|prices\..*|record|replay|calibration_file|allow_other_calibration|templates|library|sources|logging\..*|participants|personas"
)
"""Settings that the form leaves out: files of this machine, and settings with separate inputs."""

BASIC_SETTINGS = (
    "max_turns",
    "max_rounds",
    "discussion.max_rounds",
    "model",
    "language",
    "profile",
    "vote",
)
"""Settings that a form shows first, if its protocol has them."""

SEAT_ROWS = 3
"""Initial number of rows for participants, if the protocol suggests none. The user can add more."""


@dataclass(frozen=True)
class FormField:
    """Field of a web form.

    `widget`: slider, number, choice, text or yaml. `default`: the default as text; empty without a default.
    """

    name: str
    widget: str
    default: str
    meaning: str
    bounds: str = ""
    choices: tuple[str, ...] = ()
    minimum: str = ""
    maximum: str = ""
    step: str = ""


@dataclass(frozen=True)
class ProtocolForm:
    """Web form of a protocol.

    `topic_key`: the protocol's name for its topic; empty without a topic. `first`: basic settings. `more`: all other
    settings. `persona`: key of a participant's persona. `seats`: names of the seats, if the protocol names them.
    `rows`: initial number of rows for participants.
    """

    topic_key: str
    material: bool
    first: list[FormField]
    more: list[FormField]
    persona: str
    seats: tuple[str, ...] = ()
    rows: int = SEAT_ROWS

    @property
    def fields(self) -> list[FormField]:
        """Return all fields of the form."""
        return [*self.first, *self.more]


def build_protocol_form(protocol: ProtocolEntry) -> ProtocolForm:
    """Build the web form of a protocol."""
    graph = protocol.graph
    fields = {
        setting.name: build_form_field(setting)
        for setting in list_settings(graph.context_schema)
        if not HIDDEN_SETTINGS.fullmatch(setting.name)
    }
    counts = [int(fields[name].default) for name in ("juror_count", "expert_count") if name in fields]
    has_turns = "max_turns" in fields and fields["max_turns"].widget == "slider"
    basic_names = [name for name in BASIC_SETTINGS if name in fields and not (has_turns and name == "max_rounds")]
    basic_fields = [fields.pop(name) for name in basic_names]
    inputs = get_type_hints(graph.input_schema)
    seat_lists = {tuple(seat.seat.upper() for seat in seats) for seats in load_profiles(protocol.name).values()}
    seats = seat_lists.pop() if len(load_profiles(protocol.name)) > 1 and len(seat_lists) == 1 else ()
    return ProtocolForm(
        topic_key=protocol.topic_key,
        material="material" in inputs,
        first=basic_fields,
        more=list(fields.values()),
        persona="persona" if "participants" in inputs else "personality",
        seats=seats,
        rows=len(seats) or max([*counts, *map(len, seat_lists)], default=SEAT_ROWS),
    )


def build_form_field(setting: SchemaField) -> FormField:
    """Return the form field of a setting."""
    kind = setting.type.removesuffix(" or none")
    default = "" if setting.default in (None, "", [], {}) else _format_default(setting.default)
    if kind.startswith(("list", "mapping")) or kind.endswith("mapping"):
        return FormField(setting.name, "yaml", default, setting.meaning, setting.bounds)
    if " | " in kind:
        choices = tuple(choice for choice in kind.split(" | ") if choice != FILE_CHOICES.get(setting.name))
        return FormField(setting.name, "choice", default, setting.meaning, choices=choices)
    if kind not in ("integer", "number"):
        return FormField(setting.name, "text", default, setting.meaning, setting.bounds)
    minimum, maximum = "", ""
    if "maximum" in setting.schema and setting.schema.get("minimum", -1) >= 0:
        minimum, maximum = str(setting.schema["minimum"]), str(setting.schema["maximum"])
    has_slider = kind == "integer" and default and minimum and maximum and int(maximum) <= 100
    widget = "slider" if has_slider and setting.name.endswith(("max_turns", "max_rounds")) else "number"
    return FormField(
        setting.name,
        widget,
        default,
        setting.meaning,
        setting.bounds,
        minimum=minimum,
        maximum=maximum,
        step="1" if kind == "integer" else "any",
    )


def _format_default(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return yaml.safe_dump(value, allow_unicode=True, default_flow_style=True, width=10_000).strip()
    return f"{value:g}" if isinstance(value, float) else str(value)


def parse_form_values(form: ProtocolForm, values: Mapping[str, str], seat_noun: str = "") -> dict[str, Any]:
    """Return the settings in a submitted form, by dotted name.

    `values`: submitted texts by field. `seat_noun`: word for a seat without a name. Raises `InputError` for a value
    that is not plain YAML, and for a form that is too long.
    """
    settings: dict[str, Any] = {}
    size = sum(len(key) + len(text) for key, text in values.items() if key not in (form.topic_key, "material", "kept"))
    if size > MAX_FORM_SIZE:
        raise InputError("form", f"{size:,} characters", f"give at most {MAX_FORM_SIZE:,} besides topic and material")
    for field in form.fields:
        text = values.get(field.name, "").strip()
        if text and (text != field.default or field.widget != "slider"):
            settings[field.name] = text if field.widget == "text" else parse_yaml(text, field.name)
    if form.topic_key and (topic := values.get(form.topic_key, "").strip()):
        settings[form.topic_key] = topic
    if seats := parse_seat_rows(form, values, seat_noun):
        settings["participants"] = seats
    if synthesizer := values.get("synthesizer", "").strip():
        settings["models"] = {**(settings.get("models") or {}), "synthesizer": synthesizer}
    return settings


def parse_seat_rows(form: ProtocolForm, values: Mapping[str, str], seat_noun: str = "") -> list[dict[str, Any]]:
    """Return the participants in a submitted form, as dicts.

    Rows without any entry are left out, unless the protocol names the seats. A row without a name gets the seat's name,
    or `seat_noun` and its number. Raises `InputError` for a temperature that is no number.
    """
    seats = list[dict[str, Any]]()
    for row in list_seat_rows(values):
        keys = ("name", "model", "persona", "kind", "temperature")
        texts = {key: values.get(f"seat.{row}.{key}", "").strip() for key in keys}
        is_person = texts["kind"] == "person"
        if is_person:
            texts |= {"model": "", "temperature": ""}
        if not (is_person or any(texts[key] for key in keys if key != "kind")) and not form.seats:
            continue
        seat: dict[str, Any] = {form.persona if key == "persona" else key: text for key, text in texts.items() if text}
        seat["name"] = texts["name"] or (
            form.seats[row - 1] if row <= len(form.seats) else f"{seat_noun} {row}".strip()
        )
        if texts["temperature"]:
            try:
                seat["temperature"] = float(texts["temperature"])
            except ValueError:
                raise InputError(
                    f"seat.{row}.temperature", texts["temperature"], "write a number from 0 to 2"
                ) from None
        seats.append(seat)
    is_plain = [seat["name"] for seat in seats] == list(form.seats) and all(len(seat) <= 2 for seat in seats)
    return [] if is_plain and all(seat.get("kind", "model") == "model" for seat in seats) else seats


def list_seat_rows(values: Mapping[str, str]) -> list[int]:
    """Return the numbers of the participant rows in a submitted form, in order."""
    return sorted(int(match[1]) for key in values if (match := re.fullmatch(r"seat\.([1-9][0-9]{0,2})\.name", key)))


def list_personas(protocol: str, language: str) -> list[str]:
    """Return the personas of a protocol's profiles in a language, which the form suggests."""
    return [
        persona.text for seats in load_profiles(protocol, get_base_language(language)).values() for persona in seats
    ]
