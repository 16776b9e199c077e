"""Rehearsed panel of experts on papers: passages, and the conclusion."""

import re

from ...state import map_latest_statements
from .scene import Scene, count_words, split_sentences
from .speech import write_answer, write_stance
from .summary import describe_statement


def _cite_passage(scene: Scene, key: str, used_text: str, index: int = 0) -> str:
    """Quote a passage that is not in `used_text`, if there is one. `index` selects among them."""
    sentences = [
        (paper.id.lstrip("@"), text.lstrip("# ").rstrip(".。!！;；"))
        for paper in scene.brief.exhibits
        if paper.id
        for text in split_sentences(paper.text)
    ]
    passages = [pair for pair in sentences if not re.search(r"[“”\"«»「」‹›\[\]]", pair[1])]
    citations = [pair for pair in passages if 6 <= count_words(pair[1]) <= 40] or passages[:1]
    if not citations:
        return scene.fill_phrase("panel", "none")
    start = (scene.turn * 2 + index * 3 + scene.seed) % len(citations)
    rotated_citations = [*citations[start:], *citations[:start]]
    id, passage = next((pair for pair in rotated_citations if pair[1] not in used_text), citations[start])
    return scene.fill_phrase("panel", key, id=id, quote=passage)


def write_panel_statement(scene: Scene) -> str:
    """Write the four parts of a panel statement. The first speaker's parts differ from later ones."""
    passage, stance = _cite_passage(scene, "finding", scene.record_text), write_stance(scene)
    question = scene.fill_phrase("panel", "question", word=scene.list_points(1)[0])
    implication = scene.fill_phrase("panel", "implication", word=scene.list_points(2)[1])
    key, parts = "first", [passage, stance, question, implication]
    if scene.last_statement:
        key, parts = "later", [write_answer(scene), passage, stance, implication]
    pairs = zip(scene.get_variants("panel", key), parts, strict=True)
    return "\n\n".join(scene.fill_phrase("panel", "part", head=heading, part=part) for heading, part in pairs)


def write_conclusion(scene: Scene) -> str:
    """Write the answer, two passages of the papers, and words of each expert."""
    first = _cite_passage(scene, "summary", "")
    second = _cite_passage(scene, "summary", first, 1)
    latest_statements = map_latest_statements(scene.brief.statements).values()
    statement_lines = "\n".join(f"- {describe_statement(scene, 'said', statement)}" for statement in latest_statements)
    uncited_voices = re.sub(r"[^\S\n]*\[\d+\]", "", statement_lines)
    return "\n\n".join(
        [scene.fill_phrase("panel", "verdict"), scene.gap.join(dict.fromkeys([first, second])), uncited_voices]
    )
