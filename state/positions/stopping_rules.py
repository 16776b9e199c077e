"""Stopping rules that read the positions declared after each round."""

from collections.abc import Sequence
from itertools import pairwise

from ..channel_requirements import mark_reads
from ..ending import Ending, Evidence, cut_quote
from .calibrated_stop import compute_score, stop_at_threshold
from .channels import PositionsState
from .position import Position, group_by_moment, is_unchanged
from .settings import PositionSettings, build_answer_format, list_asked_seats

CONCESSION_COUNT = 2
"""Number of conceding declarations in a row that count as a concession."""


@mark_reads
def stop_on_declarations(state: PositionsState, settings: PositionSettings) -> Ending | None:
    """Stop if all but one participant conceded, or positions stayed the same for `stable_rounds`.

    The rule applies only with `stop_rule: declared` and `dynamic_termination`, from the fourth statement on.
    """
    if settings.stop_rule != "declared" or not settings.dynamic_termination or len(state["history"]) < 4:
        return None
    moments, seats = group_by_moment(state["positions"]), list_asked_seats(settings, state["participants"])
    if ending := _find_concession(state, moments, seats):
        return ending
    recent_moments, answer_format = moments[-(settings.stable_rounds + 1) :], build_answer_format(settings)
    if len(recent_moments) <= settings.stable_rounds or not all(
        is_unchanged(before, after, answer_format, seats) for before, after in pairwise(recent_moments)
    ):
        return None
    evidence = Evidence(
        figure=settings.stable_rounds, threshold=settings.stable_rounds, note="declarations without a move"
    )
    return Ending(reason="positions_stable", strategy="declared", evidence=evidence)


def _find_concession(
    state: PositionsState, moments: Sequence[dict[str, Position]], seats: Sequence[str]
) -> Ending | None:
    if not moments or len(state["participants"]) != len(seats):
        return None
    concessions = {name: evidence for name in seats if (evidence := _find_concession_evidence(state, moments, name))}
    if not concessions or len(concessions) < len(seats) - 1:
        return None
    latest_evidence = max(concessions.values(), key=lambda evidence: evidence.turns)
    return Ending(reason="concession_detected", strategy="declared", evidence=latest_evidence)


def _find_concession_evidence(
    state: PositionsState, moments: Sequence[dict[str, Position]], name: str
) -> Evidence | None:
    position = moments[-1].get(name)
    if position is None or position.stance != "concede":
        return None
    statements = [
        statement for statement in state["history"] if statement.speaker == name and statement.turn <= position.turn
    ]
    previous_position = moments[-2].get(name) if len(moments) > 1 else None
    turns = [statements[-1].turn] if statements else []
    if previous_position is not None and previous_position.stance == "concede":
        return Evidence(
            turns=turns, figure=CONCESSION_COUNT, threshold=CONCESSION_COUNT, note="declarations that concede"
        )
    if not statements or statements[-1].round != position.round:
        return None
    if statements[-1].act != "concede":
        return None
    note = "a declared and spoken concession"
    return Evidence(turns=turns, quote=cut_quote(statements[-1].content), figure=position.certainty, note=note)


@mark_reads
def stop_on_calibration(state: PositionsState, settings: PositionSettings) -> Ending | None:
    """Stop if the score of the latest round reaches the threshold from `moot calibrate`.

    Without a calibrated stop on positions, or without `dynamic_termination`, never stop.
    """
    stop, moments = state["stop"], group_by_moment(state["positions"])
    if stop is None or stop.signal == "agreement" or not settings.dynamic_termination or not moments:
        return None
    latest_positions = moments[-1]
    if any(position.when == "before" or position.turn < state["turn"] for position in latest_positions.values()):
        return None
    seats = len(list_asked_seats(settings, state["participants"]))
    return stop_at_threshold(
        stop, compute_score(stop.signal, latest_positions, build_answer_format(settings), seats, None)
    )
