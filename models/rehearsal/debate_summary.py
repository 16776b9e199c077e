"""Summary of a debate: statements with speaker and turn, shifts, and open points."""

import re

from .filler import capitalize_sentences
from .prompt import PromptStatement
from .quotations import list_quotable_clauses
from .scene import Scene

SHIFT_THRESHOLD = 0.12
"""Smallest shift of opinion that the summary mentions."""


def rank_clauses(scene: Scene, statement: PromptStatement) -> list[str]:
    """Rank a statement's clauses: claims, then their grounds, then other clauses, then asides."""

    def get_rank(clause: str) -> int:
        argument = scene.stock.find_argument(clause)
        return 2 + scene.stock.is_aside(clause) if argument is None else int(argument.mark not in clause)

    return sorted(list_quotable_clauses(statement.text), key=get_rank)


def describe_statement(scene: Scene, key: str, statement: PromptStatement, index: int = 0, **values: str) -> str:
    """Describe one statement with a phrase, its words and its turn."""
    clauses = rank_clauses(scene, statement) or [" ".join(statement.text.split())[:80].rstrip()]
    slots = {"name": statement.speaker, "quote": clauses[min(index, len(clauses) - 1)], "cite": f"[{statement.turn}]"}
    return capitalize_sentences(scene.filler.fill_template(scene.stock.get_phrase("closing", key), 0, **slots | values))


def summarize_sides(scene: Scene, sides: list[str]) -> list[list[str]]:
    """Write the parts of a debate's synthesis: summary, strongest points, agreement and dispute, shifts, verdict."""
    statements_by_name = {
        name: [statement for statement in scene.prompt.statements if statement.speaker == name] for name in sides
    }
    speakers = [name for name in sides if statements_by_name[name]]
    values = {"first": sides[0], "second": sides[1], "turns": str(len(scene.prompt.statements))}
    summary = scene.filler.fill_template(scene.stock.get_phrase("closing", "summary_debate"), 0, **values)
    openings = [
        describe_statement(scene, key, statements_by_name[name][0])
        for key, name in zip(("began", "answered"), speakers, strict=False)
    ]
    arguments = [line for name in speakers for line in describe_strongest_arguments(scene, statements_by_name[name])]
    return [
        [summary, *openings],
        arguments,
        [describe_granted_point(scene), describe_dispute(scene)],
        describe_all_shifts(scene, statements_by_name),
        [describe_winner(scene, sides)],
    ]


def describe_strongest_arguments(scene: Scene, statements: list[PromptStatement]) -> list[str]:
    """Describe two arguments of one speaker, if possible from different statements."""
    candidates = [statement for statement in statements[1:] if not scene.is_surrender(statement)] or statements[:1]
    lines = [describe_statement(scene, "strongest", candidates[len(candidates) // 2])]
    return [*lines, describe_statement(scene, "also", candidates[-1], 1)] if len(candidates) > 1 else lines


def describe_granted_point(scene: Scene) -> str:
    """Describe a point that one side granted, or say that there was none."""
    openings = [line.split("{")[0].strip() for line in scene.stock.get_variants("lines", "grant")]
    grant_openings = [opening for opening in openings if len(opening) > 3]
    for previous, statement in zip(scene.prompt.statements, scene.prompt.statements[1:], strict=False):
        if not any(opening in statement.text for opening in grant_openings):
            continue
        quotation = next((clause for clause in rank_clauses(scene, previous) if clause in statement.text), "")
        if quotation and (argument := scene.stock.find_argument(quotation)):
            return describe_statement(
                scene,
                "common_some",
                statement,
                quote=quotation,
                dim=scene.stock.get_phrase("names", argument.dimension),
            )
    last_statement = scene.prompt.statements[-1]
    return describe_statement(scene, "common_none", last_statement, dim=name_last_dimension(scene, last_statement))


def describe_dispute(scene: Scene) -> str:
    """Describe the open point of the last statement that concedes nothing; empty without such a statement."""
    open_statements = [statement for statement in scene.prompt.statements if not scene.is_surrender(statement)]
    return (
        describe_statement(scene, "dispute", open_statements[-1], dim=name_last_dimension(scene, open_statements[-1]))
        if open_statements
        else ""
    )


def name_last_dimension(scene: Scene, statement: PromptStatement) -> str:
    """Name the dimension of a statement's last argument."""
    arguments = scene.stock.list_arguments_in(statement.text)
    dimension = arguments[-1].dimension if arguments else scene.stock.detect_dimension(statement.text)
    return scene.stock.get_phrase("names", dimension or "effects")


def describe_all_shifts(scene: Scene, statements_by_name: dict[str, list[PromptStatement]]) -> list[str]:
    """Describe each side's concession or shift, with its turn."""
    lines = [describe_shift(scene, name, statements) for name, statements in statements_by_name.items() if statements]
    if any(scene.is_surrender(statement) for statement in scene.prompt.statements):
        return lines
    return [*lines, scene.stock.get_phrase("closing", "no_concession")]


def describe_shift(scene: Scene, name: str, statements: list[PromptStatement]) -> str:
    """Describe one side's course through the debate."""
    if concession := next((statement for statement in statements if scene.is_surrender(statement)), None):
        return describe_statement(scene, "conceded", concession, quote=quote_surrender(scene, concession))
    if len(statements) == 1:
        return ""
    key = "moved" if abs(compute_shift(scene, name)) >= SHIFT_THRESHOLD else "stayed"
    return describe_statement(scene, key, statements[-1], since=f"[{statements[0].turn}]")


def quote_surrender(scene: Scene, statement: PromptStatement) -> str:
    """Return the sentence with which a statement concedes."""
    marks = scene.stock.get_variants("marks", "conceded")
    parts = re.split(r"(?<=[.!。！])\s*", statement.text)
    return next((part.rstrip(".。!！") for part in parts if any(mark in part.casefold() for mark in marks)), "")


def compute_shift(scene: Scene, name: str) -> float:
    """Compute the distance of an opinion from its start; positive towards `for`."""
    return scene.course.opinions[name] - scene.course.traits[name].start


def describe_winner(scene: Scene, sides: list[str]) -> str:
    """Name the side that moved the other more than it moved itself, or say that they are even."""
    conceding_names = {statement.speaker for statement in scene.prompt.statements if scene.is_surrender(statement)}
    distances = {name: abs(compute_shift(scene, name)) + (name in conceding_names) for name in sides}
    winner, loser = sorted(sides, key=lambda name: distances[name])
    if distances[loser] - distances[winner] < SHIFT_THRESHOLD:
        return scene.stock.get_phrase("closing", "even")
    return scene.filler.fill_template(scene.stock.get_phrase("closing", "better"), 0, name=winner)
