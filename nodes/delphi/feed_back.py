"""Node after a round that tells everyone the figures and the outliers' reasons, without names."""

from ...state import (
    FloorState,
    MemoryState,
    PositionRecordState,
    RunAnswer,
    TaskState,
    Update,
    build_answer_format,
    compute_answer,
    format_number,
    list_names,
)
from ...state.delphi import DelphiSettings, DelphiUpdate, EstimatesState, has_enough_estimates, summarize_estimates
from ..voting.announcement import announce_to_all
from .feedback_text import format_feedback


class DelphiRoundState(TaskState, FloorState, MemoryState, PositionRecordState, EstimatesState):
    """Channels of the node that gives the feedback on a round."""


async def feed_back(state: DelphiRoundState, settings: DelphiSettings) -> Update:
    """Tell everyone the figures of the round, and record the answer so far, without a model.

    Reads estimates, positions, participants, floor, round, turn, memory, settings; writes feedback, answer, floor,
    turn, notices, memory.
    """
    answer_format, turn = build_answer_format(settings), state["turn"] + len(state["floor"])
    estimates = [estimate for estimate in state["estimates"] if estimate.round == state["round"]]
    round_update = Update(floor=[], turn=turn)
    if not estimates:
        return round_update
    feedback = summarize_estimates(state["round"], estimates, answer_format)
    update: Update = DelphiUpdate(feedback=[feedback])
    if has_enough_estimates(feedback, state["participants"]):
        median = feedback.median
        answer = compute_answer(state)
        if median is not None:
            answer = RunAnswer(answer=format_number(median), number=median, unit=answer_format.unit, by="median")
        update |= Update(answer=answer)
    next_state: DelphiRoundState = {**state, "turn": turn}
    line = format_feedback(feedback, settings, list_names(state["participants"]))
    return round_update | update | announce_to_all(next_state, line)
