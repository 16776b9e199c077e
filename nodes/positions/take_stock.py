"""Once everyone was asked: what the run answers so far."""

from ...state.positions import answer_of
from ...state.positions.channels import Stock
from ...state.writes import Update


async def take_stock(state: Stock) -> Update:
    """Put what the positions on record amount to on record. No model is asked.

    Reads rules, positions, and polls where there are any; writes answer.
    """
    return Update(answer=answer_of(state))
