"""Nodes of a round in the group phase: begin the phase, draw the order, write the round into memories."""

from collections.abc import Callable
from typing import Any

from ...prompts import join_words
from ...state import MISSED_TURN, Draw, check_floor, format_memory_line, list_names, mark_reads
from ...state.justice import JusticeRoundState, JusticeUpdate, draw_speaking_order
from .addressee import Addressee, get_justice_settings, get_participant
from .memories import make_moderator_statement, make_narrator, write_memories
from .prompts import format_other_names, make_addressee


async def meet(state: JusticeRoundState) -> JusticeUpdate:
    """Begin the group phase after all participants completed Phase 1.

    Reads settings, alone, memory; writes memory.
    """
    additions = {}
    for participant in get_justice_settings(state["settings"]).participants:
        addressee = make_addressee(state, participant.name)
        lines = [addressee.translate_phrase("memory.met", others=format_other_names(addressee))]
        if rule := addressee.settings.voting.imposed_rule:
            lines.append(addressee.translate_phrase("group.imposed_line", rule=addressee.format_rule(rule)))
        additions[participant.name] = lines
    return JusticeUpdate(memory=write_memories(state, additions))


SpeakingOrder = Callable[[Any], tuple[list[str], list[Draw]]]
"""Pure function of the state that returns the next round's speakers, in order, and the draws."""


def draw_round_order(state: JusticeRoundState) -> tuple[list[str], list[Draw]]:
    """Draw the next speaking order by the run's settings. Return the names in order, and the draws."""
    settings = get_justice_settings(state["settings"])
    ids, draws = draw_speaking_order(settings, state["round"] + 1, state["orders"])
    return [get_participant(settings, id).name for id in ids], draws


def fill_floor(turn_order: SpeakingOrder) -> Callable[[JusticeRoundState], object]:
    """Build the node that opens a round with the speakers that `turn_order` returns."""

    async def fill_floor(state: JusticeRoundState) -> JusticeUpdate:
        """Open the next round with a speaking order.

        Reads participants, settings, round, orders, and the channels of the order; writes floor, round, orders,
        draws.
        """
        floor, draws = turn_order(state)
        check_floor(floor, list_names(state["participants"]))
        ids = {participant.name: participant.id for participant in get_justice_settings(state["settings"]).participants}
        return JusticeUpdate(floor=floor, round=state["round"] + 1, orders=[[ids[name] for name in floor]], draws=draws)

    return mark_reads(fill_floor, turn_order)


async def remember(state: JusticeRoundState) -> JusticeUpdate:
    """Write the complete round into every memory, and announce that two rounds remain.

    Reads settings, round, turn, history, incidents, reasonings, orders, memory, alone; writes memory, history.
    """
    settings = get_justice_settings(state["settings"])
    additions = {
        participant.name: list_round_lines(state, make_addressee(state, participant.name))
        for participant in settings.participants
    }
    update = JusticeUpdate(memory=write_memories(state, additions))
    if settings.discussion.needs_countdown(state["round"]):
        update["history"] = [
            make_moderator_statement(state, make_narrator(state).translate_phrase("group.countdown_line"))
        ]
    return update


def list_round_lines(state: JusticeRoundState, addressee: Addressee) -> list[str]:
    """List the memory lines of the round for one participant.

    They are a header, the statements and, if enabled, the participant's own reasoning.
    """
    settings, round = addressee.settings.memory, state["round"]
    style, language = settings.guidance_style, addressee.language
    speaker_names = [get_participant(addressee.settings, id).name for id in state["orders"][-1]]
    outcome = addressee.translate_phrase("memory.no_vote_yet")
    lines = [
        addressee.translate_phrase(
            f"memory.round_{style}", round=round, order=join_words(language, speaker_names), outcome=outcome
        )
    ]
    contents = {statement.speaker: statement.content for statement in state["history"] if statement.round == round}
    missed_names = {
        incident.who
        for incident in state["incidents"]
        if incident.round == state["round"] and incident.consequence == MISSED_TURN
    }
    for name in speaker_names:
        if name in contents and name not in missed_names:
            text = format_memory_line(contents[name], settings.statement_max_length, settings)
            lines.append(
                addressee.translate_phrase(f"memory.statement_{style}", round=round, speaker=name, statement=text)
            )
        else:
            lines.append(addressee.translate_phrase(f"memory.unavailable_{style}", round=round, speaker=name))
    for reasoning in state["reasonings"] if settings.include_internal_reasoning else []:
        is_own = reasoning.round == round and reasoning.participant == addressee.participant.id
        if is_own and reasoning.text:
            text = format_memory_line(reasoning.text, settings.reasoning_max_length, settings)
            lines.append(addressee.translate_phrase(f"memory.reasoning_{style}", round=round, statement=text))
    return lines
