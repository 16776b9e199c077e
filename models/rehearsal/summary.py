"""Rehearsed summaries of a debate, a group or a record, and rehearsed judgements."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from ...state.history import map_latest_statements
from ...state.statement import Statement
from .opinion import CONTENT_AGREEMENT
from .quotations import BRIEF_STATEMENT, count_words, list_quotable_clauses
from .scene import Scene, capitalize_sentences
from .speech import get_word_target
from .views import describe_joint_position, describe_objection

SHIFT_THRESHOLD = 0.12
"""Smallest shift of opinion that the summary mentions."""


def write_synthesis(scene: Scene) -> str:
    """Write the synthesis: of a debate by its two sides, of a group by its members."""
    if not scene.brief.statements:
        return scene.stock.get_phrase("answers", "greeting")
    sides = [name for name in scene.brief.roles if scene.course.sides[name]]
    turns, latest_statements = str(len(scene.brief.statements)), map_latest_statements(scene.brief.statements)
    if len(sides) == 2:
        summary = _fill_line(scene, "summary_debate", first=sides[0], second=sides[1], turns=turns)
        blocks = _summarize_sides(scene, summary, sides)
    else:
        names = ("、" if scene.brief.language == "zh" else ", ").join(latest_statements)
        dissents = collect_dissents(scene).items()
        blocks = [
            [_fill_line(scene, "summary_group", names=names, turns=turns)],
            [describe_statement(scene, "said", statement) for statement in latest_statements.values()],
            [describe_common_ground(scene)],
            [_fill_line(scene, "dissent", name=name, objection=objection) for name, objection in dissents],
            [describe_dispute(scene), describe_movement(scene)],
        ]
    return "\n\n".join(scene.stock.gap.join(line for line in block if line) for block in blocks if any(block))


def _fill_line(scene: Scene, key: str, **values: str) -> str:
    return scene.fill_template(scene.stock.get_phrase("closing", key), values)


def collect_dissents(scene: Scene) -> dict[str, str]:
    """Collect the open objection of each dissenter, from the recorded positions or in its own words."""
    objections = scene.brief.values.get("objections")
    if objections and isinstance(objections, Mapping):
        return dict(objections)
    speakers = [name for name in scene.brief.roles if name in scene.course.speakers]
    dissenters = [name for name in speakers if scene.course.compute_agreement(name) < CONTENT_AGREEMENT]
    return {name: describe_objection(scene, name) for name in dissenters}


def describe_common_ground(scene: Scene, key: str = "") -> str:
    """Quote a joint argument of the member nearest to the others, or else that member's first clause.

    `key`: phrase to use. The default depends on whether the group agrees.
    """
    statements = list(map_latest_statements(scene.brief.statements).values())
    if not statements:
        return scene.stock.get_phrase("answers", "greeting")
    phrase = key or ("common_group" if scene.course.is_united() else "common_thin")
    statements.sort(key=lambda statement: -scene.course.compute_agreement(statement.speaker))
    for statement in statements:
        for clause in _rank_clauses(scene, statement):
            if (argument := scene.stock.find_argument(clause)) and argument.attitude == "joint":
                return describe_statement(scene, phrase, statement, quote=clause)
    return describe_statement(scene, phrase, statements[0])


def write_common_ground(scene: Scene) -> str:
    """Write the shared position of a group. A draft gets the position of its members."""
    return describe_joint_position(scene) if scene.brief.purpose == "draft" else describe_common_ground(scene, "said")


def describe_movement(scene: Scene) -> str:
    """Describe the changes of position, or say that there were none."""
    latest_statements = map_latest_statements(scene.brief.statements)
    movers = [entry for name, entry in latest_statements.items() if abs(_compute_shift(scene, name)) >= SHIFT_THRESHOLD]
    lines = [describe_statement(scene, "moved_group", statement) for statement in movers]
    return scene.stock.gap.join(lines) or scene.stock.get_phrase("closing", "no_concession")


def write_summary(scene: Scene) -> str:
    """Write one line for each statement, after the earlier summary. Drop the oldest lines if it is too long."""
    new_lines = [describe_statement(scene, "said", statement) for statement in scene.brief.statements]
    lines = [*scene.brief.summary.splitlines(), *new_lines] or [scene.stock.get_phrase("answers", "greeting")]
    limit = get_word_target(scene) * (1 if scene.brief.language == "zh" else 4)  # ideographs, or letters
    while len(lines) > 1 and sum(map(len, lines)) > limit:
        lines = lines[1:]
    return "\n".join(lines)


def _rank_clauses(scene: Scene, statement: Statement) -> list[str]:
    """Rank a statement's clauses: claims, then grounds, then other clauses, then transitions."""

    def get_rank(clause: str) -> int:
        argument = scene.stock.find_argument(clause)
        return 2 + scene.stock.is_aside(clause) if argument is None else int(argument.mark not in clause)

    return sorted(list_quotable_clauses(statement.content), key=get_rank)


def describe_statement(scene: Scene, key: str, statement: Statement, index: int = 0, **values: str) -> str:
    """Describe one statement with a phrase, its words, its turn, and the dimension of its last argument."""
    arguments = scene.stock.list_arguments_in(statement.content)
    dimension = arguments[-1].dimension if arguments else scene.stock.detect_dimension(statement.content)
    clauses = _rank_clauses(scene, statement) or [" ".join(statement.content.split())[:80].rstrip()]
    slots = {"name": statement.speaker, "quote": clauses[min(index, len(clauses) - 1)], "cite": f"[{statement.turn}]"}
    slots["dim"] = scene.stock.get_phrase("names", dimension or "effects")
    return capitalize_sentences(_fill_line(scene, key, **slots | values))


