"""Conversation of a run round by round: speakers, statements, missed turns, and agreement."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ...state import MISSED_TURN, MODERATOR, Settings
from ..display import format_json, list_drafts
from .blocks import Block, format_figure
from .page import Page, PageSeat
from .votes import build_poll_chart, describe_vote


@dataclass(frozen=True)
class TurnEntry:
    """Turn of the conversation as a page shows it.

    `note`: reason why the speaker missed the turn, if the text is missing. `lookups`: look-ups of the speaker.
    `is_protocol_line`: whether the entry is a line of the protocol. Such a line has the number of the turn before.
    """

    turn: int
    round: int
    who: str
    seat: PageSeat | None
    text: Markup | None
    timestamp: str = ""
    clock: str | Markup = ""
    tokens: str = ""
    note: str = ""
    lookups: Sequence[Mapping[str, Any]] = ()
    is_decisive: bool = False
    is_protocol_line: bool = False


@dataclass(frozen=True)
class RoundEntry:
    """Round of the conversation as a page shows it: entries in speaking order, and marks at its end.

    `has_agreement`: whether consensus was reached. `is_blind`: whether its speakers did not see each other's
    statements. `charts`: charts of its results.
    """

    number: int
    entries: list[TurnEntry]
    marks: list[str]
    has_agreement: bool = False
    is_blind: bool = False
    charts: Sequence[Block] = ()

    @property
    def speaking_order(self) -> list[TurnEntry]:
        """Return the first entry of each participant, in speaking order; an empty list for a blind round."""
        if self.is_blind:
            return []
        return list({entry.who: entry for entry in reversed(self.entries) if entry.seat}.values())[::-1]


def list_rounds(page: Page) -> list[RoundEntry]:
    """Return every round that began, with missed turns at their positions."""
    entries = sorted(
        [*_list_statement_entries(page), *_list_missed_entries(page)],
        key=lambda entry: (entry.turn, entry.is_protocol_line),
    )
    entries_by_round: dict[int, list[TurnEntry]] = {}
    current_round = 1
    for entry in entries:
        current_round = entry.round or current_round
        entries_by_round.setdefault(current_round, []).append(entry)
    own_marks = page.hooks.round_marks(
        page, {entry.turn: number for number, part in entries_by_round.items() for entry in part}
    )
    return [
        _build_round(page, number, round_entries, own_marks.get(number, []))
        for number, round_entries in sorted(entries_by_round.items())
    ]


def _build_round(page: Page, number: int, entries: list[TurnEntry], own_marks: Sequence[str]) -> RoundEntry:
    document = page.document
    settings_class = Settings.classes.get(document["protocol"], Settings)
    scores = [agreement for agreement in document.get("agreements") or [] if agreement["round"] == number]
    polls = [poll for poll in document.get("polls") or [] if poll["round"] == number]
    marks = list(own_marks)
    for agreement in scores:
        marks.append(page.say("talk.weighed", score=format_figure(agreement["score"], 2)))
        if names := page.comma.join(agreement["missing"]):
            marks[-1] += f" · {page.say('opening.labelled', what=page.say('stands.missing'), figure=names)}"
    marks += list_drafts(document, number)
    marks += [describe_vote(page, poll) for poll in polls if poll["event"] in ("confirmation_failed", "completed")]
    if document["terminationReason"] == "consensus_reached" and document.get("agreements"):
        is_agreed = number == document["agreements"][-1]["round"]
    else:
        is_agreed = number == page.hooks.agreement_round(document)
    # the overview draws the last one
    counted_polls = [poll for poll in document.get("polls") or [] if poll["tally"]]
    return RoundEntry(
        number,
        entries,
        marks=[*marks, page.say("talk.consensus")] if is_agreed else marks,
        has_agreement=is_agreed,
        is_blind=settings_class.anonymous or (number == 1 and bool(document["settings"].get("blind_first_round"))),
        charts=[
            *(build_poll_chart(page, poll) for poll in polls if poll in counted_polls[:-1]),
            *page.hooks.round_charts(page, number),
        ],
    )


def _list_statement_entries(page: Page) -> Iterator[TurnEntry]:
    document = page.document
    # evidence of an agreement names a whole round, not single statements
    is_round_evidence = document["terminationReason"] in ("consensus_reached", "positions_stable")
    decisive_turns = [] if is_round_evidence or not document["evidence"] else document["evidence"]["turns"]
    for turn, course_line in zip(document["turns"], document["course"], strict=True):
        is_protocol_line = turn["speakerId"] == MODERATOR
        remarks = {"cut_off": course_line["cutOff"], "silenced": course_line["silenced"]}
        yield TurnEntry(
            turn=turn["turnNumber"],
            round=course_line["round"],
            who=page.say("talk.moderator") if is_protocol_line else turn["speakerId"],
            seat=page.seats.get(turn["speakerId"]),
            text=page.renderer.render_statement(turn["content"]),
            timestamp=turn["timestamp"],
            clock=page.format_time(turn["timestamp"]),
            tokens=page.say("talk.tokens", count=format_figure(turn["tokensUsed"])) if turn["tokensUsed"] else "",
            note=" ".join(page.say(f"talk.{key}") for key, applies in remarks.items() if applies),
            lookups=[] if is_protocol_line else list_turn_lookups(document, turn["turnNumber"]),
            is_decisive=turn["turnNumber"] in decisive_turns,
            is_protocol_line=is_protocol_line,
        )


def list_turn_lookups(document: Mapping[str, Any], turn: int) -> list[dict[str, Any]]:
    """Return the look-ups of a turn, each with its arguments as text."""
    return [
        {**lookup, "arguments": format_json(lookup["arguments"], None)}
        for lookup in document.get("lookups") or []
        if lookup["turn"] == turn
    ]


def _list_missed_entries(page: Page) -> Iterator[TurnEntry]:
    incidents = [entry for entry in page.document["incidents"] if entry["consequence"] == MISSED_TURN and entry["turn"]]
    missed = [
        (entry, page.say("talk.missed", what=entry["what"], attempts=entry["attempts"]), entry["at"])
        for entry in incidents
    ]
    for event in page.document.get("events") or []:
        if event["kind"] == "turn_passed" and event["turn"] not in {entry["turn"] for entry in incidents}:
            note = page.say("talk.turn_passed", what=event["text"]) if event["text"] else page.say("talk.turn_let_pass")
            missed.append((event, note, event["recorded_at"]))
    for entry, note, timestamp in missed:
        yield TurnEntry(
            turn=entry["turn"],
            round=entry.get("round", 0),
            who=entry["who"],
            seat=page.seats.get(entry["who"]),
            text=None,
            timestamp=timestamp,
            clock=page.format_time(timestamp),
            note=note,
            lookups=list_turn_lookups(page.document, entry["turn"]),
        )
