"""Stopping rules of a group: consensus, or stable positions."""

import math

from ..budget import is_budget_spent
from ..channel_requirements import mark_reads
from ..ending import Ending, Evidence
from ..positions.calibrated_stop import stop_at_threshold
from ..settings import StoppingSettings
from .agreement import STABLE_ROUNDS, has_stable_positions, is_consensus
from .channels import GroupState
from .draft import Draft, get_round_draft, has_share, list_accepting
from .settings import ConvergenceSettings


def _allows_group_endings(settings: StoppingSettings) -> bool:
    """Return whether stopping rules other than a calibrated one may end the dialogue.

    With a calibrated stop, other endings would void its guarantee.
    """
    return settings.dynamic_termination and settings.stop_rule != "calibrated"


CONFIRMED = "confirmed"
"""Strategy of an ending in which participants accepted the common ground in words."""
UNCONFIRMED_NOTE = "declared, not confirmed"
"""Note on an agreement that was put to nobody in words."""


@mark_reads
def stop_on_agreement(state: GroupState, settings: ConvergenceSettings) -> Ending | None:
    """Stop if enough participants agree and accept the draft, or agree and a draft is due.

    Use `is_draft_due` to tell the two cases apart. With `confirm: false`, agreement without an open objection is
    enough.
    """
    if not has_agreement(state):
        return None
    latest_score = state["weighings"][-1]
    turns = [statement.turn for statement in state["history"] if statement.round == latest_score.round]
    if settings.confirm:
        draft = get_accepted_draft(state)
        accepting_names = list_accepting(state["confirmations"], draft.number) if draft else []
        needed_count = math.ceil(settings.agreement_share * len(state["participants"]) - 1e-9)
        evidence = Evidence(
            turns=turns,
            quote=draft.sentence if draft else "",
            figure=len(accepting_names),
            threshold=needed_count,
            note=", ".join(accepting_names),
        )
        is_ending = draft or is_draft_due(state)
        return Ending(reason="consensus_reached", strategy=CONFIRMED, evidence=evidence) if is_ending else None
    lowest_score = min(latest_score.scores[name] for name in latest_score.list_agreeing(settings.agreement_threshold))
    evidence = Evidence(turns=turns, figure=lowest_score, threshold=settings.agreement_threshold, note=UNCONFIRMED_NOTE)
    return Ending(reason="consensus_reached", strategy=latest_score.strategy, evidence=evidence)


@mark_reads
def has_agreement(state: GroupState, settings: ConvergenceSettings) -> bool:
    """Return whether enough participants agree without an open objection after the last complete round."""
    agreement_scores, positions = state["weighings"], state["positions"]
    if not _allows_group_endings(settings) or not agreement_scores or agreement_scores[-1].round != state["round"]:
        return False
    seats = len(state["participants"])
    return is_consensus(agreement_scores[-1], positions, seats, settings.agreement_threshold, settings.agreement_share)


@mark_reads
def get_accepted_draft(state: GroupState, settings: ConvergenceSettings) -> Draft | None:
    """Return the draft of this round if enough participants accept it, or `None`."""
    draft = get_round_draft(state["drafts"], state["round"])
    accepting_count = len(list_accepting(state["confirmations"], draft.number)) if draft else 0
    return draft if has_share(accepting_count, len(state["participants"]), settings.agreement_share) else None


@mark_reads
def is_draft_due(state: GroupState, settings: ConvergenceSettings) -> bool:
    """Return whether a model writes a draft of the shared position next.

    The group must agree, this round must lack a draft, and the limits on drafts and spending must allow another.
    """
    rounds = {draft.round for draft in state["drafts"]}
    rounds |= {incident.round for incident in state["incidents"] if incident.where == "draft"}
    is_possible = settings.confirm and state["round"] not in rounds and len(rounds) < settings.confirmations
    call_count = 1 + len(state["participants"])
    return is_possible and has_agreement(state) and not is_budget_spent(settings, state["calls"], new_calls=call_count)


@mark_reads
def stop_on_calibrated_agreement(state: GroupState, settings: StoppingSettings) -> Ending | None:
    """Stop if the measured agreement after the latest round reaches the threshold from `moot calibrate`."""
    stop, agreement_scores = state["stop"], state["weighings"]
    has_score = bool(agreement_scores) and agreement_scores[-1].round == state["round"]
    if stop is None or stop.signal != "agreement" or not settings.dynamic_termination or not has_score:
        return None
    return stop_at_threshold(stop, agreement_scores[-1].score)


@mark_reads
def stop_on_stable_positions(state: GroupState, settings: StoppingSettings) -> Ending | None:
    """Stop if positions and open objections stayed the same for `STABLE_ROUNDS` rounds."""
    agreement_scores = state["weighings"]
    is_stable = has_stable_positions(state["positions"], state["confirmations"], agreement_scores)
    if not _allows_group_endings(settings) or not is_stable:
        return None
    last_change_round = agreement_scores[-1].round - STABLE_ROUNDS
    turns = [statement.turn for statement in state["history"] if statement.round > last_change_round]
    evidence = Evidence(turns=turns, figure=STABLE_ROUNDS, threshold=STABLE_ROUNDS, note="rounds without a move")
    return Ending(reason="positions_stable", strategy=agreement_scores[-1].strategy, evidence=evidence)
