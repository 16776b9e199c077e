"""Rehearsed panel of experts on papers: passages, their implications, and the conclusion."""

import re

from ...state.history_view import map_latest_statements
from .quotations import count_words, split_sentences
from .scene import Scene
from .speech import write_argument, write_response
from .summary import describe_statement

EXPERT_FIELDS = {
    "upkeep": "views_build",
    "scale": "views_build",
    "cost": "views_market",
    "adoption": "views_market",
    "incentives": "views_market",
    "evidence": "views_method",
    "trust": "views_method",
}
"""Field of an expert by the main dimension of its focus. Any other dimension means theory."""


def _cite_passage(scene: Scene, key: str, index: int, parts: list[str]) -> str:
    papers = [paper for paper in scene.brief.exhibits if paper.id]
    sentences = [
        (paper.id.lstrip("@"), text.rstrip(".。!！;；")) for paper in papers for text in split_sentences(paper.text)
    ]
    passages = [pair for pair in sentences if not re.search(r"[“”\"«»「」‹›\[\]]", pair[1])]
    citations = [pair for pair in passages if 6 <= count_words(pair[1]) <= 40] or passages[:1]
    if not citations:
        return scene.pick_phrase("panel", "none", parts, dim=scene.stock.get_phrase("names", "evidence"))
    start = (scene.turn * 2 + index * 3 + scene.seed) % len(citations)
    used_text = "\n".join([scene.record_text, *parts])
    rotated_citations = [*citations[start:], *citations[:start]]
    id, passage = next((pair for pair in rotated_citations if pair[1] not in used_text), citations[start])
    return scene.pick_phrase("panel", key, parts, id=id, quote=passage)


def write_panel_statement(scene: Scene) -> str:
    """Write the four parts of a panel statement. The first speaker's parts differ from later ones."""
    dimension = max(scene.concerns, key=lambda name: scene.concerns[name])
    dimension = dimension if scene.concerns[dimension] else ""
    view_phrase = scene.pick_phrase("panel", EXPERT_FIELDS.get(dimension, "views_theory"))
    view_phrase = view_phrase or write_argument(scene, scene.list_arguments("joint")[0], [])
    key, parts = "first", [_cite_passage(scene, "finding", 0, []), view_phrase, scene.pick_phrase("panel", "question")]
    if scene.last_statement:
        reaction = scene.pick_phrase("lines", "build" if scene.rng.random() < 0.5 else "doubt")
        key, parts = "later", [write_response(scene)[0], _cite_passage(scene, "insight", 1, [])]
        parts.append(scene.stock.gap.join(filter(None, [reaction, view_phrase])))
    dimension_name = scene.stock.get_phrase("names", dimension or "evidence")
    parts.append(scene.pick_phrase("panel", "implication", parts, dim=dimension_name))
    template, headings = scene.stock.get_phrase("panel", "part"), scene.stock.get_variants("panel", key)
    pairs = zip(headings, parts, strict=True)
    return "\n\n".join(template.format(head=heading, part=part) for heading, part in pairs if part)


def write_conclusion(scene: Scene) -> str:
    """Write the answer, then the papers' evidence, each expert's contribution, and the open question."""
    evidence, verdict = list[str](), scene.pick_phrase("panel", "verdicts")
    for index, key in enumerate(("finding", "insight")):
        evidence.append(_cite_passage(scene, key, index, [verdict, *evidence]))
    latest_statements = map_latest_statements(scene.brief.statements).values()
    statement_lines = "\n".join(f"- {describe_statement(scene, 'said', statement)}" for statement in latest_statements)
    uncited_voices = re.sub(r"[^\S\n]*\[\d+\]", "", statement_lines)
    question = scene.pick_phrase("panel", "question", [verdict, *evidence])
    return "\n\n".join([verdict, scene.stock.gap.join(line for line in evidence if line), uncited_voices, question])
