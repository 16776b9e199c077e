"""Composition of a statement: quote, respond, add something new."""

from ...state.random_streams import make_rng
from .filler import TemplateFiller, capitalize_sentences, pick_unused_text
from .persona import rank_arguments
from .quotations import count_words
from .responses import write_response
from .scene import Scene
from .stock import Argument, extract_mark

WEARY_WORDS = 20
"""Number of words below which a statement shows that its speaker is weary."""

WEARY_ROUNDS = 3
"""Rounds for which a stuck group stays weary if it is not stopped. Then it starts afresh."""


def draw_temper(scene: Scene) -> tuple[str, int]:
    """Draw a stuck group's behaviour (`repeat`, `quit`, `steady`), and the statement from which it starts."""
    rng = make_rng(scene.seed, "temper", *sorted(scene.prompt.participants))
    style = rng.choices(["repeat", "quit", "steady"], [0.36, 0.42, 0.22])[0]
    return style, len(scene.prompt.participants) * rng.randint(2, 3) + rng.randint(0, 1)


def is_weary(scene: Scene) -> bool:
    """Return whether the group is weary now.

    A weary group is stuck and out of patience. It stays weary for `WEARY_ROUNDS` rounds, unless it has just
    quit.
    """
    statements, seats = scene.prompt.statements, len(scene.prompt.participants)
    style, patience = draw_temper(scene)
    has_quit = len(statements) >= seats and all(
        count_words(statement.text) < WEARY_WORDS for statement in statements[-seats:]
    )
    is_due = patience < scene.prompt.turn <= patience + WEARY_ROUNDS * seats
    return style != "steady" and is_due and scene.course.quiet_count >= 4 and not has_quit


def write_weary_statement(scene: Scene) -> str:
    """Write the statement of a stuck speaker; empty if every variant is used."""
    style, _ = draw_temper(scene)
    return scene.pick_phrase("lines", "tired", []) if style == "quit" else repeat_arguments(scene)


def repeat_arguments(scene: Scene) -> str:
    """Repeat the speaker's own earlier arguments in another order and with another join."""
    parts = [scene.pick_phrase("lines", "stuck", [])]
    turn_arguments = [
        (statement.turn, argument)
        for statement in scene.prompt.own_statements
        for argument in scene.stock.list_arguments_in(statement.text)
    ]
    pairs = [pair for pair in turn_arguments if pair[1].attitude == scene.attitude][:2]
    for turn, argument in pairs:
        filler = TemplateFiller(scene.stock, scene.motion, scene.seed, turn, scene.filler.names)
        claim, ground, wheel = filler.fill_argument(argument)
        lines = scene.stock.get_variants("joins", "again")
        start = (scene.prompt.turn + wheel) % len(lines)
        rotated_lines = sorted([*lines[start:], *lines[:start]], key=lambda line: extract_mark(line) in " ".join(parts))
        candidates = (filler.fill_template(line, 0, claim=claim, ground=ground) for line in rotated_lines)
        parts.append(
            pick_unused_text((capitalize_sentences(candidate) for candidate in candidates), scene.record_text, parts)
        )
    return scene.stock.gap.join(parts) if len(parts) > 1 and all(parts) else ""


def write_statement(scene: Scene) -> str:
    """Write the next statement."""
    if scene.prompt.last_statement is None:
        return write_opening(scene)
    if scene.side and not scene.is_settled and is_won_over(scene):
        return write_concession(scene)
    if (
        not scene.is_settled
        and not scene.is_united
        and is_weary(scene)
        and (weary_statement := write_weary_statement(scene))
    ):
        return weary_statement
    return write_answer(scene)


def is_won_over(scene: Scene) -> bool:
    """Return whether a side has lost its conviction after at least two statements."""
    return scene.course.compute_conviction(scene.prompt.speaker) < 0.5 and len(scene.prompt.own_statements) > 1


def write_opening(scene: Scene) -> str:
    """Write the first statement, with no other statement to respond to."""
    is_crowded = scene.prompt.seat >= len(scene.stock.get_variants("lines", "open_group"))
    key = f"open_{scene.attitude}" if scene.side else "open_named" if is_crowded else "open_group"
    parts = [scene.pick_phrase("lines", key, [])]
    if not scene.side and not is_crowded:
        parts.append(scene.pick_phrase("lines", f"lean_{scene.attitude}", parts))
    first, second, *_ = pick_distinct_arguments(rank_by_seat(scene, list_arguments(scene, scene.attitude)))
    parts.append(write_argument(scene, first, "opening", parts))
    if has_room(scene, parts, 0):
        parts.append(write_argument(scene, second, "second", parts))
    return join_statement(scene, parts)


