"""Stopping rules of a group: consensus, or stable positions."""

import math

from ..budget import is_budget_spent
from ..channel_requirements import mark_reads
from ..ending import Ending, Evidence
from ..positions.calibrated_stop import stop_at_threshold
from ..settings import StoppingSettings
from ..stopping.rules import CONFIRMED, UNCONFIRMED_NOTE
from .agreement import STABLE_ROUNDS, has_stable_positions, list_opposing
from .channels import GroupState
from .draft import Draft, find_round_draft, is_share_reached
from .settings import ConvergenceSettings


def _allows_group_endings(settings: StoppingSettings) -> bool:
    """Return whether stopping rules other than a calibrated one may end the dialogue.

    With a calibrated stop, other endings would void its guarantee.
    """
    return settings.dynamic_termination and settings.stop_rule != "calibrated"


@mark_reads
def stop_on_agreement(state: GroupState, settings: ConvergenceSettings) -> Ending | None:
    """Stop if enough participants accept the common ground in words.

    With `confirm: false`, enough participants who agree without an open objection end the dialogue.
    """
    latest_score = state["weighings"][-1] if has_agreement(state) else None
    draft = find_accepted_draft(state)
    if latest_score is None or (settings.confirm and draft is None):
        return None
    turns = [statement.turn for statement in state["history"] if statement.round == latest_score.round]
    if draft:
        accepting_names = list_accepting(state, draft)
        needed_count = math.ceil(settings.agreement_share * len(state["participants"]) - 1e-9)
        evidence = Evidence(
            turns=turns,
            quote=draft.sentence,
            figure=len(accepting_names),
            threshold=needed_count,
            note=", ".join(accepting_names),
        )
        return Ending(reason="consensus_reached", strategy=CONFIRMED, evidence=evidence)
    threshold = settings.agreement_threshold
    names = latest_score.list_agreeing(threshold, list_opposing(state["positions"]))
    lowest_score = min(latest_score.scores[name] for name in names)
    evidence = Evidence(turns=turns, figure=lowest_score, threshold=threshold, note=UNCONFIRMED_NOTE)
    return Ending(reason="consensus_reached", strategy=latest_score.strategy, evidence=evidence)


@mark_reads
def has_agreement(state: GroupState, settings: ConvergenceSettings) -> bool:
    """Return whether enough participants agree without an open objection after the last complete round."""
    scores = state["weighings"]
    if not _allows_group_endings(settings) or not scores or scores[-1].round != state["round"]:
        return False
    agreeing_names = scores[-1].list_agreeing(settings.agreement_threshold, list_opposing(state["positions"]))
    return is_share_reached(len(agreeing_names), len(state["participants"]), settings.agreement_share)


def list_accepting(state: GroupState, draft: Draft) -> list[str]:
    """List the participants who accept a draft.

    Leave out those whose last answer opposes another participant's.
    """
    opposing_names = list_opposing(state["positions"])
    answers = [answer for answer in state["confirmations"] if answer.draft == draft.number]
    return [answer.who for answer in answers if answer.accepts and answer.who not in opposing_names]


@mark_reads
def find_accepted_draft(state: GroupState, settings: ConvergenceSettings) -> Draft | None:
    """Return the draft of this round if enough participants accept it, or `None`."""
    draft = find_round_draft(state["drafts"], state["round"])
    accepting_count = len(list_accepting(state, draft)) if draft else 0
    return draft if is_share_reached(accepting_count, len(state["participants"]), settings.agreement_share) else None


@mark_reads
def is_draft_due(state: GroupState, settings: ConvergenceSettings) -> bool:
    """Return whether a draft of the shared position is due.

    It is due if the group agrees, this round has no draft yet, and the limits on drafts and spending allow another
    draft.
    """
    rounds = {draft.round for draft in state["drafts"]}
    rounds |= {incident.round for incident in state["incidents"] if incident.where == "draft"}
    may_draft = settings.confirm and state["round"] not in rounds and len(rounds) < settings.confirmations
    call_count = 1 + len(state["participants"])
    return may_draft and has_agreement(state) and not is_budget_spent(settings, state["calls"], new_calls=call_count)


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
