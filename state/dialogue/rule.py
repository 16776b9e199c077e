"""The stopping rule `dialogue`: concession, repetition, disengagement, read as people mean them."""

from .agreement import AGREED, leanings
from .concession import conceded
from .disengagement import disengaged
from .finding import Finding, Transcript
from .repetition import repeated

ROUND = 5
"""Statements that have to be thin in a group of five or more."""


def by_dialogue(talk: Transcript) -> Finding | None:
    """Why two speakers, or a group of three and more, should stop.

    In a group nobody's concession ends the talk, and agreement in whatever words is neither a loop nor silence: whether
    it is a consensus is for the caller to decide.
    """
    speakers = list(talk.latest())
    if len(speakers) <= 2:
        return conceded(talk) or repeated(talk, 2) or disengaged(talk, 2)
    stuck = repeated(talk, len(speakers)) or disengaged(talk, min(len(speakers), ROUND))
    agreeing = stuck and any(leaning.score >= AGREED for leaning in leanings(talk, speakers))
    return None if agreeing else stuck
