"""Outcome of a run: the ending, the synthesis, and the headline."""

from collections.abc import Awaitable, Callable, Sequence

from ..models import EXAMPLE, NoAnswerError, is_offline
from ..prompts import get_term, join_words, load_table
from ..state import (
    CONFIRMED,
    EMBEDDING_PURPOSE,
    LOST_SYNTHESIS,
    OUTAGE,
    PARTICIPANTS_UNAVAILABLE,
    UNCONFIRMED_NOTE,
    Call,
    Ending,
    Incident,
    Outcome,
    ProgressState,
    clip_text,
    get_stop_basis,
    has_no_statements,
    list_missed_turns,
    make_unsummarized_ending,
    neutralize_line,
    stop_on_outage,
)

QUOTED_LENGTH = 200
"""Maximum characters of a person's reason, or of a vote's option, in a headline."""


def describe_ending(ending: Ending | Outcome, state: ProgressState, format_quote: Callable[[str], str] = str) -> str:
    """Return a sentence that describes an ending in the run's language.

    For an ending that only an installed protocol defines, return its reason, such as `all sold` for `all_sold`.
    `format_quote`: formatter of the participant's quoted words.
    """
    evidence = ending.evidence
    speaker = next(
        (neutralize_line(statement.speaker) for statement in state["history"] if statement.turn in evidence.turns[-1:]),
        None,
    )
    values = {
        "who": format_quote(clip_text(" ".join(evidence.quote.split()), QUOTED_LENGTH)) if speaker is None else speaker,
        "turn": evidence.turns[-1] if evidence.turns else "",
        "max_turns": int(evidence.threshold or 0),
        "max_rounds": int(evidence.threshold or 0),
    }
    language = state["settings"].language
    if ending.reason not in load_table("terms", language)["endings"]:
        return ending.reason.replace("_", " ")
    if ending.reason == "consensus_reached" and ending.strategy == CONFIRMED:
        seats, accepted = len(state["participants"]), int(evidence.figure or 0)
        key = "consensus_all" if accepted == seats else "consensus_share"
        sentence = format_quote(clip_text(evidence.quote.rstrip(".。"), QUOTED_LENGTH))
        return get_term(language, "endings", key, seats=seats, accepted=accepted, sentence=sentence)
    if ending.reason == "consensus_reached" and evidence.note == UNCONFIRMED_NOTE:
        return get_term(language, "endings", "consensus_declared")
    if ending.reason == "no_papers_found" and evidence.threshold is None:
        return get_term(language, "endings", "library_empty")
    if ending.strategy == LOST_SYNTHESIS:
        return get_term(language, "endings", "unsummed")
    if ending.strategy == OUTAGE and evidence.note:
        return get_term(language, "endings", evidence.note, **values)
    if ending.reason not in ("closed", "declined") or not evidence.quote:
        return get_term(language, "endings", ending.reason, **values)
    sentence = get_term(language, "endings", "closed_by" if ending.reason == "closed" else ending.reason, **values)
    reason = clip_text(" ".join(evidence.note.split()), QUOTED_LENGTH)
    return get_term(language, "endings", "because", ending=sentence, why=format_quote(reason)) if reason else sentence


def format_headline(outcome: Outcome, state: ProgressState, incidents: Sequence[Incident], has_synthesis: bool) -> str:
    """Return the headline of a run: rehearsal or replay, the ending, then missing and degraded parts."""
    language, turns = state["settings"].language, state["turn"]
    ending = describe_ending(outcome, state)
    parts = [get_offline_label(language, str(state["settings"].model))] if outcome.rehearsal else []
    parts += [get_term(language, "headline", "replayed")] if outcome.replayed else []
    keys = ("failed", "failed_unbegun") if outcome.status == "failed" else ("ended", "unbegun")
    parts.append(get_term(language, "headline", keys[0] if turns else keys[1], turns=turns, ending=ending))
    missed_turns = [incident for incident in list_missed_turns(incidents) if incident.turn]
    if missed_turns:
        turns_by_failure: dict[tuple[str, str], list[int]] = {}
        for incident in missed_turns:
            turns_by_failure.setdefault((incident.who, incident.kind), []).append(incident.turn)
        details = get_term(language, "headline", "between_details").join(
            _format_missed_turns(language, name, kind, turns) for (name, kind), turns in turns_by_failure.items()
        )
        parts.append(get_term(language, "headline", "missing", count=len(missed_turns), turns=turns, details=details))
    is_silent = has_no_statements(state)
    if not has_synthesis:
        parts.append(get_term(language, "headline", "nothing_said" if is_silent else "no_synthesis"))
    count = sum(incident.severity == "degraded" for incident in incidents) - len(missed_turns)
    count -= 0 if has_synthesis or is_silent else 1
    if count > 0:
        parts.append(get_term(language, "headline", "one_other" if count == 1 else "other", count=count))
    return get_term(language, "headline", "between_sentences").join(parts)


