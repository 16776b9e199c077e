"""Composition of a statement: quote, respond, and add a new point."""

from ...prompts import get_term
from ...state.random_streams import make_rng
from .quotations import BRIEF_STATEMENT, count_words, list_quotable_clauses
from .scene import Scene, capitalize_sentences, rotate_list
from .stock import Argument, extract_mark

UNEASY_CONVICTION = 0.62
"""Conviction below which a speaker grants a point before countering, 0 to 1."""


def write_statement(scene: Scene) -> str:
    """Write the next statement."""
    if scene.last_statement is None:
        return write_opening(scene)
    if scene.side and not scene.is_settled and scene.conviction < 0.5 and len(scene.own_statements) > 1:
        return _write_concession(scene)
    weary_statement = "" if scene.is_settled or scene.is_united else _write_weary_statement(scene)
    return weary_statement or _write_answer(scene)


def _write_concession(scene: Scene) -> str:
    dimension = scene.dimension or scene.list_arguments(scene.attitude)[0].dimension
    parts = [scene.pick_phrase("lines", f"concede_{scene.attitude}")]
    if scene.quote:
        parts.append(scene.pick_phrase("lines", "concede_why", parts, dim=scene.stock.get_phrase("names", dimension)))
    text = join_statement(scene, [*parts, scene.pick_phrase("lines", "concede_end", parts)])
    return f"{text}\n\n{get_term(scene.brief.language, 'debate', 'concede')}"


def _write_weary_statement(scene: Scene) -> str:
    """Write the statement of a speaker who is stuck; empty if the group is not stuck or all variants are used.

    A stuck group repeats itself or loses interest for three rounds, unless it is patient or has just done so.
    """
    statements, seats = scene.brief.statements, len(scene.brief.roles)
    rng = make_rng(scene.seed, "temper", *sorted(scene.brief.roles))
    style = rng.choices(["repeat", "quit", "steady"], [0.36, 0.42, 0.22])[0]
    patience = seats * rng.randint(2, 3) + rng.randint(0, 1)
    is_due = patience < scene.turn <= patience + 3 * seats and scene.course.quiet_count >= 4
    latest_lengths = [count_words(statement.content) for statement in statements[-seats:]]
    has_quit = len(statements) >= seats and max(latest_lengths) < BRIEF_STATEMENT
    if style == "steady" or not is_due or has_quit:
        return ""
    if style == "quit":
        return scene.pick_phrase("lines", "tired")
    # Repeat the speaker's own arguments in another order and with another join.
    parts = [scene.pick_phrase("lines", "stuck")]
    pairs = [
        (statement.turn, argument)
        for statement in scene.own_statements
        for argument in scene.stock.list_arguments_in(statement.content)
        if argument.attitude == scene.attitude
    ]
    for turn, argument in pairs[:2]:
        claim, ground, wheel = scene.fill_argument(argument, turn)
        lines = rotate_list(scene.stock.get_variants("joins", "again"), scene.turn + wheel)
        lines.sort(key=lambda line: extract_mark(line) in " ".join(parts))
        values = {"claim": claim, "ground": ground}
        candidates = (scene.fill_template(line, values, 0, turn) for line in lines)
        parts.append(scene.pick_unused(map(capitalize_sentences, candidates), parts))
    return scene.stock.gap.join(parts) if len(parts) > 1 and all(parts) else ""


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
    first, second, *_ = _pick_distinct_arguments(arguments)
    parts.append(write_argument(scene, first, "opening", parts))
    if _has_room(scene, parts, 0):
        parts.append(write_argument(scene, second, "second", parts))
    return join_statement(scene, parts)


def _write_answer(scene: Scene) -> str:
    parts = write_response(scene)
    for index, argument in enumerate(_pick_distinct_arguments(scene.list_arguments(scene.attitude))):
        if index and not _has_room(scene, parts, 22):
            break
        is_introduction = not index and not scene.own_statements and bool(scene.names["role"])
        parts.append(write_argument(scene, argument, "role" if is_introduction else "first", parts))
    if not scene.is_partial and _has_room(scene, parts, 6):
        key = "settled" if scene.is_united else f"stay_{scene.attitude}"
        if not scene.is_united and scene.rng.random() < 0.55 and scene.attitude != "joint":
            key = "ask"
        parts.append(scene.pick_phrase("lines", key, parts))
    return join_statement(scene, parts)


def _pick_distinct_arguments(arguments: list[Argument]) -> list[Argument]:
    first_by_dimension: dict[str, Argument] = {}
    for argument in arguments:
        first_by_dimension.setdefault(argument.dimension, argument)
    return list(first_by_dimension.values())[:3]


def _has_room(scene: Scene, parts: list[str], word_count: int) -> bool:
    """Return whether `word_count` more words fit into the statement.

    The limit is 42 % of the words that the task asks for, but between 30 and 110.
    """
    limit = min(110, max(30, round(get_word_target(scene) * 0.42)))
    return count_words(" ".join(parts)) + word_count <= limit


