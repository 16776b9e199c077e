"""Composition of a statement: words it answers, key words of an answer, and the opinion."""

from ...prompts import get_term
from ...state import make_rng
from .scene import BRIEF_STATEMENT, MAX_POINTS, Scene, count_words

DEFAULT_WORDS = 150
"""Words of a statement whose task asks for no number."""
UNEASY_CONVICTION = 0.62
"""Conviction below which a speaker partly gives up its side, 0 to 1."""


def write_statement(scene: Scene) -> str:
    """Write the next statement."""
    if scene.last_statement is None:
        return write_opening(scene)
    quote = scene.quote_statement(scene.last_text)
    has_conceded = any(statement.act == "concede" for statement in scene.brief.statements)
    if scene.side and not has_conceded and scene.conviction < 0.5 and len(scene.own_statements) > 1:
        concession = scene.fill_phrase("lines", "concede", quote=quote)
        return f"{concession}\n\n{get_term(scene.brief.language, 'sides', 'concede')}"
    if _is_weary(scene):
        for farewell in scene.get_variants("lines", "tired"):
            if (text := farewell.format(who=scene.addressee, quote=quote)) not in scene.record_text:
                return text
    return scene.gap.join([write_answer(scene), write_stance(scene)])


def _is_weary(scene: Scene) -> bool:
    """Return whether the speaker is weary of a stuck group.

    This lasts for three rounds after the group runs out of patience.
    """
    statements, seats = scene.brief.statements, len(scene.brief.roles)
    rng = make_rng(scene.seed, "temper", *sorted(scene.brief.roles))
    is_patient, patience = rng.random() < 0.6, seats * rng.randint(2, 3)
    has_quit = all(count_words(statement.content) < BRIEF_STATEMENT for statement in statements[-seats:])
    is_stuck = patience < scene.turn <= patience + 3 * seats and scene.course.quiet_count >= 4
    return is_stuck and not (is_patient or has_quit or scene.is_settled or scene.is_united)


def write_opening(scene: Scene) -> str:
    """Write the first statement, which has no other statement to answer."""
    opening = scene.fill_phrase("lines", f"open_{scene.attitude}" if scene.side else "open_group")
    return scene.gap.join([opening, scene.fill_phrase("lines", "points", points=_join_next_points(scene))])


def write_answer(scene: Scene) -> str:
    """Write an answer: name the words that the statement answers, and add key words."""
    return scene.fill_phrase(
        "lines", "answer", quote=scene.quote_statement(scene.last_text), points=_join_next_points(scene)
    )


def write_stance(scene: Scene) -> str:
    """Say what the speaker thinks now."""
    key = "agreed" if scene.is_united else f"stand_{scene.attitude}"
    return scene.fill_phrase("lines", key, share=round(100 * scene.conviction))


def _join_next_points(scene: Scene) -> str:
    """Join the speaker's next key words: one for 30 words that the task asks for, from 4 to `MAX_POINTS`."""
    return scene.join_points(scene.list_points(min(MAX_POINTS, max(4, get_word_target(scene) // 30))))


def get_word_target(scene: Scene) -> int:
    """Return the number of words that the task asks for; `DEFAULT_WORDS` without a number."""
    words = scene.brief.values.get("words")
    return words if isinstance(words, int) else DEFAULT_WORDS
