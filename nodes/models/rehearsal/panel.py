"""Experts on papers: what a passage says, what follows from it, and the conclusion."""

import re

from .answering import taken_up
from .debate_summary import told
from .persona import concerns_of
from .prompt import Source
from .quoting import sentences, size
from .scene import Scene
from .speech import agenda, argued, distinct

FIELDS = {
    "upkeep": "views_build",
    "scale": "views_build",
    "cost": "views_market",
    "adoption": "views_market",
    "incentives": "views_market",
    "evidence": "views_method",
    "trust": "views_method",
}
"""Which field an expert speaks from, by what its focus mentions most; theory for all others."""


def passages(source: Source) -> list[str]:
    """Sentences of a paper that can be quoted word for word."""
    plain = [one.rstrip(".。!！;；") for one in sentences(source.text) if not re.search(r"[“”\"«»「」‹›\[\]]", one)]
    return [one for one in plain if 6 <= size(one) <= 40] or [one for one in plain if size(one) >= 3][:1]


def cited(scene: Scene, key: str, place: int, parts: list[str]) -> str:
    """A passage of a paper with its citation; papers and passages are gone through in turn."""
    found = [(source.id, one) for source in scene.prompt.papers if source.id for one in passages(source)]
    if not found:
        return scene.phrase("panel", "none", parts, dim=scene.stock.line("names", "evidence"))
    at = (scene.prompt.turn * 2 + place * 3 + scene.seed) % len(found)
    known = "\n".join([scene.said, *parts])
    id, passage = next((pair for pair in [*found[at:], *found[:at]] if pair[1] not in known), found[at])
    return scene.phrase("panel", key, parts, id=id, quote=passage)


def outlook(scene: Scene, parts: list[str]) -> str:
    """What an expert sees from its field."""
    return scene.phrase("panel", FIELDS.get(leading(scene), "views_theory"), parts) or rounded(scene, parts)


def leading(scene: Scene) -> str:
    """The dimension an expert's focus mentions most; empty where it mentions none."""
    cares = concerns_of(scene.prompt, scene.stock)
    most = max(cares, key=lambda name: cares[name])
    return most if cares[most] else ""


def rounded(scene: Scene, parts: list[str]) -> str:
    """An argument from the general stock, where an expert's own lines have been said."""
    return argued(scene, distinct(agenda(scene, "joint"))[0], "first", parts)


def speak_on_panel(scene: Scene) -> str:
    """Four parts, as a panel asks for them: the first speaker's differ from those of the later ones."""
    dim = scene.stock.line("names", leading(scene) or "evidence")
    parts: list[str] = []
    if scene.prompt.last:
        parts.append(taken_up(scene)[0])
        parts.append(cited(scene, "insight", 1, parts))
        near = "build" if scene.draw.random() < 0.5 else "doubt"
        parts.append(_glued(scene, [scene.phrase("lines", near, parts), outlook(scene, parts)]))
    else:
        parts.append(cited(scene, "finding", 0, parts))
        parts.append(outlook(scene, parts))
        parts.append(scene.phrase("panel", "question", parts))
    parts.append(scene.phrase("panel", "implication", parts, dim=dim))
    heads = scene.stock.lines("panel", "later" if scene.prompt.last else "first")
    form = scene.stock.line("panel", "part")
    return "\n\n".join(form.format(head=head, part=part) for head, part in zip(heads, parts, strict=True) if part)


def _glued(scene: Scene, lines: list[str]) -> str:
    return scene.stock.gap.join(line for line in lines if line)


def conclusion(scene: Scene) -> str:
    """The answer first, then what the papers give for it, what each expert added, and what is open."""
    latest = {one.speaker: one for one in scene.prompt.heard}
    parts = [scene.phrase("panel", "verdicts", [])]
    parts.extend(cited(scene, key, place, parts) for place, key in enumerate(("finding", "insight")))
    voices = [re.sub(r"\s*\[\d+\]", "", told(scene, "said", one)) for one in latest.values()]
    question = scene.phrase("panel", "question", parts)
    return "\n\n".join([parts[0], _glued(scene, parts[1:]), "\n".join(f"- {one}" for one in voices), question])
