"""Nodes in which a participant takes its turn."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..prompts import Templates
from ..state.channel_requirements import BranchInput, mark_reads
from ..state.deliberation import TurnState
from ..state.floor import yield_floor
from ..state.schemas import Update
from ..state.settings import StoppingSettings
from .ask import build_participant_call, with_turn
from .citation_check import CitationCheck
from .statement import Speech, ask_for_statement, build_speaking_prompt, get_floor_holder


class BlindTurnState(TurnState):
    """State of one branch of a blind round."""

    who: BranchInput[str]
    seat: BranchInput[int]


def speak_blind(templates: Templates) -> Callable[[BlindTurnState], object]:
    """Build the node in which one participant speaks in a blind round; one branch per participant."""

    async def speak_blind(state: BlindTurnState) -> Update:
        """Ask one participant for a statement that rests on no statement of this round.

        Reads what was given, round, turn, record, memory, summary, view_limits, and who is asked from which seat;
        writes history, calls, incidents, view_limits, memory.
        """
        speaker = next(participant for participant in state["participants"] if participant.name == state["who"])
        earlier = [statement for statement in state["history"] if statement.round < state["round"]]
        prompt = build_speaking_prompt(state, templates, speaker)
        prompt = replace(prompt, history=earlier)
        turn = state["turn"] + state["seat"]
        return await ask_for_statement(
            prompt, with_turn(build_participant_call(state, speaker), turn, state["round"]), speaker, state["settings"]
        )

    return speak_blind


def speak(templates: Templates, make_check: Callable[[Any], CitationCheck] | None = None) -> Callable[..., object]:
    """Build the node in which the participant who holds the floor speaks.

    An opening statement has a template of its own. `make_check` makes the check of a statement's citations;
    `None`: no check.
    """

    async def speak(state: TurnState, settings: StoppingSettings) -> Update:
        """Ask the holder of the floor, and record the statement or the missed turn.

        Reads what was given, floor, round, turn, record, memory, summary, view_limits, and what is to be proven;
        writes history, floor, turn, calls, incidents, view_limits, memory.
        """
        speaker = get_floor_holder(state)
        turn = state["turn"] + 1
        prompt = build_speaking_prompt(state, templates, speaker)
        call = with_turn(build_participant_call(state, speaker), turn, state["round"])
        if settings.can_name_next:
            call = replace(call, schema=Speech)
        update = await ask_for_statement(prompt, call, speaker, settings, make_check(state) if make_check else None)
        next_names = [statement.named_next for statement in update.get("history", [])]
        floor = yield_floor(state["floor"][1:], next_names[0]) if next_names else state["floor"][1:]
        return update | Update(floor=floor, turn=turn)

    return mark_reads(speak, make_check) if make_check else speak
