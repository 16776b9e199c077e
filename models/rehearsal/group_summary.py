"""Summary of a group: the common ground, every dissent with its author, and open points."""

import re

from .debate_summary import (
    SHIFT_THRESHOLD,
    compute_shift,
    describe_dispute,
    describe_statement,
    rank_clauses,
    summarize_sides,
)
from .opinion import CONTENT_AGREEMENT
from .scene import Scene
from .views import describe_objection

LETTERS_PER_WORD = 4
"""Letters of a summary for each requested word; Chinese has one ideograph instead."""


def write_synthesis(scene: Scene) -> str:
    """Write the synthesis: of a debate by its two sides, of a group by its members."""
    if not scene.prompt.statements:
        return scene.stock.get_phrase("answers", "greeting")
    sides = [name for name in scene.prompt.participants if scene.course.get_side(name)]
    blocks = summarize_sides(scene, sides) if len(sides) == 2 else summarize_group(scene)
    return "\n\n".join(scene.stock.gap.join(line for line in block if line) for block in blocks if any(block))


def summarize_group(scene: Scene) -> list[list[str]]:
    """Write the blocks of a group's synthesis."""
    latest_statements = {statement.speaker: statement for statement in scene.prompt.statements}
    comma = "、" if scene.prompt.language == "zh" else ", "
    values = {"names": comma.join(latest_statements), "turns": str(len(scene.prompt.statements))}
    summary = scene.filler.fill_template(scene.stock.get_phrase("closing", "summary_group"), 0, **values)
    lines = [describe_statement(scene, "said", statement) for statement in latest_statements.values()]
    return [
        [summary],
        lines,
        [describe_common_ground(scene)],
        list_dissents(scene),
        [describe_dispute(scene), describe_movement(scene)],
    ]


def list_dissents(scene: Scene) -> list[str]:
    """Format a line for each open objection."""
    line = scene.stock.get_phrase("closing", "dissent")
    return [
        scene.filler.fill_template(line, 0, name=name, objection=objection_text)
        for name, objection_text in collect_dissents(scene).items()
    ]


def collect_dissents(scene: Scene) -> dict[str, str]:
    """Collect the open objection of each dissenter: from the report in the task, or else in its own words."""
    lines = {name: rf"^\W*{re.escape(name)}\W*[:：]\s*(.+)$" for name in scene.prompt.participants}
    matches = {name: re.search(line, scene.prompt.task, re.MULTILINE) for name, line in lines.items()}
    if task_dissents := {name: line[1].strip() for name, line in matches.items() if line}:
        return task_dissents
    dissenters = [
        name for name in scene.prompt.participants if scene.course.compute_agreement(name) < CONTENT_AGREEMENT
    ]
    return {name: describe_objection(scene, name) for name in dissenters if scene.course.history.get(name)}


def describe_common_ground(scene: Scene, key: str = "") -> str:
    """Quote a joint argument of the member nearest to the others, or else that member's first clause.

    `key` names the phrase. The default phrase tells whether the group is united.
    """
    latest_statements = {statement.speaker: statement for statement in scene.prompt.statements}
    if not latest_statements:
        return scene.stock.get_phrase("answers", "greeting")
    phrase = key or ("common_group" if scene.course.is_united() else "common_thin")
    nearest_statements = sorted(
        latest_statements.values(), key=lambda statement: -scene.course.compute_agreement(statement.speaker)
    )
    for statement in nearest_statements:
        for clause in rank_clauses(scene, statement):
            if (argument := scene.stock.find_argument(clause)) and argument.attitude == "joint":
                return describe_statement(scene, phrase, statement, quote=clause)
    return describe_statement(scene, phrase, nearest_statements[0])


def describe_movement(scene: Scene) -> str:
    """Describe the changes of position, or say that there were none."""
    latest_statements = {statement.speaker: statement for statement in scene.prompt.statements}
    lines = [
        describe_statement(scene, "moved_group", statement)
        for name, statement in latest_statements.items()
        if abs(compute_shift(scene, name)) >= SHIFT_THRESHOLD
    ]
    return scene.stock.gap.join(lines) or scene.stock.get_phrase("closing", "no_concession")


def write_summary(scene: Scene) -> str:
    """Write one line for each statement, after the earlier summary; drop the oldest lines beyond the length limit."""
    new_lines = [describe_statement(scene, "said", statement) for statement in scene.prompt.statements]
    lines = [*scene.prompt.summary.splitlines(), *new_lines] or [scene.stock.get_phrase("answers", "greeting")]
    limit = scene.prompt.word_target if scene.prompt.language == "zh" else LETTERS_PER_WORD * scene.prompt.word_target
    while len(lines) > 1 and sum(map(len, lines)) > limit:
        lines = lines[1:]
    return "\n".join(lines)
