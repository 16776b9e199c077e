"""Announcement of a vote's result in memory and in every later prompt."""

from collections.abc import Mapping

from ...state import FloorState, MemoryState, Notice, TaskState, Update, build_memory_write


class AnnouncementState(TaskState, FloorState, MemoryState):
    """Channels that an announcement reads."""


def announce_to_all(state: AnnouncementState, line: str, said: Mapping[str, str] | None = None) -> Update:
    """Return the update that shows `line` to all, even if their view omits the statements before the line.

    `said`: participants' words by name, shown below the line.
    """
    notice = Notice(turn=state["turn"], text=line, said=dict(said or {}))
    memory = build_memory_write(state["memory"], notice.list_lines(), state["settings"].memory, [])
    return Update(notices=[notice], memory=memory)
