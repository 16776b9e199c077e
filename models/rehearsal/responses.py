"""Responses to the other speakers: a quotation and the speaker's reaction to it."""

from .filler import capitalize_sentences
from .quotations import list_quotable_clauses
from .scene import Scene

UNEASY_CONVICTION = 0.62
"""Conviction below which a speaker grants a point before countering, 0 to 1."""
NEAR_OPINION = 0.25
"""Distance of opinions in a group below which speakers build on each other."""


def write_response(scene: Scene) -> list[str]:
    """Write a quotation of the latest statement and one sentence in response to it.

    If the record is partial, write one sentence that also names the turn, so that it cannot repeat.
    """
    reply = write_reaction(scene)
    if scene.is_partial and scene.quote and scene.prompt.last_statement and reply:
        turn, continuation = str(scene.prompt.last_statement.turn), continue_sentence(reply)
        return [scene.pick_phrase("lines", "take_up_turn", [], turn=turn, answer=continuation) or reply]
    if not scene.quote:
        return [scene.pick_phrase("lines", "take_up_term", []), reply]
    return [quote_two_speakers(scene) or scene.pick_phrase("lines", "take_up", []), reply]


def quote_two_speakers(scene: Scene) -> str:
    """Quote the previous speaker as well, now and then and only if the two differ; otherwise return an empty text."""
    clauses = (
        list_quotable_clauses(scene.prompt.previous_statement.text)
        if scene.prompt.previous_statement and not scene.is_united
        else []
    )
    earlier_clauses = [clause for clause in clauses if scene.stock.find_argument(clause)] or [
        clause for clause in clauses if not scene.stock.is_aside(clause)
    ]
    if (
        not scene.prompt.previous_statement
        or not earlier_clauses
        or earlier_clauses[0] == scene.quote
        or scene.rng.random() > 0.35
    ):
        return ""
    return scene.pick_phrase(
        "lines", "take_up_two", [], other=scene.prompt.previous_statement.speaker, earlier=earlier_clauses[0]
    )


def write_reaction(scene: Scene) -> str:
    """Write one sentence on the quotation: a rebuttal, a granted point, agreement, or doubt."""
    if scene.is_settled:
        is_conceded = scene.prompt.last_statement is not None and scene.is_surrender(scene.prompt.last_statement)
        return scene.pick_phrase("lines", "thank" if is_conceded else "build", [])
    if scene.side:
        is_uneasy = (
            bool(scene.prompt.own_statements)
            and scene.course.compute_conviction(scene.prompt.speaker) < UNEASY_CONVICTION
        )
        return (
            grant_point(scene) if is_uneasy and scene.dimension and scene.rng.random() < 0.7 else write_rebuttal(scene)
        )
    if scene.is_united:
        return scene.pick_phrase("lines", "agreed", [])
    is_near = abs(scene.opinion - scene.course.opinions.get(scene.addressee, 0.5)) < NEAR_OPINION
    line = scene.pick_phrase("lines", "build" if is_near else "doubt", [])
    return line if is_near or scene.attitude == "joint" else f"{line}{scene.stock.gap}{write_rebuttal(scene)}".strip()


def grant_point(scene: Scene) -> str:
    """Grant the quoted point in part."""
    return scene.pick_phrase("lines", "grant", [], dim=scene.stock.get_phrase("names", scene.dimension))


def write_rebuttal(scene: Scene) -> str:
    """Write a rebuttal of the quotation: the known answer to its argument, or else a general rebuttal."""
    argument = scene.quoted_argument
    if argument and argument.attitude not in (scene.attitude, "joint"):
        answer = capitalize_sentences(scene.filler.fill_template(argument.answer, argument.key))
        if answer not in scene.record_text:
            return answer
    return scene.pick_phrase("rebuttals", scene.attitude, []) if scene.attitude != "joint" else ""


def continue_sentence(text: str) -> str:
    """Lower the first letter of a sentence that follows a semicolon. "I" keeps its capital."""
    return text if text[:2] in ("I ", "I'") else text[:1].lower() + text[1:]
