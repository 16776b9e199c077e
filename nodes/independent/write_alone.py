"""Node in which one participant writes a statement, without seeing those written at the same time."""

from collections.abc import Callable
from dataclasses import replace

from ...prompts import Templates
from ...state import (
    IndependentBranch,
    IndependentSettings,
    Update,
    get_participant_by_name,
    list_names,
    list_read_statements,
)
from ..ask import build_participant_call, build_prompt, estimate_words, with_answer_draw, with_turn
from ..statement import ask_for_statement

WRITE_FIELDS = "name persona words language"


def write_alone(templates: Templates) -> Callable[..., object]:
    """Build the node in which one participant writes one statement. Each statement has a branch."""

    async def write_alone(state: IndependentBranch, settings: IndependentSettings) -> Update:
        """Ask one participant for a statement.

        The prompt shows the statements in `heard`, then the participant's own earlier ones. A sample sees only its own
        of the same draw.

        Reads the task, record, heard, and who and draw; writes history, calls, incidents.
        """
        participant = get_participant_by_name(state["participants"], state["who"])
        language, draw = participant.language or settings.language, state["draw"]
        call = replace(with_turn(build_participant_call(state, participant), draw, draw), is_hidden=True, draw=draw)
        values = {
            "name": participant.name,
            "persona": participant.persona,
            "words": estimate_words(settings.max_tokens_per_turn, language),
            "language": language,
        }
        prompt = build_prompt(state, templates, "write", values)
        prompt = replace(prompt, history=list_read_statements(state, settings))
        call = with_answer_draw(call, settings.arm, participant.name, "statement", draw, draw)
        update = await ask_for_statement(prompt, replace(call, temperature=settings.temperature), participant, settings)
        seat = list_names(state["participants"]).index(participant.name)
        turn = len(state["heard"]) + len(state["participants"]) * (draw - 1) + seat + 1
        written = [statement.model_copy(update={"turn": turn}) for statement in update.get("history", [])]
        return update | Update(history=written)

    return write_alone
