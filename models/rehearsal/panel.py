"""Panel of experts on papers: passages, their implications, and the conclusion."""

import re

from .debate_summary import describe_statement
from .persona import count_concerns
from .prompt import PromptPaper
from .quotations import count_words, split_sentences
from .responses import write_response
from .scene import Scene
from .speech import list_arguments, pick_distinct_arguments, write_argument

EXPERT_FIELDS = {
    "upkeep": "views_build",
    "scale": "views_build",
    "cost": "views_market",
    "adoption": "views_market",
    "incentives": "views_market",
    "evidence": "views_method",
    "trust": "views_method",
}
"""Field of an expert by the main dimension of its focus; all other dimensions mean theory."""


def list_passages(source: PromptPaper) -> list[str]:
    """List the sentences of a paper that can be quoted word for word: without marks, of 6 to 40 words if possible."""
    plain_sentences = [
        sentence.rstrip(".。!！;；")
        for sentence in split_sentences(source.text)
        if not re.search(r"[“”\"«»「」‹›\[\]]", sentence)
    ]
    return [sentence for sentence in plain_sentences if 6 <= count_words(sentence) <= 40] or [
        sentence for sentence in plain_sentences if count_words(sentence) >= 3
    ][:1]


def cite_passage(scene: Scene, key: str, index: int, parts: list[str]) -> str:
    """Quote a passage of a paper with its citation. Papers and passages take turns."""
    citations = [
        (source.id, passage) for source in scene.prompt.papers if source.id for passage in list_passages(source)
    ]
    if not citations:
        return scene.pick_phrase("panel", "none", parts, dim=scene.stock.get_phrase("names", "evidence"))
    start = (scene.prompt.turn * 2 + index * 3 + scene.seed) % len(citations)
    used_text = "\n".join([scene.record_text, *parts])
    id, passage = next(
        (pair for pair in [*citations[start:], *citations[:start]] if pair[1] not in used_text), citations[start]
    )
    return scene.pick_phrase("panel", key, parts, id=id, quote=passage)


def write_outlook(scene: Scene, parts: list[str]) -> str:
    """Write an expert's view from its field."""
    return scene.pick_phrase(
        "panel", EXPERT_FIELDS.get(get_main_dimension(scene), "views_theory"), parts
    ) or write_general_argument(scene, parts)


def get_main_dimension(scene: Scene) -> str:
    """Return the dimension that an expert's focus mentions most; empty if the focus mentions none."""
    concerns = count_concerns(scene.prompt, scene.stock)
    dimension = max(concerns, key=lambda name: concerns[name])
    return dimension if concerns[dimension] else ""


def write_general_argument(scene: Scene, parts: list[str]) -> str:
    """Write an argument from the general stock, for an expert with no unused lines left."""
    return write_argument(scene, pick_distinct_arguments(list_arguments(scene, "joint"))[0], "first", parts)


def write_panel_statement(scene: Scene) -> str:
    """Write the four parts of a panel statement. Those of the first speaker differ from later ones."""
    dimension_name = scene.stock.get_phrase("names", get_main_dimension(scene) or "evidence")
    parts: list[str] = []
    if scene.prompt.last_statement:
        parts.append(write_response(scene)[0])
        parts.append(cite_passage(scene, "insight", 1, parts))
        reaction = "build" if scene.rng.random() < 0.5 else "doubt"
        parts.append(_join_lines(scene, [scene.pick_phrase("lines", reaction, parts), write_outlook(scene, parts)]))
    else:
        parts.append(cite_passage(scene, "finding", 0, parts))
        parts.append(write_outlook(scene, parts))
        parts.append(scene.pick_phrase("panel", "question", parts))
    parts.append(scene.pick_phrase("panel", "implication", parts, dim=dimension_name))
    headings = scene.stock.get_variants("panel", "later" if scene.prompt.last_statement else "first")
    template = scene.stock.get_phrase("panel", "part")
    return "\n\n".join(
        template.format(head=heading, part=part) for heading, part in zip(headings, parts, strict=True) if part
    )


def _join_lines(scene: Scene, lines: list[str]) -> str:
    return scene.stock.gap.join(line for line in lines if line)


def write_conclusion(scene: Scene) -> str:
    """Write the answer, then the papers' evidence, each expert's contribution, and the open question."""
    latest_statements = {statement.speaker: statement for statement in scene.prompt.statements}
    parts = [scene.pick_phrase("panel", "verdicts", [])]
    parts.extend(cite_passage(scene, key, index, parts) for index, key in enumerate(("finding", "insight")))
    voices = [
        re.sub(r"\s*\[\d+\]", "", describe_statement(scene, "said", statement))
        for statement in latest_statements.values()
    ]
    question = scene.pick_phrase("panel", "question", parts)
    return "\n\n".join([parts[0], _join_lines(scene, parts[1:]), "\n".join(f"- {voice}" for voice in voices), question])
