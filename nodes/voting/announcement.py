"""Announcement of a vote's result: in every later prompt, and in memory."""

from ...state.deliberation import FloorState, MemoryState, TaskState
from ...state.memory import build_memory_write
from ...state.schemas import Update
from ...state.statement import Notice


class AnnouncementState(TaskState, FloorState, MemoryState):
    """Channels that an announcement reads."""


def announce_to_all(state: AnnouncementState, line: str) -> Update:
    """Return the update that shows `line` to everyone, whatever their view of the record."""
    notice = Notice(turn=state["turn"], text=line)
    return Update(notices=[notice], memory=build_memory_write(state["memory"], [line], state["settings"].memory, []))
