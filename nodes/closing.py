"""How a run comes to its end: its closing text if somebody spoke, and the outcome with its headline."""

from collections.abc import Awaitable, Callable, Sequence

from ..prompts import listed, table, term
from ..state.deliberation import Stage
from ..state.ending import Ending, Outcome, promised
from ..state.ends import LOST_CLOSING, OUTAGE, UNAVAILABLE, nobody_spoke, outage, unsummed
from ..state.fence import one_line
from ..state.incident import EMBEDDING, Call, Incident, passed_over
from ..state.text import clipped
from .models.chat import REHEARSAL
from .models.failures import Unavailable

QUOTED_LENGTH = 200
"""Characters of somebody's reason, or of an option of a vote, that a headline repeats."""


def ended_by(found: Ending | Outcome, state: Stage, shown: Callable[[str], str] = str) -> str:
    """The ending in words, in the run's language; one that a protocol of the user's made up, by its own name.

    What a participant wrote stands in it as `shown`.
    """
    evidence = found.evidence
    speaker = next((one_line(one.speaker) for one in state["history"] if one.turn in evidence.turns[-1:]), None)
    values = {
        "who": shown(clipped(" ".join(evidence.quote.split()), QUOTED_LENGTH)) if speaker is None else speaker,
        "turn": evidence.turns[-1] if evidence.turns else "",
        "max_turns": int(evidence.threshold or 0),
        "max_rounds": int(evidence.threshold or 0),
    }
    language = state["rules"].language
    if found.reason not in table("terms", language)["endings"]:
        return found.reason.replace("_", " ")
    if found.reason == "no_papers_found" and evidence.threshold is None:
        return term(language, "endings", "library_empty")
    if found.strategy == LOST_CLOSING:
        return term(language, "endings", "unsummed")
    if found.strategy == OUTAGE and evidence.note:
        return term(language, "endings", evidence.note, **values)
    if found.reason not in ("closed", "declined") or not evidence.quote:
        return term(language, "endings", found.reason, **values)
    ending = term(language, "endings", "closed_by" if found.reason == "closed" else found.reason, **values)
    why = clipped(" ".join(evidence.note.split()), QUOTED_LENGTH)
    return term(language, "endings", "because", ending=ending, why=shown(why)) if why else ending


def headline(outcome: Outcome, state: Stage, incidents: Sequence[Incident], whole: bool) -> str:
    """The headline: rehearsal first, then the ending, then what is missing or was degraded."""
    language, turns = state["rules"].language, state["turn"]
    ending = ended_by(outcome, state)
    parts = [term(language, "headline", kind) for kind in ("rehearsal", "replayed") if getattr(outcome, kind)]
    told = ("failed", "failed_unbegun") if outcome.status == "failed" else ("ended", "unbegun")
    parts.append(term(language, "headline", told[0] if turns else told[1], turns=turns, ending=ending))
    missed = [one for one in passed_over(incidents) if one.turn]
    if missed:
        details = term(language, "headline", "between_details").join(_details(language, missed))
        parts.append(term(language, "headline", "missing", count=len(missed), turns=turns, details=details))
    silent = nobody_spoke(state)
    if not whole:
        parts.append(term(language, "headline", "nothing_said" if silent else "no_synthesis"))
    rest = sum(1 for one in incidents if one.severity == "degraded") - len(missed) - (0 if whole or silent else 1)
    if rest > 0:
        parts.append(term(language, "headline", "one_other" if rest == 1 else "other", count=rest))
    return term(language, "headline", "between_sentences").join(parts)


def _details(language: str, missed: Sequence[Incident]) -> list[str]:
    """A piece per participant and kind, such as "Bob (timeout) in turns 3 and 7"."""
    groups: dict[tuple[str, str], list[int]] = {}
    for one in missed:
        groups.setdefault((one.who, one.kind), []).append(one.turn)
    return [_detail(language, who, kind, turns) for (who, kind), turns in groups.items()]


def _detail(language: str, who: str, kind: str, turns: Sequence[int]) -> str:
    kinds = table("terms", language)["kinds"]
    values = {"who": who, "what": kinds.get(kind, kind), "turn_list": listed(language, [str(turn) for turn in turns])}
    return term(language, "headline", "detail" if len(turns) > 1 else "one_detail", **values)


UNSUMMED = "no synthesis"
"""The consequence of an incident that cost a run its closing text."""

Closing = tuple[str, list[Call], list[Incident]]
"""A closing text, what it cost, and what went wrong."""


async def of_what_was_said(state: Stage, sum_up: Callable[[], Awaitable[Closing]]) -> Closing:
    """The closing text that `sum_up` brings; none where it fails, and unasked where nobody said anything."""
    if nobody_spoke(state):
        return "", [], []
    try:
        return await sum_up()
    except Unavailable as lost:
        return "", lost.calls, lost.followed_by(UNSUMMED).incidents


def kept_after_all(lost: Unavailable) -> list[Incident]:
    """The incidents of a text that was to be better, where asking again brought none."""
    return lost.followed_by("kept", severity="recoverable").incidents


BROUGHT_ABOUT = ("closed", "declined", "expired")
"""Endings that somebody, or the time agreed on, brought about: they stand, however little was said."""


def concluded(state: Stage, found: Ending, calls: list[Call], incidents: list[Incident], whole: bool) -> Outcome:
    """The outcome, with a headline that says whatever was degraded; what is not finished is told as a failure.

    `calls`, `incidents`: all of the run, those of its last step included. `whole`: whether it has its closing text.
    """
    so_far: Stage = {**state, "calls": calls, "incidents": incidents}
    missing = outage(so_far, state["turn"]) if state["turn"] else None
    if found.strategy == OUTAGE:
        missing = missing or found
    lost = None if found.reason in BROUGHT_ABOUT else missing or _unsummed(found, incidents, whole)
    ending = lost or found
    partial = not whole or missing or found.reason == UNAVAILABLE
    outcome = Outcome(
        reason=ending.reason,
        strategy=ending.strategy,
        evidence=ending.evidence,
        promise=promised(ending),
        status="failed" if lost else "partial" if partial else "completed",
        rehearsal=is_rehearsed(calls),
        replayed=bool(state["rules"].replay),
    )
    said = headline(outcome, state, incidents, whole)
    return outcome.model_copy(update={"headline": said})


def is_rehearsed(calls: Sequence[Call]) -> bool:
    """Whether calls were made and no model said anything in them."""
    said = [call for call in calls if call.purpose != EMBEDDING]
    return bool(said) and all(call.model == REHEARSAL for call in said)


def _unsummed(found: Ending, incidents: Sequence[Incident], whole: bool) -> Ending | None:
    """That a closing text was lost which was to be had; none where a budget had no call left for it."""
    lost = [one.kind for one in incidents if one.consequence == UNSUMMED]
    return None if whole or lost in ([], ["budget_spent"]) else unsummed(found)
