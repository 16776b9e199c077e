"""Node in which a participant declares its position: one short question, unseen by the others."""

from collections.abc import Callable
from dataclasses import replace

from ...models.failures import NoAnswerError
from ...prompts import Templates
from ...state.positions import Position, PositionSettings, build_answer_format
from ...state.positions.channels import DeclareState
from ...state.schemas import Update
from ...state.statement import Participant
from ..ask import Prompt, build_participant_call, with_turn
from ..ask.ask_with_retries import ask
from ..ask.call_records import record_calls
from ..ask.prompt import build_prompt
from ..statement import limit_history
from .form import build_position_form, format_position_question, make_plain_parser, make_position

POSITION_FIELDS = "name persona ask language"
"""Fields that the template may use."""
NO_POSITION = "no position"
"""Consequence of an incident that left a participant without a position on record."""


def take_position(templates: Templates) -> Callable[..., object]:
    """Build the node in which one participant declares its position; one branch per participant."""

    async def take_position(state: DeclareState, settings: PositionSettings) -> Update:
        """Ask one participant for its position and its certainty; after a round also for its stance.

        Reads what was given, round, turn, record, memory, summary, view_limits, and who is asked when; writes
        positions, calls, incidents, view_limits, memory.
        """
        participant = next(member for member in state["participants"] if member.name == state["who"])
        question, stance = build_answer_format(settings), needs_stance(settings, state["when"])
        call = with_turn(build_participant_call(state, participant, "declaration"), state["turn"], state["round"])
        call = replace(
            call,
            schema=build_position_form(question, has_stance=stance),
            parse_plain=make_plain_parser(question, has_stance=stance),
        )
        call = replace(call, hidden=True, temperature=0.0)
        try:
            answer = await ask(_build_position_prompt(state, templates, participant, settings), call)
        except NoAnswerError as failure:
            return record_calls(participant.name, failure.with_consequence(NO_POSITION))
        position_fields = {
            "who": participant.name,
            "when": state["when"],
            "round": state["round"],
            "turn": state["turn"],
        }
        positions: list[Position] = [make_position(answer.value, question, **position_fields)]
        return Update(positions=positions) | record_calls(participant.name, answer)

    return take_position


def needs_stance(settings: PositionSettings, moment: str) -> bool:
    """Return whether a position comes with a stance.

    It does after the first statement, if each round asks for positions.
    """
    return settings.concedes and settings.positions == "rounds" and moment != "before"


def _build_position_prompt(
    state: DeclareState, templates: Templates, participant: Participant, settings: PositionSettings
) -> Prompt:
    """Build the prompt: the record as this participant may see it, and the question for its position."""
    language = participant.language or settings.language
    stance = "stance" if needs_stance(settings, state["when"]) else ""
    values = {
        "name": participant.name,
        "persona": participant.persona,
        "ask": format_position_question(build_answer_format(settings), language, stance_key=stance),
        "language": language,
    }
    return limit_history(state, build_prompt(state, templates, "position", values), participant)
