"""Node that aggregates the positions into the run's answer."""

from ...state.positions import compute_answer
from ...state.positions.channels import AnswerState
from ...state.schemas import Update


async def aggregate_positions(state: AnswerState) -> Update:
    """Record the answer that the positions on record amount to. No model is asked.

    Reads settings, positions, and polls where there are any; writes answer.
    """
    return Update(answer=compute_answer(state))