def write_answer(scene: Scene) -> str:
    """Respond to the latest statement and add arguments."""
    parts = write_response(scene)
    for index, argument in enumerate(pick_distinct_arguments(list_arguments(scene, scene.attitude))):
        if index and not has_room(scene, parts, 22):
            break
        parts.append(
            write_argument(scene, argument, "first" if index or not needs_introduction(scene) else "role", parts)
        )
    if not scene.is_partial and has_room(scene, parts, 6):
        parts.append(write_closing(scene, parts))
    return join_statement(scene, parts)


def needs_introduction(scene: Scene) -> bool:
    """Return whether the speaker names its role: once, in its first answer."""
    return not scene.prompt.own_statements and bool(scene.filler.names["role"])


def list_arguments(scene: Scene, attitude: str) -> list[Argument]:
    """List the arguments for an attitude in the order in which this speaker would bring them."""
    return rank_arguments(scene.seed, scene.prompt, scene.stock, attitude)


def rank_by_seat(scene: Scene, arguments: list[Argument]) -> list[Argument]:
    """Put the arguments of the speaker's seat first, so that openings of a blind round differ."""
    return sorted(
        arguments, key=lambda argument: argument.key % max(1, len(scene.prompt.participants)) != scene.prompt.seat
    )


def pick_distinct_arguments(arguments: list[Argument]) -> list[Argument]:
    """Pick the first three arguments in different dimensions."""
    first_by_dimension = {argument.dimension: argument for argument in reversed(arguments)}
    return [argument for argument in arguments if first_by_dimension[argument.dimension] is argument][:3]


def write_argument(scene: Scene, argument: Argument, join: str, parts: list[str]) -> str:
    """Write an argument as one unused sentence, with a join that the record has not used lately.

    If the record is partial, the join comes from another list and depends on the turn alone.
    """
    claim, ground, wheel = scene.filler.fill_argument(argument)
    lines = scene.stock.get_variants("joins", "later" if scene.is_partial else join)
    start = wheel % len(lines)
    dimension_name, statement_text = scene.stock.get_phrase("names", argument.dimension), " ".join(parts)

    def rate_wear(line: str) -> tuple[bool, bool, bool]:
        is_distinctive = len(extract_mark(line)) > 3
        return (
            is_distinctive and extract_mark(line) in statement_text,
            "{dim}" in line and dimension_name in claim,
            is_distinctive and extract_mark(line) in scene.recent_text,
        )

    rotated_lines = [*lines[start:], *lines[:start]]
    join_lines = [
        *(rotated_lines if scene.is_partial else sorted(rotated_lines, key=rate_wear)),
        *scene.stock.get_variants("joins", "first"),
    ]
    candidates = (
        scene.filler.fill_template(line, argument.key, claim=claim, ground=ground, dim=dimension_name)
        for line in join_lines
    )
    return pick_unused_text((capitalize_sentences(candidate) for candidate in candidates), scene.record_text, parts)


def write_closing(scene: Scene, parts: list[str]) -> str:
    """Ask the addressee a question, or repeat the speaker's own position."""
    if scene.is_united:
        return scene.pick_phrase("lines", "settled", parts)
    if scene.rng.random() < 0.55 and scene.attitude != "joint":
        return scene.pick_phrase("lines", "ask", parts)
    return scene.pick_phrase("lines", f"stay_{scene.attitude}", parts)


def write_concession(scene: Scene) -> str:
    """Give up the speaker's side plainly, and name the reason."""
    dimension = scene.dimension or list_arguments(scene, scene.attitude)[0].dimension
    parts = [scene.pick_phrase("lines", f"concede_{scene.attitude}", [])]
    if scene.quote:
        parts.append(scene.pick_phrase("lines", "concede_why", parts, dim=scene.stock.get_phrase("names", dimension)))
    parts.append(scene.pick_phrase("lines", "concede_end", parts))
    return join_statement(scene, parts)


def has_room(scene: Scene, parts: list[str], word_count: int) -> bool:
    """Return whether `word_count` more words fit into the statement.

    Its limit is 42 % of the number of words that the prompt asks for, but 30 to 110.
    """
    return count_words(" ".join(parts)) + word_count <= min(110, max(30, round(scene.prompt.word_target * 0.42)))


def join_statement(scene: Scene, parts: list[str]) -> str:
    """Join the sentences to one text; if all were used before, return one that names the turn."""
    sentences = [part for part in parts if part]
    return scene.stock.gap.join(sentences or [scene.pick_phrase("lines", "fallback", [], turn=str(scene.prompt.turn))])
