"""Judging whether a talk should go on, with the words that decide it."""

from dataclasses import dataclass

from .debate_summary import surrender
from .prompt import Heard
from .quoting import quotable, size
from .scene import Scene
from .speech import SHORT


@dataclass(frozen=True)
class Verdict:
    """A reason, the deciding words and their turn, and how sure the judge is (0…1)."""

    reason: str
    quote: str = ""
    turn: int = 0
    confidence: float = 0.6


def verdict(scene: Scene) -> Verdict:
    """What a judge of the record finds: surrender, silence, repetition, or nothing that should end it."""
    heard = scene.prompt.heard
    latest = heard[-max(2, len({one.speaker for one in heard})) :]
    for one in reversed(latest[-2:]):
        if scene.gave_up(one):
            return Verdict("concession_detected", surrender(scene, one), one.turn, 0.92)
    if len(heard) >= 4 and all(size(one.text) < SHORT for one in latest):
        return Verdict("stalemate_disengagement", heard[-1].text.strip(), heard[-1].turn, 0.85)
    if len(heard) >= 4 and all(_repeats(scene, one) for one in latest):
        said = quotable(heard[-1].text) or [heard[-1].text.strip()]
        return Verdict("stalemate_repetition", said[0], heard[-1].turn, 0.8)
    return Verdict("continue", confidence=0.75)


def _repeats(scene: Scene, one: Heard) -> bool:
    """Whether a statement makes only arguments its speaker made before."""
    before = "\n".join(old.text for old in scene.prompt.heard if old.speaker == one.speaker and old.turn < one.turn)
    argued = scene.stock.argued_in(one.text)
    return bool(argued) and all(argument.mark in before for argument in argued)
