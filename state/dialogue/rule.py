"""The stopping rule `dialogue`: concession, repetition, disengagement, read as people mean them."""

from .concession import conceded
from .disengagement import disengaged
from .finding import Finding, Transcript
from .repetition import repeated


def by_dialogue(talk: Transcript) -> Finding | None:
    """Why two people should stop, or a group: with three or more speakers nobody's concession ends it."""
    speakers = {speaker for speaker, _ in talk.turns}
    if len(speakers) <= 2:
        return conceded(talk) or repeated(talk, 2) or disengaged(talk, 2)
    window = min(len(speakers), 5)
    return repeated(talk, len(speakers)) or disengaged(talk, window)
