"""The conversation, round by round: who had the word, what was said, who was passed over, where agreement stood."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ...state.incident import PASSED_OVER
from ...state.rules import Rules
from ...state.statement import MODERATOR
from .blocks import figure
from .experiment import result_of
from .glance import group_shares
from .page import Page, Seat
from .positions import agreement_bars
from .rotation import moves
from .section import Block
from .votes import poll_chart, told


@dataclass(frozen=True)
class Entry:
    """One turn in its place; without a text, the speaker was passed over for the reason in `note`.

    `own`: a line of the protocol's own, which shares the turn of the statement before.
    """

    turn: int
    round: int
    who: str
    seat: Seat | None
    text: Markup | None
    at: str = ""
    clock: str | Markup = ""
    tokens: str = ""
    note: str = ""
    decisive: bool = False
    own: bool = False


@dataclass(frozen=True)
class Round:
    """One round: its entries in speaking order, and what stood at its end; `agreed`: a consensus did.

    `blind`: its statements were made without knowing the others; `beside`: charts of what it came to.
    """

    number: int
    entries: list[Entry]
    marks: list[str]
    agreed: bool = False
    blind: bool = False
    beside: Sequence[Block] = ()

    @property
    def order(self) -> list[Entry]:
        """Everyone's first entry, in speaking order, without the protocol's own lines; none of a blind round."""
        if self.blind:
            return []
        return list({entry.who: entry for entry in reversed(self.entries) if entry.seat}.values())[::-1]


def rounds(page: Page) -> list[Round]:
    """Every round that began, with the turns that were passed over in their places."""
    entries = sorted([*_said(page), *_passed(page)], key=lambda entry: (entry.turn, entry.own))
    by_round: dict[int, list[Entry]] = {}
    last = 1
    for entry in entries:
        last = entry.round or last
        by_round.setdefault(last, []).append(entry)
    agreed = _consensus_round(page.document)
    moved = moves(page, {entry.turn: number for number, found in by_round.items() for entry in found})
    return [
        Round(
            number,
            found,
            marks=[*moved.get(number, []), *_marks(page, number)],
            agreed=number == agreed,
            blind=_blind(page, number),
            beside=_beside(page, number),
        )
        for number, found in sorted(by_round.items())
    ]


def _beside(page: Page, number: int) -> list[Block]:
    """Agreement after this round, and the votes that were held then."""
    weighed = [one for one in page.document.get("weighings") or [] if one["round"] == number]
    polled = [one for one in page.document.get("polls") or [] if one["round"] == number and one["tally"]]
    result = result_of(page.document)
    attempts = [one for one in result.phase2.voting_records if one.round == number] if result else []
    return [
        *(agreement_bars(page, one) for one in weighed),
        *(poll_chart(page, one) for one in polled),
        *(shares for one in attempts for shares in group_shares(page, one)),
    ]


def _blind(page: Page, number: int) -> bool:
    kind = Rules.kinds.get(page.document["protocol"], Rules)
    return kind.anonymous or (number == 1 and bool(page.document["rules"].get("blind_first_round")))


def _said(page: Page) -> Iterator[Entry]:
    evidence = page.document["evidence"] or {"turns": []}
    for one, course in zip(page.document["turns"], page.document["course"], strict=True):
        yield Entry(
            turn=one["turnNumber"],
            round=course["round"],
            who=page.say("talk.moderator") if one["speakerId"] == MODERATOR else one["speakerId"],
            seat=page.seats.get(one["speakerId"]),
            text=page.prose.said(one["content"]),
            at=one["timestamp"],
            clock=page.clock(one["timestamp"]),
            tokens=page.say("talk.tokens", count=figure(one["tokensUsed"])) if one["tokensUsed"] else "",
            note=" ".join(page.say(f"talk.{key}") for key, is_so in _remarks(course).items() if is_so),
            decisive=_decisive(page) and one["turnNumber"] in evidence["turns"],
            own=one["speakerId"] == MODERATOR,
        )


def _remarks(course: Mapping[str, Any]) -> dict[str, bool]:
    return {"cut_off": course["cutOff"], "silenced": course["silenced"]}


def _decisive(page: Page) -> bool:
    """Whether the evidence singles statements out, rather than naming a whole round."""
    return page.document["terminationReason"] not in ("consensus_reached", "positions_stable")


def _passed(page: Page) -> Iterator[Entry]:
    missed = [one for one in page.document["incidents"] if one["consequence"] == PASSED_OVER and one["turn"]]
    for one in missed:
        note = page.say("talk.passed_over", what=one["what"], tries=one["tries"])
        yield _absent(page, one, note, one["at"])
    known = {one["turn"] for one in missed}
    for one in page.document.get("events") or []:
        if one["kind"] == "turn_passed" and one["turn"] not in known:
            note = page.say("talk.turn_passed", what=one["text"]) if one["text"] else page.say("talk.turn_let_pass")
            yield _absent(page, one, note, one["recorded_at"])


def _absent(page: Page, one: Mapping[str, Any], note: str, at: str) -> Entry:
    who = one["who"]
    return Entry(
        one["turn"], one.get("round", 0), who, page.seats.get(who), text=None, at=at, clock=page.clock(at), note=note
    )


def _marks(page: Page, number: int) -> list[str]:
    """What stood after a round: agreement as it was weighed, and consensus where it was reached."""
    weighed = [one for one in page.document.get("weighings") or [] if one["round"] == number]
    marks = [_weighed(page, one) for one in weighed]
    polled = [one for one in page.document.get("polls") or [] if one["round"] == number]
    marks += [told(page, one) for one in polled if one["event"] in ("confirmation_failed", "completed")]
    if _consensus_round(page.document) == number:
        marks.append(page.say("talk.consensus"))
    return marks


def _weighed(page: Page, weighing: Mapping[str, Any]) -> str:
    told = page.say("talk.weighed", score=figure(weighing["score"], 2))
    who = page.comma.join(weighing["missing"])
    return f"{told} · {page.say('opening.measure', what=page.say('stands.missing'), figure=who)}" if who else told


def _consensus_round(document: Mapping[str, Any]) -> int:
    """The round in which consensus stood; 0: in none."""
    if document["terminationReason"] == "consensus_reached" and document.get("weighings"):
        return int(document["weighings"][-1]["round"])
    adopted = (document.get("phase2") or {}).get("voting_records") or []
    return next((int(one["round"]) for one in adopted if one["consensus"]), 0)
