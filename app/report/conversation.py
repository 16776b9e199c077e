"""Conversation round by round: speakers, statements, missed turns, and agreement."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ...state.availability import MISSED_TURN
from ...state.settings import Settings
from ...state.statement import MODERATOR
from .blocks import format_figure
from .justice import find_justice_result
from .overview import build_ballot_shares
from .page import Page, PageSeat
from .positions import build_agreement_bars
from .rotation import list_rotation_changes
from .section import Block
from .votes import build_poll_chart, describe_vote


@dataclass(frozen=True)
class TurnEntry:
    """Turn on the page. Without a text, the speaker missed the turn for the reason in `note`.

    `is_protocol_line`: a line of the protocol itself, with the turn of the statement before it.
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
    decisive: bool = False
    is_protocol_line: bool = False


@dataclass(frozen=True)
class RoundEntry:
    """Round on the page: its entries in speaking order and the marks at its end.

    `agreed`: consensus was reached. `blind`: its speakers did not see each other's statements.
    `charts`: charts of its results.
    """

    number: int
    entries: list[TurnEntry]
    marks: list[str]
    agreed: bool = False
    blind: bool = False
    charts: Sequence[Block] = ()

    @property
    def speaking_order(self) -> list[TurnEntry]:
        """Return each participant's first entry in speaking order; an empty list for a blind round."""
        if self.blind:
            return []
        return list({entry.who: entry for entry in reversed(self.entries) if entry.seat}.values())[::-1]


def list_rounds(page: Page) -> list[RoundEntry]:
    """List every round that began, with missed turns at their positions."""
    entries = sorted(
        [*_list_statement_entries(page), *_list_missed_entries(page)],
        key=lambda entry: (entry.turn, entry.is_protocol_line),
    )
    entries_by_round: dict[int, list[TurnEntry]] = {}
    current_round = 1
    for entry in entries:
        current_round = entry.round or current_round
        entries_by_round.setdefault(current_round, []).append(entry)
    consensus_round = _get_consensus_round(page.document)
    rotation_changes = list_rotation_changes(
        page, {entry.turn: number for number, round_entries in entries_by_round.items() for entry in round_entries}
    )
    return [
        RoundEntry(
            number,
            round_entries,
            marks=[*rotation_changes.get(number, []), *_list_round_marks(page, number)],
            agreed=number == consensus_round,
            blind=_is_blind(page, number),
            charts=_build_round_charts(page, number),
        )
        for number, round_entries in sorted(entries_by_round.items())
    ]


def _build_round_charts(page: Page, number: int) -> list[Block]:
    """Return charts of the agreement after this round and of its votes."""
    agreement_scores = [agreement for agreement in page.document.get("weighings") or [] if agreement["round"] == number]
    polls = [poll for poll in page.document.get("polls") or [] if poll["round"] == number and poll["tally"]]
    result = find_justice_result(page.document)
    attempts = [record for record in result.phase2.voting_records if record.round == number] if result else []
    return [
        *(build_agreement_bars(page, agreement) for agreement in agreement_scores),
        *(build_poll_chart(page, poll) for poll in polls),
        *(shares for record in attempts for shares in build_ballot_shares(page, record)),
    ]


def _is_blind(page: Page, number: int) -> bool:
    settings_class = Settings.classes.get(page.document["protocol"], Settings)
    return settings_class.anonymous or (number == 1 and bool(page.document["settings"].get("blind_first_round")))


def _list_statement_entries(page: Page) -> Iterator[TurnEntry]:
    evidence = page.document["evidence"] or {"turns": []}
    for turn, course in zip(page.document["turns"], page.document["course"], strict=True):
        yield TurnEntry(
            turn=turn["turnNumber"],
            round=course["round"],
            who=page.say("talk.moderator") if turn["speakerId"] == MODERATOR else turn["speakerId"],
            seat=page.seats.get(turn["speakerId"]),
            text=page.renderer.render_statement(turn["content"]),
            timestamp=turn["timestamp"],
            clock=page.format_time(turn["timestamp"]),
            tokens=page.say("talk.tokens", count=format_figure(turn["tokensUsed"])) if turn["tokensUsed"] else "",
            note=" ".join(page.say(f"talk.{key}") for key, applies in _collect_remarks(course).items() if applies),
            decisive=_has_decisive_turns(page) and turn["turnNumber"] in evidence["turns"],
            is_protocol_line=turn["speakerId"] == MODERATOR,
        )


def _collect_remarks(course: Mapping[str, Any]) -> dict[str, bool]:
    return {"cut_off": course["cutOff"], "silenced": course["silenced"]}


def _has_decisive_turns(page: Page) -> bool:
    """Return whether the evidence names single statements rather than a whole round."""
    return page.document["terminationReason"] not in ("consensus_reached", "positions_stable")


def _list_missed_entries(page: Page) -> Iterator[TurnEntry]:
    missed_incidents = [
        incident
        for incident in page.document["incidents"]
        if incident["consequence"] == MISSED_TURN and incident["turn"]
    ]
    for event in missed_incidents:
        note = page.say("talk.passed_over", what=event["what"], tries=event["tries"])
        yield _build_missed_entry(page, event, note, event["at"])
    incident_turns = {incident["turn"] for incident in missed_incidents}
    for event in page.document.get("events") or []:
        if event["kind"] == "turn_passed" and event["turn"] not in incident_turns:
            note = page.say("talk.turn_passed", what=event["text"]) if event["text"] else page.say("talk.turn_let_pass")
            yield _build_missed_entry(page, event, note, event["recorded_at"])


def _build_missed_entry(page: Page, entry: Mapping[str, Any], note: str, timestamp: str) -> TurnEntry:
    name = entry["who"]
    return TurnEntry(
        entry["turn"],
        entry.get("round", 0),
        name,
        page.seats.get(name),
        text=None,
        timestamp=timestamp,
        clock=page.format_time(timestamp),
        note=note,
    )


def _list_round_marks(page: Page, number: int) -> list[str]:
    """List the results of a round: agreement, votes, and consensus if it was reached."""
    agreement_scores = [agreement for agreement in page.document.get("weighings") or [] if agreement["round"] == number]
    marks = [_format_agreement(page, agreement) for agreement in agreement_scores]
    polls = [poll for poll in page.document.get("polls") or [] if poll["round"] == number]
    marks += [describe_vote(page, poll) for poll in polls if poll["event"] in ("confirmation_failed", "completed")]
    if _get_consensus_round(page.document) == number:
        marks.append(page.say("talk.consensus"))
    return marks


def _format_agreement(page: Page, agreement: Mapping[str, Any]) -> str:
    mean_sentence = page.say("talk.weighed", score=format_figure(agreement["score"], 2))
    missing_names = page.comma.join(agreement["missing"])
    return (
        f"{mean_sentence} · {page.say('opening.measure', what=page.say('stands.missing'), figure=missing_names)}"
        if missing_names
        else mean_sentence
    )


def _get_consensus_round(document: Mapping[str, Any]) -> int:
    """Return the round in which consensus was reached, or 0."""
    if document["terminationReason"] == "consensus_reached" and document.get("weighings"):
        return int(document["weighings"][-1]["round"])
    records = (document.get("phase2") or {}).get("voting_records") or []
    return next((int(record["round"]) for record in records if record["consensus"]), 0)
