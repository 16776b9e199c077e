"""After all have spoken: everyone remembers the complete round, in the same words. No model is asked."""

from collections.abc import Callable
from functools import partial

from ..prompts import term
from ..state.deliberation import Floor, Given, Record, Remembering
from ..state.history import shown_of
from ..state.memory import remembered, round_lines
from ..state.writes import Update


class Hearing(Given, Floor, Record, Remembering):
    """What a memory step reads."""


def remember() -> Callable[[Hearing], object]:
    """The step that closes a round."""

    async def remember(state: Hearing) -> Update:
        """Write the complete round into every memory, and take the turns of a round spoken all at once.

        Reads rules, round, turn, history, memory, floor; writes memory, floor, turn.
        """
        rules, asked_at_once = state["rules"], len(state["floor"])
        spoken = [one for one in shown_of(state["history"]) if one.round == state["round"]]
        news = round_lines(state["round"], spoken, rules.memory, partial(term, rules.language, "memory"))
        return Update(
            memory=remembered(state["memory"], news, rules.memory, []),
            floor=[],
            turn=state["turn"] + asked_at_once,
        )

    return remember
