"""Input that all sections of a report share: cleaned document, phrases and participants."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from markupsafe import Markup

from ...models import get_server_name, is_offline
from ...prompts import get_base_language, get_term
from ...state import MISSED_TURN
from ..display import get_label, strip_controls, translate_report_phrase
from ..protocols.hooks import Hooks, get_hooks
from .blocks import format_moment, render_moment
from .safe_markdown import ProseRenderer

COLOUR_COUNT = 8
"""Number of colours. The ninth participant has the first colour again, with hollow marks."""


@dataclass(frozen=True)
class PageSeat:
    """Participant as a report shows it.

    `kind`: the kind in words, or empty if all participants are models. `language_note`: the language in words, or empty
    if all participants share it. `colour`: number of the color, from 0. `side`: left, right or empty. `anchor`: target
    of links to the participant.
    """

    name: str
    kind: str
    is_person: bool
    role: str
    persona: str
    model: str
    language: str
    language_note: str
    colour: int
    side: str
    anchor: str


def format_colour_classes(index: int) -> str:
    """Return the CSS classes that give a participant its own color. `index`: its number, from 0."""
    return f"seat-{index % COLOUR_COUNT}" + (" again" if index // COLOUR_COUNT % 2 else "")


@dataclass(frozen=True)
class Page:
    """Document to show in a report, with its phrases, Markdown renderer and participants.

    `say`: function that returns a phrase of the report by its key, in the run's language.
    """

    document: Mapping[str, Any]
    say: Callable[..., str]
    renderer: ProseRenderer
    seats: Mapping[str, PageSeat]
    turns: frozenset[int] = field(default=frozenset())

    @property
    def language(self) -> str:
        """Return the BCP-47 tag of the run's language, which all statements have."""
        return str(self.document["language"])

    @property
    def interface_language(self) -> str:
        """Return the language of the page's phrases: the run's language if it has phrases, otherwise English."""
        base = get_base_language(self.language)
        return self.language if self.language.split("-")[0].lower() == base else base

    @property
    def comma(self) -> str:
        """Return the text between the items of a list, such as ", "."""
        return get_term(self.interface_language, "lists", "comma")

    @property
    def hooks(self) -> Hooks:
        """Return the hooks of the run's protocol."""
        return get_hooks(self.document["protocol"])

    def list_headings(self, section: str, keys: str) -> list[str]:
        """Return the phrases of several keys in a section. `keys` are separated by blanks."""
        return [self.say(f"{section}.{key}") for key in keys.split()]

    def join_sentences(self, *sentences: str) -> str:
        """Join sentences as the page's language requires. Leave out empty ones."""
        return get_term(self.interface_language, "headline", "between_sentences").join(filter(None, sentences))

    def get_label(self, section: str, key: str) -> str:
        """Return the phrase for the id `key` in a section, or the id if it has no phrase."""
        return get_label(self.language, section, key)

    def format_time(self, iso: str) -> str | Markup:
        """Return a time as text; without its date if it is on the run's first day.

        The page's head shows that day.
        """
        is_same_day = iso[:10] == self.document["startedAt"][:10]
        return format_moment(iso)[11:] if iso and is_same_day else render_moment(iso)

    def link_turn(self, number: int) -> str | Markup:
        """Return the number of a turn, linked to the turn on the page; empty for 0."""
        if number not in self.turns:
            return str(number or "")
        return Markup('<a href="#turn-{0}">{0}</a>').format(number)


def build_page(document: Mapping[str, Any]) -> Page:
    """Build the input of a report's sections from a run's document."""
    document = clean_value(document)
    say = partial(translate_report_phrase, document["language"])
    # turns with a statement, missed turns, and skipped turns
    turns = {turn["turnNumber"] for turn in document["turns"]}
    turns |= {incident["turn"] for incident in document["incidents"] if incident["consequence"] == MISSED_TURN} - {0}
    turns |= {event["turn"] for event in document.get("events") or [] if event["kind"] == "turn_passed"} - {0}
    targets = {str(turn): f"#turn-{turn}" for turn in turns}
    papers = enumerate(document.get("papers") or [], start=1)
    targets |= {f"@{paper['id']}": f"#paper-{number}" for number, paper in papers}
    return Page(document, say, ProseRenderer(targets), _build_seats(document, say), frozenset(turns))


def format_model(spec: str) -> str:
    """Return the name of a model, with the host and port of its server if the spec has an address."""
    name, _, address = (spec.partition(":")[2] or spec).partition("@http")
    return f"{name} ({get_server_name(spec)})" if address else name


def clean_value(value: Any) -> Any:
    """Return a value whose texts and keys have no escape sequences, controls and reordering marks."""
    if isinstance(value, str):
        return strip_controls(value)
    if isinstance(value, Mapping):
        return {clean_value(key): clean_value(item) for key, item in value.items()}
    return [clean_value(item) for item in value] if isinstance(value, list) else value


def _build_seats(document: Mapping[str, Any], say: Callable[..., str]) -> dict[str, PageSeat]:
    participants = document["participants"]
    has_mixed_kinds = any(participant["kind"] != "model" for participant in participants)
    languages = [participant["language"] or document["language"] for participant in participants]
    seats = {}
    for index, participant in enumerate(participants):
        name, role = participant["name"], participant["role"]
        # two participants without sides face each other; a group has no sides
        default_side = ("left", "right")[index] if len(participants) == 2 else ""
        note = say("opening.labelled", what=say("facts.language"), figure=languages[index])
        is_rehearsed = participant["kind"] == "model" and is_offline(participant["model"] or document["model"])
        seats[name] = PageSeat(
            name=name,
            kind=say(f"who.{'no_model' if is_rehearsed else participant['kind']}") if has_mixed_kinds else "",
            is_person=participant["kind"] == "person",
            role=role if role.casefold() != name.casefold() else "",
            persona=participant["persona"],
            model=participant["model"] if participant["kind"] == "model" else "",
            language=participant["language"],
            language_note=note if len(set(languages)) > 1 else "",
            colour=index,
            side={"pro": "left", "con": "right"}.get(participant["side"], default_side),
            anchor=f"who-{index + 1}",
        )
    return seats