def get_offline_label(language: str, spec: str) -> str:
    """Return the label of a run without a model: a rehearsal, or a recorded example.

    `spec`: name of the model.
    """
    return get_term(language, "headline", EXAMPLE if spec.startswith(f"{EXAMPLE}:") else "rehearsal")


def _format_missed_turns(language: str, name: str, kind: str, turns: Sequence[int]) -> str:
    values = {
        "who": name,
        "what": load_table("terms", language)["kinds"].get(kind, kind),
        "turn_list": join_words(language, [str(turn) for turn in turns]),
    }
    return get_term(language, "headline", "detail" if len(turns) > 1 else "one_detail", **values)


NO_SYNTHESIS = "no synthesis"
"""Consequence of an incident that left a run without a synthesis."""

SynthesisResult = tuple[str, list[Call], list[Incident]]
"""Text of a synthesis, the calls made for it, and their incidents."""


async def write_if_spoken(state: ProgressState, write: Callable[[], Awaitable[SynthesisResult]]) -> SynthesisResult:
    """Call `write` for the synthesis. Skip the call if a round was opened but no statement was made.

    Return the text with its calls and incidents. The text is empty if `write` is not called, and if it raises
    `NoAnswerError`, whose calls and incidents are then returned.
    """
    if has_no_statements(state):
        return "", [], []
    try:
        return await write()
    except NoAnswerError as failure:
        return "", failure.calls, failure.with_consequence(NO_SYNTHESIS).incidents


def list_kept_text_incidents(failure: NoAnswerError) -> list[Incident]:
    """Return the incidents of a failed second attempt. The last one says that the first text was kept."""
    return failure.with_consequence("kept", severity="recoverable").incidents


def build_outcome(
    state: ProgressState, ending: Ending, calls: list[Call], incidents: list[Incident], has_synthesis: bool
) -> Outcome:
    """Build the outcome of a run from its ending, with a headline.

    A run counts as failed if an outage ended it or its synthesis is missing. `calls`, `incidents`: those of the
    complete run, including its last node. `has_synthesis`: whether the synthesis exists.
    """
    final_state: ProgressState = {**state, "calls": calls, "incidents": incidents}
    outage_ending = stop_on_outage(final_state, state["turn"]) if state["turn"] else None
    failed_ending = outage_ending = outage_ending or (ending if ending.strategy == OUTAGE else None)
    lost_kinds = [incident.kind for incident in incidents if incident.consequence == NO_SYNTHESIS]
    if not has_synthesis and lost_kinds not in ([], ["budget_spent"]):  # not skipped for want of a call
        failed_ending = outage_ending or make_unsummarized_ending(ending)
    # an ending that a person or the agreed deadline caused stands even if the record is short
    if ending.reason in ("closed", "declined", "expired"):
        failed_ending = None
    final_ending = failed_ending or ending
    is_partial = not has_synthesis or outage_ending or ending.reason == PARTICIPANTS_UNAVAILABLE
    outcome = Outcome(
        reason=final_ending.reason,
        strategy=final_ending.strategy,
        evidence=final_ending.evidence,
        basis=get_stop_basis(final_ending),
        status="failed" if failed_ending else "partial" if is_partial else "completed",
        rehearsal=is_rehearsed(calls),
        replayed=bool(state["settings"].replay),
    )
    return outcome.model_copy(update={"headline": format_headline(outcome, state, incidents, has_synthesis)})


def is_rehearsed(calls: Sequence[Call]) -> bool:
    """Return whether all calls of a run were rehearsed, and at least one was made.

    Embeddings do not count.
    """
    model_calls = [call for call in calls if call.purpose != EMBEDDING_PURPOSE]
    return bool(model_calls) and all(is_offline(call.model) for call in model_calls)
