"""Composition of a statement: quote, respond, and add a new point."""

from ...prompts import get_term
from ...state.random_streams import make_rng
from .quotations import BRIEF_STATEMENT, count_words
from .scene import Scene
from .stock import Argument

UNEASY_CONVICTION = 0.62
"""Conviction below which a speaker grants a point before countering, 0 to 1."""


def write_statement(scene: Scene) -> str:
    """Write the next statement."""
    if scene.last_statement is None:
        return write_opening(scene)
    has_conceded = any(statement.act == "concede" for statement in scene.brief.statements)
    if scene.side and not has_conceded and scene.conviction < 0.5 and len(scene.own_statements) > 1:
        parts = [scene.pick_phrase("lines", f"concede_{scene.attitude}")]
        if scene.quote:
            parts.append(scene.pick_phrase("lines", "concede_why", parts, dim=scene.stock.name_dimension(scene.quote)))
        parts.append(scene.pick_phrase("lines", "concede_end", parts))
        return f"{join_statement(scene, parts)}\n\n{get_term(scene.brief.language, 'debate', 'concede')}"
    if _is_weary(scene) and (farewell := scene.pick_phrase("lines", "tired")):
        return farewell
    parts = write_response(scene)
    _add_arguments(scene, parts, scene.list_arguments(scene.attitude), 3)
    if not scene.is_partial and _has_room(scene, parts, 6):
        key = "settled" if scene.is_united else f"stay_{scene.attitude}"
        if scene.attitude != "joint" and scene.rng.random() < 0.55:
            key = "ask"
        parts.append(scene.pick_phrase("lines", key, parts))
    return join_statement(scene, parts)


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
    is_crowded = scene.seat >= len(scene.stock.get_variants("lines", "open_group"))
    key = f"open_{scene.attitude}" if scene.side else "open_named" if is_crowded else "open_group"
    parts = [scene.pick_phrase("lines", key)]
    if not scene.side and not is_crowded:
        parts.append(scene.pick_phrase("lines", f"lean_{scene.attitude}", parts))
    # In a blind round each seat has arguments of its own.
    seats, arguments = max(1, len(scene.brief.roles)), scene.list_arguments(scene.attitude)
    arguments.sort(key=lambda argument: argument.key % seats != scene.seat)
    _add_arguments(scene, parts, arguments, 2)
    return join_statement(scene, parts)


def _add_arguments(scene: Scene, parts: list[str], arguments: list[Argument], limit: int) -> None:
    """Add one argument to a statement, and more of other dimensions while there is room."""
    first_by_dimension = {argument.dimension: argument for argument in reversed(arguments)}
    distinct_arguments = [argument for argument in arguments if first_by_dimension[argument.dimension] is argument]
    for index, argument in enumerate(distinct_arguments[:limit]):
        if not index or _has_room(scene, parts, 22):
            parts.append(write_argument(scene, argument, parts))


def _has_room(scene: Scene, parts: list[str], word_count: int) -> bool:
    """Return whether `word_count` more words fit into the statement.

    The limit is 42 % of the words that the task asks for, but at least 30 and at most 110.
    """
    limit = min(110, max(30, round(get_word_target(scene) * 0.42)))
    return count_words(" ".join(parts)) + word_count <= limit


def get_word_target(scene: Scene) -> int:
    """Return the number of words that the task asks for; 150 without a number."""
    words = scene.brief.values.get("words")
    return words if isinstance(words, int) else 150


def write_argument(scene: Scene, argument: Argument, parts: list[str]) -> str:
    """Write an argument as one unused sentence."""
    return scene.pick_phrase("joins", "first", parts, **scene.describe_argument(argument, scene.turn))


def join_statement(scene: Scene, parts: list[str]) -> str:
    """Join the sentences to one text. If all were used before, return a sentence that names the turn."""
    sentences = [part for part in parts if part]
    return scene.stock.gap.join(sentences or [scene.pick_phrase("lines", "fallback", turn=str(scene.turn))])


def write_response(scene: Scene) -> list[str]:
    """Write a quotation of the latest statement and one sentence in response.

    If part of the record is missing, write only the quotation, because the response could repeat an earlier one.
    """
    quotation = scene.pick_phrase("lines", "take_up" if scene.quote else "take_up_term")
    if scene.is_partial:
        return [quotation]
    if scene.is_settled:
        is_conceded = scene.last_statement is not None and scene.last_statement.act == "concede"
        return [quotation, scene.pick_phrase("lines", "thank" if is_conceded else "build")]
    if scene.side:
        if scene.own_statements and scene.conviction < UNEASY_CONVICTION and scene.rng.random() < 0.7:
            return [quotation, scene.pick_phrase("lines", "grant", dim=scene.stock.name_dimension(scene.quote))]
        return [quotation, scene.pick_phrase("rebuttals", scene.attitude)]
    if scene.is_united:
        return [quotation, scene.pick_phrase("lines", "agreed")]
    is_near = abs(scene.opinion - scene.course.opinions.get(scene.addressee, 0.5)) < 0.25
    return [quotation, scene.pick_phrase("lines", "build" if is_near else "doubt")]
