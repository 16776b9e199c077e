"""Announcement of a vote's result, which memories and all later prompts show."""

from collections.abc import Mapping

from ...state import FloorState, MemoryState, Notice, TaskState, Update, build_memory_write


class AnnouncementState(TaskState, FloorState, MemoryState):
    """Channels of the function that announces a line to all participants."""


def announce_to_all(state: AnnouncementState, line: str, quotes: Mapping[str, str] | None = None) -> Update:
    """Return the update that announces `line` to all, even if their view omits the statements before it.

    `quotes`: participants' words by name, shown below the line.
    """
    notice = Notice(turn=state["turn"], text=line, quotes=dict(quotes or {}))
    memory = build_memory_write(state["memory"], notice.list_lines(), state["settings"].memory, [])
    return Update(notices=[notice], memory=memory)
