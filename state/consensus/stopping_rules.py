"""Stopping rules of a group: consensus, or stable positions."""

from ..channel_requirements import mark_reads
from ..ending import Ending, Evidence
from ..positions.calibrated_stop import stop_at_threshold
from ..settings import StoppingSettings
from .agreement import STABLE_ROUNDS, has_stable_positions, is_consensus
from .channels import GroupState
from .settings import ConvergenceSettings


def _allows_group_endings(settings: StoppingSettings) -> bool:
    """Return whether the group's own stopping rules apply.

    A calibrated stop keeps its guarantee only without other endings.
    """
    return settings.dynamic_termination and settings.stopping != "calibrated"


@mark_reads
def stop_on_agreement(state: GroupState, settings: ConvergenceSettings) -> Ending | None:
    """Stop if enough participants agree without an open objection after the last complete round."""
    agreement_scores = state["weighings"]
    if not _allows_group_endings(settings) or not agreement_scores or agreement_scores[-1].round != state["round"]:
        return None
    share = 1.0 if settings.consensus_rule == "all" else 2 / 3
    latest_score, seats = agreement_scores[-1], len(state["participants"])
    if not is_consensus(latest_score, seats, settings.threshold, share):
        return None
    turns = [statement.turn for statement in state["history"] if statement.round == latest_score.round]
    lowest_score = min(latest_score.scores[name] for name in latest_score.list_agreeing(settings.threshold))
    note = ", ".join(f"{name} {score:.2f}" for name, score in latest_score.scores.items())
    evidence = Evidence(turns=turns, figure=lowest_score, threshold=settings.threshold, note=note)
    return Ending(reason="consensus_reached", strategy=latest_score.strategy, evidence=evidence)


@mark_reads
def stop_on_calibrated_agreement(state: GroupState, settings: StoppingSettings) -> Ending | None:
    """Stop if the agreement after the latest round reaches the threshold that `moot calibrate` found."""
    stop, agreement_scores = state["stop"], state["weighings"]
    has_score = bool(agreement_scores) and agreement_scores[-1].round == state["round"]
    if stop is None or stop.signal != "agreement" or not settings.dynamic_termination or not has_score:
        return None
    return stop_at_threshold(stop, agreement_scores[-1].score)


@mark_reads
def stop_on_stable_positions(state: GroupState, settings: StoppingSettings) -> Ending | None:
    """Stop if all positions stayed the same for `STABLE_ROUNDS` rounds."""
    agreement_scores = state["weighings"]
    if not _allows_group_endings(settings) or not has_stable_positions(state["positions"], agreement_scores):
        return None
    last_change_round = agreement_scores[-1].round - STABLE_ROUNDS
    turns = [statement.turn for statement in state["history"] if statement.round > last_change_round]
    evidence = Evidence(turns=turns, figure=STABLE_ROUNDS, threshold=STABLE_ROUNDS, note="rounds without a move")
    return Ending(reason="positions_stable", strategy=agreement_scores[-1].strategy, evidence=evidence)
