"""Node in which a participant takes its turn."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NotRequired

from ..prompts import Templates
from ..state import (
    BranchInput,
    LookupState,
    QuotedLookup,
    StoppingSettings,
    TurnState,
    Update,
    get_participant_by_name,
    mark_reads,
    yield_floor,
)
from .ask import build_participant_call, with_lookups, with_turn
from .citation_check import CitationCheck
from .statement import StatementWithSuccessor, ask_for_statement, build_speaking_prompt, get_floor_holder


class SpeakerState(TurnState, LookupState):
    """Channels of a turn.

    In a blind round, a branch also has the name of its speaker and the seat number, from 1.
    """

    who: NotRequired[BranchInput[str]]
    seat: NotRequired[BranchInput[int]]


def speak(
    templates: Templates, make_check: Callable[[Any, Sequence[QuotedLookup]], CitationCheck] | None = None
) -> Callable[..., object]:
    """Build the node in which the participant whose turn it is speaks.

    An opening statement has its own template. `make_check` makes the citation check of a statement, from the state and
    the look-ups that the speaker was shown; `None` checks only citations of look-ups.
    """

    async def speak(state: SpeakerState, settings: StoppingSettings) -> Update:
        """Ask the next speaker. Record the statement or the missed turn.

        In a blind round, each branch asks one speaker, who sees none of the round's statements.

        Reads the task, floor, round, turn, record, lookups, memory, summary, view_limits, seat, and papers; writes
        history, floor, turn, calls, lookups, incidents, view_limits, memory; in a blind round neither floor nor turn.
        """
        is_blind = "seat" in state
        speaker = get_participant_by_name(state["participants"], state["who"]) if is_blind else get_floor_holder(state)
        turn = state["turn"] + (state["seat"] if is_blind else 1)
        prompt = build_speaking_prompt(state, templates, speaker)
        if is_blind:
            prompt = replace(
                prompt, history=[statement for statement in state["history"] if statement.round < state["round"]]
            )
        call = with_turn(build_participant_call(state, speaker), turn, state["round"])
        call = with_lookups(call, speaker, state["lookups"])
        if settings.can_name_next and not is_blind:
            call = replace(call, schema=StatementWithSuccessor)
        make_citation_check = partial(make_check, state) if make_check else None
        update = await ask_for_statement(prompt, call, speaker, settings, make_citation_check)
        if is_blind:
            return update
        next_names = [statement.named_next for statement in update.get("history", [])]
        floor = yield_floor(state["floor"][1:], next_names[0]) if next_names else state["floor"][1:]
        return update | Update(floor=floor, turn=turn)

    return mark_reads(speak, make_check) if make_check else speak