def get_word_target(scene: Scene) -> int:
    """Return the number of words that the task asks for; 150 without a number."""
    words = scene.brief.values.get("words")
    return words if isinstance(words, int) else 150


def write_argument(scene: Scene, argument: Argument, join: str, parts: list[str]) -> str:
    """Write an argument as one unused sentence, with a join that was not used recently.

    If the record is partial, the join comes from another list and depends only on the turn.
    """
    claim, ground, wheel = scene.fill_argument(argument)
    dimension_name, statement_text = scene.stock.get_phrase("names", argument.dimension), " ".join(parts)

    def rate_wear(line: str) -> tuple[bool, bool, bool]:
        mark, names_dimension = extract_mark(line), "{dim}" in line and dimension_name in claim
        if len(mark) <= 3:
            return False, names_dimension, False
        return mark in statement_text, names_dimension, mark in scene.recent_text

    lines = rotate_list(scene.stock.get_variants("joins", "later" if scene.is_partial else join), wheel)
    if not scene.is_partial:
        lines.sort(key=rate_wear)
    lines += scene.stock.get_variants("joins", "first")
    values = {"claim": claim, "ground": ground, "dim": dimension_name}
    candidates = (scene.fill_template(line, values, argument.key) for line in lines)
    return scene.pick_unused(map(capitalize_sentences, candidates), parts)


def join_statement(scene: Scene, parts: list[str]) -> str:
    """Join the sentences to one text. If all were used before, return one that names the turn."""
    sentences = [part for part in parts if part]
    return scene.stock.gap.join(sentences or [scene.pick_phrase("lines", "fallback", turn=str(scene.turn))])


def write_response(scene: Scene) -> list[str]:
    """Write a quotation of the latest statement and one sentence in response.

    If the record is partial, write one sentence that also names the turn, so that it cannot repeat. Sometimes quote
    the previous speaker as well, if it is another participant.
    """
    reaction = _write_reaction(scene)
    if scene.is_partial and scene.quote and scene.last_statement and reaction:
        # "I" keeps its capital after a semicolon.
        answer = reaction if reaction[:2] in ("I ", "I'") else reaction[:1].lower() + reaction[1:]
        turn = str(scene.last_statement.turn)
        return [scene.pick_phrase("lines", "take_up_turn", turn=turn, answer=answer) or reaction]
    if not scene.quote:
        return [scene.pick_phrase("lines", "take_up_term"), reaction]
    previous = scene.previous_statement
    clauses = list_quotable_clauses(previous.content) if previous and not scene.is_united else []
    earlier_clauses = [clause for clause in clauses if scene.stock.find_argument(clause)]
    earlier_clauses = earlier_clauses or [clause for clause in clauses if not scene.stock.is_aside(clause)]
    quotation, has_earlier = "", bool(earlier_clauses) and earlier_clauses[0] != scene.quote
    if previous and has_earlier and scene.rng.random() <= 0.35:
        quotation = scene.pick_phrase("lines", "take_up_two", other=previous.speaker, earlier=earlier_clauses[0])
    return [quotation or scene.pick_phrase("lines", "take_up"), reaction]


def _write_reaction(scene: Scene) -> str:
    """Write one sentence about the quotation: a rebuttal, a granted point, agreement, or doubt."""
    if scene.is_settled:
        is_conceded = scene.last_statement is not None and scene.last_statement.act == "concede"
        return scene.pick_phrase("lines", "thank" if is_conceded else "build")
    if scene.side:
        is_uneasy = bool(scene.own_statements) and scene.conviction < UNEASY_CONVICTION
        if is_uneasy and scene.dimension and scene.rng.random() < 0.7:
            return scene.pick_phrase("lines", "grant", dim=scene.stock.get_phrase("names", scene.dimension))
        return _write_rebuttal(scene)
    if scene.is_united:
        return scene.pick_phrase("lines", "agreed")
    is_near = abs(scene.opinion - scene.course.opinions.get(scene.addressee, 0.5)) < 0.25
    line = scene.pick_phrase("lines", "build" if is_near else "doubt")
    return line if is_near or scene.attitude == "joint" else f"{line}{scene.stock.gap}{_write_rebuttal(scene)}".strip()


def _write_rebuttal(scene: Scene) -> str:
    """Write a rebuttal of the quotation: the stock's answer to its argument, or a general one."""
    argument = scene.quoted_argument
    if argument and argument.attitude not in (scene.attitude, "joint"):
        answer = capitalize_sentences(scene.fill_template(argument.answer, {}, argument.key))
        if answer not in scene.record_text:
            return answer
    return scene.pick_phrase("rebuttals", scene.attitude) if scene.attitude != "joint" else ""
