"""Stopping rules of a group: consensus, or stable positions."""

import math

from ..channel_requirements import mark_reads
from ..ending import Ending, Evidence
from ..positions.calibrated_stop import stop_at_threshold
from ..settings import StoppingSettings
from ..stopping.rules import CONFIRMED, UNCONFIRMED_NOTE
from .agreement import STABLE_ROUNDS, has_stable_positions, list_opposing_participants
from .channels import GroupState
from .draft_rules import allows_group_endings, find_accepted_draft, has_agreement, list_accepting_participants
from .settings import ConvergenceSettings


@mark_reads
def stop_on_agreement(state: GroupState, settings: ConvergenceSettings) -> Ending | None:
    """Stop if enough participants agree without an open objection, and accept the draft.

    With `confirm: false`, their agreement alone ends the dialogue.
    """
    latest_score = state["agreements"][-1] if has_agreement(state) else None
    draft = find_accepted_draft(state)
    if latest_score is None or (settings.confirm and draft is None):
        return None
    turns = [statement.turn for statement in state["history"] if statement.round == latest_score.round]
    if draft:
        accepting_names = list_accepting_participants(state, draft)
        evidence = Evidence(
            turns=turns,
            quote=draft.sentence,
            figure=len(accepting_names),
            threshold=math.ceil(settings.agreement_share * len(state["participants"]) - 1e-9),
            note=", ".join(accepting_names),
        )
        return Ending(reason="consensus_reached", strategy=CONFIRMED, evidence=evidence)
    threshold = settings.agreement_threshold
    names = latest_score.list_agreeing_participants(threshold, list_opposing_participants(state["positions"]))
    lowest_score = min(latest_score.scores[name] for name in names)
    evidence = Evidence(turns=turns, figure=lowest_score, threshold=threshold, note=UNCONFIRMED_NOTE)
    return Ending(reason="consensus_reached", strategy=latest_score.measure, evidence=evidence)


@mark_reads
def stop_on_calibrated_agreement(state: GroupState, settings: StoppingSettings) -> Ending | None:
    """Stop if the measured agreement after the latest round reaches the threshold from `moot calibrate`.

    Without a calibrated stop on agreement, or without `dynamic_termination`, never stop.
    """
    stop, agreement_scores = state["stop"], state["agreements"]
    has_score = bool(agreement_scores) and agreement_scores[-1].round == state["round"]
    if stop is None or stop.signal != "agreement" or not settings.dynamic_termination or not has_score:
        return None
    return stop_at_threshold(stop, agreement_scores[-1].score)


@mark_reads
def stop_on_stable_positions(state: GroupState, settings: StoppingSettings) -> Ending | None:
    """Stop if positions and open objections stayed the same for `STABLE_ROUNDS` rounds.

    Never stop if stable positions may not end the dialogue (see `allows_group_endings`).
    """
    agreement_scores = state["agreements"]
    is_stable = has_stable_positions(state["positions"], state["confirmations"], agreement_scores)
    if not allows_group_endings(settings) or not is_stable:
        return None
    last_change_round = agreement_scores[-1].round - STABLE_ROUNDS
    turns = [statement.turn for statement in state["history"] if statement.round > last_change_round]
    evidence = Evidence(turns=turns, figure=STABLE_ROUNDS, threshold=STABLE_ROUNDS, note="rounds without a move")
    return Ending(reason="positions_stable", strategy=agreement_scores[-1].measure, evidence=evidence)
