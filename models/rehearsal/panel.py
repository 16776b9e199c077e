"""Rehearsed statements of a panel on papers: quoted passages, and the conclusion."""

import re

from ...state import map_latest_statements
from .reply_context import ReplyContext, count_words, split_sentences
from .speech import write_answer, write_stance
from .summary import describe_statement


def _cite_passage(context: ReplyContext, key: str, used_text: str, index: int = 0) -> str:
    """Return a phrase that quotes a passage of the papers, if possible one that is not in `used_text`.

    `key`: key of the phrase. `index`: number that selects among the passages.
    """
    sentences = [
        (paper.id.lstrip("@"), text.lstrip("# ").rstrip(".。!！;；"))
        for paper in context.brief.exhibits
        if paper.id
        for text in split_sentences(paper.text)
    ]
    passages = [pair for pair in sentences if not re.search(r"[“”\"«»「」‹›\[\]]", pair[1])]
    citations = [pair for pair in passages if 6 <= count_words(pair[1]) <= 40] or passages[:1]
    if not citations:
        return context.fill_phrase("panel", "none")
    start = (context.turn * 2 + index * 3 + context.seed) % len(citations)
    rotated_citations = [*citations[start:], *citations[:start]]
    id, passage = next((pair for pair in rotated_citations if pair[1] not in used_text), citations[start])
    return context.fill_phrase("panel", key, id=id, quote=passage)


def write_panel_statement(context: ReplyContext) -> str:
    """Write the four parts of a panel statement. The first speaker's parts differ from later ones."""
    passage, stance = _cite_passage(context, "finding", context.record_text), write_stance(context)
    question = context.fill_phrase("panel", "question", word=context.list_key_words(1)[0])
    implication = context.fill_phrase("panel", "implication", word=context.list_key_words(2)[1])
    key, parts = "first", [passage, stance, question, implication]
    if context.last_statement:
        key, parts = "later", [write_answer(context), passage, stance, implication]
    pairs = zip(context.get_variants("panel", key), parts, strict=True)
    return "\n\n".join(context.fill_phrase("panel", "part", head=heading, part=part) for heading, part in pairs)


def write_conclusion(context: ReplyContext) -> str:
    """Return the conclusion: the answer, two passages of the papers, and words of each expert."""
    first = _cite_passage(context, "summary", "")
    second = _cite_passage(context, "summary", first, 1)
    latest_statements = map_latest_statements(context.brief.statements).values()
    statement_lines = "\n".join(
        f"- {describe_statement(context, 'said', statement)}" for statement in latest_statements
    )
    uncited_voices = re.sub(r"[^\S\n]*\[\d+\]", "", statement_lines)
    return "\n\n".join(
        [context.fill_phrase("panel", "verdict"), context.gap.join(dict.fromkeys([first, second])), uncited_voices]
    )
