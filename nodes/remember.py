"""Node that writes a complete round into every memory, in the same words, without a model."""

from collections.abc import Callable
from functools import partial

from ..prompts import get_term
from ..state import TurnState, Update, build_memory_write, drop_silenced_statements, format_round_lines


def remember() -> Callable[[TurnState], object]:
    """Build the node that closes a round by writing it into the memories."""

    async def remember(state: TurnState) -> Update:
        """Write the complete round into every memory. After a blind round, count its turns.

        Reads settings, round, turn, history, memory, floor; writes memory, floor, turn.
        """
        settings, blind_turns = state["settings"], len(state["floor"])
        statements = [
            statement for statement in drop_silenced_statements(state["history"]) if statement.round == state["round"]
        ]
        round_lines = format_round_lines(
            state["round"], statements, settings.memory, partial(get_term, settings.language, "memory")
        )
        return Update(
            memory=build_memory_write(state["memory"], round_lines, settings.memory, []),
            floor=[],
            turn=state["turn"] + blind_turns,
        )

    return remember
