"""What every section of a report is made from: the cleaned document, its language's phrases, its participants."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from ...prompts import base_language, phrases, term
from ...state.incident import PASSED_OVER
from ..display.plain import plain
from .blocks import moment, when
from .prose import Prose

Say = Callable[..., str]
"""A phrase of the report by its key, in the run's language."""

COLOURS = 8
"""Colours there are; the ninth participant has the first one again, with marks that are hollow."""


@dataclass(frozen=True)
class Seat:
    """One who takes part, a `kind` of participant in words where not all are models.

    `speaks`: the language, in words, where not all have the same; `colour` from 0; `side`: left, right or empty;
    `anchor`: their place in the page.
    """

    name: str
    kind: str
    role: str
    persona: str
    model: str
    language: str
    speaks: str
    colour: int
    side: str
    anchor: str


def tint(place: int) -> str:
    """The classes that give whoever has this place, from 0, a colour of their own."""
    return f"seat-{place % COLOURS}" + (" again" if place // COLOURS % 2 else "")


@dataclass(frozen=True)
class Page:
    """A document to be shown, the words of its language, the Markdown writer, and the seats by name."""

    document: Mapping[str, Any]
    say: Say
    prose: Prose
    seats: Mapping[str, Seat]
    turns: frozenset[int] = field(default=frozenset())

    @property
    def language(self) -> str:
        """The run's language, a BCP-47 tag: that of everything participants say."""
        return str(self.document["language"])

    @property
    def words_language(self) -> str:
        """The language of the page's own words: the run's, or English where they have none in it."""
        base = base_language(self.language)
        return self.language if self.language.split("-")[0].lower() == base else base

    @property
    def comma(self) -> str:
        """What stands between the items of a list."""
        return term(self.words_language, "lists", "comma")

    def joined(self, *sentences: str) -> str:
        """Sentences one after the other, the empty ones left out."""
        return term(self.words_language, "headline", "between_sentences").join(filter(None, sentences))

    def word(self, section: str, key: str) -> str:
        """The word for an id, or the id where there is none."""
        return self.say(f"{section}.{key}") if key in phrases("report").keys(section) else key

    def clock(self, iso: str) -> str | Markup:
        """A moment: its time alone on the day the run was begun, which the page's head has."""
        same = iso[:10] == self.document["startedAt"][:10]
        return moment(iso)[11:] if iso and same else when(iso)

    def turn(self, number: int) -> str | Markup:
        """A turn's number, linked to where it stands; nothing for 0."""
        if number not in self.turns:
            return str(number or "")
        return Markup('<a href="#turn-{0}">{0}</a>').format(number)


def page(document: Mapping[str, Any]) -> Page:
    """The page of a run's document."""
    shown: Mapping[str, Any] = cleaned(document)
    language = shown["language"]

    def say(key: str, **values: object) -> str:
        return phrases("report").say(language, key, **values)

    turns = frozenset(one["turnNumber"] for one in shown["turns"]) | passed_turns(shown)
    papers = enumerate(shown.get("papers") or [], start=1)
    targets = {str(turn): f"#turn-{turn}" for turn in turns}
    targets |= {f"@{one['id']}": f"#paper-{place}" for place, one in papers}
    return Page(shown, say, Prose(targets), _seats(shown, say), turns)


def passed_turns(document: Mapping[str, Any]) -> frozenset[int]:
    """The turns nobody spoke in."""
    missed = {one["turn"] for one in document["incidents"] if one["consequence"] == PASSED_OVER}
    passed = {one["turn"] for one in document.get("events") or [] if one["kind"] == "turn_passed"}
    return frozenset((missed | passed) - {0})


def cleaned(value: Any) -> Any:
    """The value with every text in it, keys included, free of escape sequences, controls and reordering marks."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, Mapping):
        return {cleaned(key): cleaned(one) for key, one in value.items()}
    return [cleaned(one) for one in value] if isinstance(value, list) else value


def _seats(document: Mapping[str, Any], say: Say) -> dict[str, Seat]:
    cast = document["participants"]
    mixed = any(one["kind"] != "model" for one in cast)
    tongues = {one["name"]: one["language"] or document["language"] for one in cast}
    several = len(set(tongues.values())) > 1
    return {
        one["name"]: Seat(
            name=one["name"],
            kind=say(f"who.{one['kind']}") if mixed else "",
            role=one["role"] if one["role"].casefold() != one["name"].casefold() else "",
            persona=one["persona"],
            model=one["model"] if one["kind"] == "model" else "",
            language=one["language"],
            speaks=say("opening.measure", what=say("facts.language"), figure=tongues[one["name"]]) if several else "",
            colour=place,
            side=_side(one["side"], place, len(cast)),
            anchor=f"who-{place + 1}",
        )
        for place, one in enumerate(cast)
    }


def _side(side: str, place: int, seats: int) -> str:
    """PRO left, CON right; two without sides face each other too; a group has none."""
    if side in ("pro", "con"):
        return "left" if side == "pro" else "right"
    return ("left", "right")[place] if seats == 2 else ""
