"""Writes of the group's nodes: memories within their maximum length, and the moderator's lines."""

from collections.abc import Sequence

from ...state import MODERATOR, MemoryReplacement, MemoryWrite, Statement, compress_memory
from ...state.justice.channels import JusticeRoundState
from ...storage import get_timestamp
from .addressee import Addressee, get_justice_settings


def write_memories(state: JusticeRoundState, additions: dict[str, list[str]]) -> MemoryWrite:
    """Return the memory write that adds lines to each participant's memory.

    A memory above its threshold is compressed. Its Phase 1 results and the new lines stay.
    """
    write: dict[str, Sequence[str] | MemoryReplacement] = dict(additions)
    for participant in get_justice_settings(state["settings"]).participants:
        memory_settings = get_justice_settings(state["settings"]).memory.model_copy(
            update={"memory_max_chars": participant.memory_max_chars}
        )
        lines = [*state["memory"].get(participant.name, []), *additions.get(participant.name, [])]
        phase1 = state["alone"].get(participant.id)
        shorter_lines = compress_memory(
            lines,
            memory_settings,
            [*(phase1.final_memory_state.splitlines() if phase1 else []), *additions.get(participant.name, [])],
        )
        if shorter_lines is not None:
            write[participant.name] = MemoryReplacement(replace=shorter_lines)
    return write


def make_moderator_statement(state: JusticeRoundState, text: str) -> Statement:
    """Make a line of the moderator for the public history."""
    turn, round = max(1, state["turn"]), max(1, state["round"])
    return Statement(turn=turn, round=round, speaker=MODERATOR, content=text, at=get_timestamp())


def make_narrator(state: JusticeRoundState) -> Addressee:
    """Make the addressee for the moderator's lines, in the run's language."""
    settings = get_justice_settings(state["settings"])
    return Addressee(settings, settings.participants[0].model_copy(update={"language": settings.language}))