def _summarize_sides(scene: Scene, summary: str, sides: list[str]) -> list[list[str]]:
    statements_by_name = {
        name: [statement for statement in scene.brief.statements if statement.speaker == name] for name in sides
    }
    concessions = {
        statement.speaker: statement for statement in reversed(scene.brief.statements) if statement.act == "concede"
    }
    openings = list[str]()
    arguments = list[str]()
    shifts = list[str]()
    for name, statements in statements_by_name.items():
        if not statements:
            continue
        openings.append(describe_statement(scene, "answered" if openings else "began", statements[0]))
        # Two arguments of one speaker, if possible from different statements.
        candidates = [statement for statement in statements[1:] if statement.act != "concede"] or statements[:1]
        arguments.append(describe_statement(scene, "strongest", candidates[len(candidates) // 2]))
        if len(candidates) > 1:
            arguments.append(describe_statement(scene, "also", candidates[-1], 1))
        if concession := concessions.get(name):
            shifts.append(describe_statement(scene, "conceded", concession, quote=_quote_concession(concession)))
        elif len(statements) > 1:
            key = "moved" if abs(_compute_shift(scene, name)) >= SHIFT_THRESHOLD else "stayed"
            shifts.append(describe_statement(scene, key, statements[-1], since=f"[{statements[0].turn}]"))
    if not concessions:
        shifts.append(scene.stock.get_phrase("closing", "no_concession"))
    # The better side moved the other more than it moved itself.
    distances = {name: abs(_compute_shift(scene, name)) + (name in concessions) for name in sides}
    winner, loser = sorted(sides, key=lambda name: distances[name])
    is_even = distances[loser] - distances[winner] < SHIFT_THRESHOLD
    verdict = scene.stock.get_phrase("closing", "even") if is_even else _fill_line(scene, "better", name=winner)
    return [
        [summary, *openings],
        arguments,
        [_describe_granted_point(scene), describe_dispute(scene)],
        shifts,
        [verdict],
    ]


def _describe_granted_point(scene: Scene) -> str:
    """Describe a point that one side granted, or say that neither side granted one."""
    statements = scene.brief.statements
    openings = [line.split("{")[0].strip() for line in scene.stock.get_variants("lines", "grant")]
    for previous, statement in pairwise(statements):
        if not any(len(opening) > 3 and opening in statement.content for opening in openings):
            continue
        quotation = next((clause for clause in _rank_clauses(scene, previous) if clause in statement.content), "")
        if quotation and (argument := scene.stock.find_argument(quotation)):
            dimension_name = scene.stock.get_phrase("names", argument.dimension)
            return describe_statement(scene, "common_some", statement, quote=quotation, dim=dimension_name)
    return describe_statement(scene, "common_none", statements[-1])


def describe_dispute(scene: Scene) -> str:
    """Describe the open point of the last statement without a concession, or return an empty text."""
    for statement in reversed(scene.brief.statements):
        if statement.act != "concede":
            return describe_statement(scene, "dispute", statement)
    return ""


def _quote_concession(statement: Statement) -> str:
    """Quote the first sentence of a statement that concedes."""
    return re.split(r"(?<=[.!。！])", statement.content)[0].strip().rstrip(".。!！")


def _compute_shift(scene: Scene, name: str) -> float:
    """Compute how far an opinion moved from its start; positive towards `for`."""
    return scene.course.opinions[name] - scene.course.traits[name].start


class JudgeVerdict(NamedTuple):
    """Reason, quoted words with their turn, and the judge's confidence (0…1)."""

    reason: str
    quote: str = ""
    turn: int = 0
    confidence: float = 0.75


def judge_record(scene: Scene) -> JudgeVerdict:
    """Judge the record: a concession, disengagement, repetition, or no reason to end the deliberation."""
    statements = scene.brief.statements
    latest_statements = statements[-max(2, len({statement.speaker for statement in statements})) :]
    for statement in reversed(latest_statements[-2:]):
        if statement.act == "concede":
            return JudgeVerdict("concession_detected", _quote_concession(statement), statement.turn, 0.92)
    if len(statements) < 4:
        return JudgeVerdict("continue")
    last_text, turn = statements[-1].content, statements[-1].turn
    if all(count_words(statement.content) < BRIEF_STATEMENT for statement in latest_statements):
        return JudgeVerdict("stalemate_disengagement", last_text.strip(), turn, 0.85)
    if all(_is_repetition(scene, statement) for statement in latest_statements):
        quote = next(iter(list_quotable_clauses(last_text)), last_text.strip())
        return JudgeVerdict("stalemate_repetition", quote, turn, 0.8)
    return JudgeVerdict("continue")


def _is_repetition(scene: Scene, statement: Statement) -> bool:
    """Return whether a statement only repeats earlier arguments of its speaker."""
    own_texts = [
        e.content for e in scene.brief.statements if e.speaker == statement.speaker and e.turn < statement.turn
    ]
    arguments = scene.stock.list_arguments_in(statement.content)
    return bool(arguments) and all(any(argument.mark in text for text in own_texts) for argument in arguments)
