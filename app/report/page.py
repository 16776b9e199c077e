"""Shared input of all report sections: the cleaned document, phrases, participants."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from ...prompts import get_base_language, get_term, load_phrases
from ...state.availability import MISSED_TURN
from ..display.plain_text import strip_controls
from .blocks import format_moment, render_moment
from .prose import ProseRenderer

PhraseLookup = Callable[..., str]
"""Function that returns a phrase of the report by its key, in the run's language."""

COLOUR_COUNT = 8
"""Number of colours. The ninth participant has the first colour again, with hollow marks."""


@dataclass(frozen=True)
class PageSeat:
    """Participant on the page. `kind`: in words, or empty if all participants are models.

    `language_note`: the language in words, or empty if all participants share it. `colour`: from 0.
    `side`: left, right or empty. `anchor`: target of links to the participant.
    """

    name: str
    kind: str
    role: str
    persona: str
    model: str
    language: str
    language_note: str
    colour: int
    side: str
    anchor: str


def format_tint(index: int) -> str:
    """Return the CSS classes that give the participant with this index, from 0, a separate colour."""
    return f"seat-{index % COLOUR_COUNT}" + (" again" if index // COLOUR_COUNT % 2 else "")


@dataclass(frozen=True)
class Page:
    """Document to show, with its phrases, the Markdown renderer, and the seats by name."""

    document: Mapping[str, Any]
    say: PhraseLookup
    renderer: ProseRenderer
    seats: Mapping[str, PageSeat]
    turns: frozenset[int] = field(default=frozenset())

    @property
    def language(self) -> str:
        """Return the run's language, a BCP-47 tag. All statements are in it."""
        return str(self.document["language"])

    @property
    def interface_language(self) -> str:
        """Return the language of the page's phrases: the run's language, or English if it has none."""
        base = get_base_language(self.language)
        return self.language if self.language.split("-")[0].lower() == base else base

    @property
    def comma(self) -> str:
        """Return the separator between the items of a list."""
        return get_term(self.interface_language, "lists", "comma")

    def join_sentences(self, *sentences: str) -> str:
        """Join sentences and leave out the empty ones."""
        return get_term(self.interface_language, "headline", "between_sentences").join(filter(None, sentences))

    def get_label(self, section: str, key: str) -> str:
        """Return the phrase for an id, or the id if it has no phrase."""
        return self.say(f"{section}.{key}") if key in load_phrases("report").list_keys(section) else key

    def format_time(self, iso: str) -> str | Markup:
        """Format a moment; on the run's first day, which the page's head shows, only its time."""
        is_same_day = iso[:10] == self.document["startedAt"][:10]
        return format_moment(iso)[11:] if iso and is_same_day else render_moment(iso)

    def link_turn(self, number: int) -> str | Markup:
        """Return a turn's number, linked to its place on the page; empty for 0."""
        if number not in self.turns:
            return str(number or "")
        return Markup('<a href="#turn-{0}">{0}</a>').format(number)


def build_page(document: Mapping[str, Any]) -> Page:
    """Build the page of a run's document."""
    clean_document: Mapping[str, Any] = clean_value(document)
    language = clean_document["language"]

    def translate_phrase(key: str, **values: object) -> str:
        return load_phrases("report").translate_phrase(language, key, **values)

    turns = frozenset(turn["turnNumber"] for turn in clean_document["turns"]) | list_empty_turns(clean_document)
    numbered_papers = enumerate(clean_document.get("papers") or [], start=1)
    targets = {str(turn): f"#turn-{turn}" for turn in turns}
    targets |= {f"@{paper['id']}": f"#paper-{number}" for number, paper in numbered_papers}
    return Page(
        clean_document, translate_phrase, ProseRenderer(targets), _build_seats(clean_document, translate_phrase), turns
    )


def list_empty_turns(document: Mapping[str, Any]) -> frozenset[int]:
    """List the turns without a statement: missed or skipped."""
    missed_turns = {incident["turn"] for incident in document["incidents"] if incident["consequence"] == MISSED_TURN}
    skipped_turns = {event["turn"] for event in document.get("events") or [] if event["kind"] == "turn_passed"}
    return frozenset((missed_turns | skipped_turns) - {0})


def clean_value(value: Any) -> Any:
    """Remove escape sequences, controls and reordering marks from all texts and keys in the value."""
    if isinstance(value, str):
        return strip_controls(value)
    if isinstance(value, Mapping):
        return {clean_value(key): clean_value(item) for key, item in value.items()}
    return [clean_value(item) for item in value] if isinstance(value, list) else value


def _build_seats(document: Mapping[str, Any], say: PhraseLookup) -> dict[str, PageSeat]:
    participants = document["participants"]
    has_mixed_kinds = any(participant["kind"] != "model" for participant in participants)
    languages = {participant["name"]: participant["language"] or document["language"] for participant in participants}
    is_multilingual = len(set(languages.values())) > 1
    return {
        participant["name"]: PageSeat(
            name=participant["name"],
            kind=say(f"who.{participant['kind']}") if has_mixed_kinds else "",
            role=participant["role"] if participant["role"].casefold() != participant["name"].casefold() else "",
            persona=participant["persona"],
            model=participant["model"] if participant["kind"] == "model" else "",
            language=participant["language"],
            language_note=say("opening.measure", what=say("facts.language"), figure=languages[participant["name"]])
            if is_multilingual
            else "",
            colour=index,
            side=_choose_side(participant["side"], index, len(participants)),
            anchor=f"who-{index + 1}",
        )
        for index, participant in enumerate(participants)
    }


def _choose_side(side: str, index: int, seat_count: int) -> str:
    """Choose the page side: PRO left, CON right.

    Two participants without sides face each other; a group has no sides.
    """
    if side in ("pro", "con"):
        return "left" if side == "pro" else "right"
    return ("left", "right")[index] if seat_count == 2 else ""
