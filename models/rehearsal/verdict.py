"""Judgement on whether a deliberation should go on, with the deciding words."""

from dataclasses import dataclass

from .debate_summary import quote_surrender
from .prompt import PromptStatement
from .quotations import count_words, list_quotable_clauses
from .scene import Scene
from .speech import WEARY_WORDS


@dataclass(frozen=True)
class JudgeVerdict:
    """Reason, deciding words with their turn, and the judge's confidence (0…1)."""

    reason: str
    quote: str = ""
    turn: int = 0
    confidence: float = 0.6


def judge_record(scene: Scene) -> JudgeVerdict:
    """Judge the record: a concession, disengagement, repetition, or no reason to end the deliberation."""
    statements = scene.prompt.statements
    latest_statements = statements[-max(2, len({statement.speaker for statement in statements})) :]
    for statement in reversed(latest_statements[-2:]):
        if scene.is_surrender(statement):
            return JudgeVerdict("concession_detected", quote_surrender(scene, statement), statement.turn, 0.92)
    if len(statements) >= 4 and all(count_words(statement.text) < WEARY_WORDS for statement in latest_statements):
        return JudgeVerdict("stalemate_disengagement", statements[-1].text.strip(), statements[-1].turn, 0.85)
    if len(statements) >= 4 and all(_is_repetition(scene, statement) for statement in latest_statements):
        clauses = list_quotable_clauses(statements[-1].text) or [statements[-1].text.strip()]
        return JudgeVerdict("stalemate_repetition", clauses[0], statements[-1].turn, 0.8)
    return JudgeVerdict("continue", confidence=0.75)


def _is_repetition(scene: Scene, statement: PromptStatement) -> bool:
    """Return whether a statement makes only arguments that its speaker made before."""
    earlier_text = "\n".join(
        earlier.text
        for earlier in scene.prompt.statements
        if earlier.speaker == statement.speaker and earlier.turn < statement.turn
    )
    arguments = scene.stock.list_arguments_in(statement.text)
    return bool(arguments) and all(argument.mark in earlier_text for argument in arguments)
