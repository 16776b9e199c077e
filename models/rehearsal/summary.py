"""Rehearsed summaries of a deliberation, and a judge's verdict on it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ...state import Statement, map_latest_statements
from .opinion import CONTENT_AGREEMENT
from .reply_context import BRIEF_STATEMENT, ReplyContext, count_words
from .speech import get_word_target
from .views import describe_joint_position, describe_objection

SHIFT_THRESHOLD = 0.12


def write_synthesis(context: ReplyContext) -> str:
    """Write the synthesis: last statements, common ground, dissents, and changes of position."""
    if not context.brief.statements:
        return context.fill_phrase("answers", "greeting")
    latest_statements = map_latest_statements(context.brief.statements)
    names, turns = context.join_key_words(list(latest_statements)), len(context.brief.statements)
    blocks = [
        [context.fill_phrase("closing", "summary_group", names=names, turns=turns)],
        [describe_statement(context, "said", statement) for statement in latest_statements.values()],
        [describe_common_ground(context)],
        [
            context.fill_phrase("closing", "dissent", name=name, objection=text)
            for name, text in collect_dissents(context).items()
        ],
        [describe_dispute(context), describe_movement(context)],
    ]
    return "\n\n".join(context.gap.join(filter(None, block)) for block in blocks if any(block))


def collect_dissents(context: ReplyContext) -> dict[str, str]:
    """Return the open objection of each participant that has one, by name.

    The words come from the recorded positions or from the participant's statements. Only rehearsed speakers get words
    that they did not say.
    """
    objections = context.brief.values.get("objections")
    if objections and isinstance(objections, Mapping):
        return dict(objections)
    statements = map_latest_statements(context.brief.statements)
    speakers = [
        name for name in context.brief.roles if name in statements and context.is_rehearsed(statements[name].content)
    ]
    return {
        name: describe_objection(context, name)
        for name in speakers
        if not context.is_settled and context.opinion_state.compute_agreement(name) < CONTENT_AGREEMENT
    }


def describe_common_ground(context: ReplyContext) -> str:
    """Quote the participant whose opinion is nearest to the others' mean."""
    statements = map_latest_statements(context.brief.statements).values()
    if not statements:
        return context.fill_phrase("answers", "greeting")
    key = "common_group" if context.opinion_state.is_united() else "common_thin"
    nearest = max(statements, key=lambda statement: context.opinion_state.compute_agreement(statement.speaker))
    return describe_statement(context, key, nearest)


def write_common_ground(context: ReplyContext) -> str:
    """Return the common ground of a group as a text. For a draft, return the shared position."""
    return describe_joint_position(context) if context.brief.purpose == "draft" else describe_common_ground(context)


def describe_movement(context: ReplyContext) -> str:
    """Return a text with the concessions and the changes of position, or say that there were none."""
    lines = list[str]()
    for name, statement in map_latest_statements(context.brief.statements).items():
        if statement.act == "concede":
            lines.append(describe_statement(context, "conceded", statement, quote=_quote_concession(statement)))
        elif abs(context.opinion_state.opinions[name] - context.opinion_state.traits[name].start) >= SHIFT_THRESHOLD:
            lines.append(describe_statement(context, "moved_group", statement))
    return context.gap.join(lines) or context.fill_phrase("closing", "no_concession")


def write_summary(context: ReplyContext) -> str:
    """Return the earlier summary, followed by one line for each statement.

    If the summary is too long, drop its oldest lines.
    """
    new_lines = [describe_statement(context, "said", statement) for statement in context.brief.statements]
    lines = [*context.brief.summary.splitlines(), *new_lines] or [context.fill_phrase("answers", "greeting")]
    limit = get_word_target(context) * (1 if context.brief.language == "zh" else 4)  # ideographs, or letters
    while len(lines) > 1 and sum(map(len, lines)) > limit:
        lines = lines[1:]
    return "\n".join(lines)


def describe_statement(context: ReplyContext, key: str, statement: Statement, quote: str = "") -> str:
    """Return a phrase about one statement, with a quotation from it and its turn.

    `quote`: the words to quote; if empty, key words or the start of the statement.
    """
    values = {"name": statement.speaker, "quote": quote or context.quote_statement(statement.content)}
    return context.fill_phrase("closing", key, cite=f"[{statement.turn}]", **values)


def describe_dispute(context: ReplyContext) -> str:
    """Return a text about the open point of the last statement that is no concession; empty without one."""
    disputes = (statement for statement in reversed(context.brief.statements) if statement.act != "concede")
    return next((describe_statement(context, "dispute", statement) for statement in disputes), "")


def _quote_concession(statement: Statement) -> str:
    return re.split(r"(?<=[.!。！])", statement.content)[0].strip().rstrip(".。!！")


class JudgeVerdict(NamedTuple):
    """Verdict of a rehearsed judge: its reason, quoted words with their turn, and its confidence (0…1)."""

    reason: str
    quote: str = ""
    turn: int = 0
    confidence: float = 0.75


def judge_record(context: ReplyContext) -> JudgeVerdict:
    """Return the verdict of a rehearsed judge: a concession, disengagement, or no reason to end."""
    statements = context.brief.statements
    for statement in reversed(statements[-2:]):
        if statement.act == "concede":
            return JudgeVerdict("concession_detected", _quote_concession(statement), statement.turn, 0.92)
    latest_statements = statements[-max(2, len({statement.speaker for statement in statements})) :]
    if len(statements) > 3 and all(count_words(statement.content) < BRIEF_STATEMENT for statement in latest_statements):
        last_statement = statements[-1]
        return JudgeVerdict("stalemate_disengagement", last_statement.content.strip(), last_statement.turn, 0.85)
    return JudgeVerdict("continue")
