"""Statements of a run that a person may see.

During a blind step, they exclude the statements of the current round.
"""

from ...state import OWNER, BlindRoundSettings, Statement, drop_silenced_statements
from .open_questions import RunSnapshot, list_open_questions


def list_visible_statements(snapshot: RunSnapshot, name: str) -> list[Statement]:
    """Return the statements that a seat may see: its own, and others' up to the last visible turn."""
    last_turn, history = (
        get_last_visible_turn(snapshot, name),
        drop_silenced_statements(snapshot.values.get("history", [])),
    )
    return [statement for statement in history if statement.speaker == name or statement.turn <= last_turn]


def get_last_visible_turn(snapshot: RunSnapshot, name: str) -> int:
    """Return the number of the last turn that a seat may see, or 0.

    A blind round becomes visible when it ends. In an anonymous protocol only the person who writes the
    synthesis sees statements.
    """
    values, history = snapshot.values, snapshot.values.get("history", [])
    questions = [question for question in list_open_questions(snapshot) if question["who"] != OWNER]
    own_visible_turns = [question["heard"] for question in questions if question["who"] == name]
    if not history or (not own_visible_turns and values["settings"].anonymous):
        return 0
    if visible_turns := own_visible_turns or [question["heard"] for question in questions]:
        return min(visible_turns)
    blind_round = values["round"] if is_blind_step(snapshot) else None
    return max((statement.turn for statement in history if statement.round != blind_round), default=0)


def is_blind_step(snapshot: RunSnapshot) -> bool:
    """Return whether several participants speak now without seeing each other's statements."""
    settings = snapshot.values["settings"]
    steps = [task.name for task in getattr(snapshot, "tasks", ())] or list(getattr(snapshot, "next", ()))
    return (
        isinstance(settings, BlindRoundSettings)
        and settings.is_blind_round(snapshot.values["round"])
        and "speak" in steps
    )
