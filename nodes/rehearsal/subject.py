"""What a topic is about, in its own words: "cars", "downtown areas"; "los coches"; "私家车"."""

import re

from .action import SHOULD_EN, SHOULD_ZH, verb_in
from .verbs import CHINESE, ENGLISH

_LEADS = re.compile(rf"{SHOULD_EN.pattern}|\b(?:can|could|will|would|to)\b", re.IGNORECASE)
_DETERMINED = re.compile(r"\b(?:the|an?|our|its|this) (\w)", re.IGNORECASE)
_SMALL_EN = re.compile(
    r"(?:\b(?:should|must|shall|ought|would|could|can|may|will|we|us|our|i|the|a|an|of|in|on|at|to|for|from|and|or|by|"
    r"with|as|is|are|be|it|this|that|all|more|most|better|than|not|no|do|does|how|what|which|where|who|when|why|house|"
    r"believes?|there|their|its|every|into|over|need|needs|have|has)\b|[^\w\s'-])+",
    re.IGNORECASE,
)
_SMALL_ES = re.compile(
    r"(?:\b(?:deb\w+|hay|que|al|a|en|por|para|con|sin|y|o|u|es|son|ser|se|su|sus|nuestr\w+|más|mejor|cómo|qué|cuál|"
    r"dónde|quién|como|no|todo|toda|todos|todas)\b|\b\w+(?:ar|er|ir)\b(?!\s*$)|[^\w\s-])+",
    re.IGNORECASE,
)
_SMALL_ZH = "还是|或者|[的了吗呢吧和与或及在是对把被为从到之更不没有让使给比其都也用]|[\\s，。？！、：；（）“”]"
_TAG_ZH = re.compile(r"(?:好不好|行不行|对不对|[好对行][吗么])$")
"""What makes a Chinese phrase a question at its end: "X好吗"."""
_ASKS_ZH = re.compile("如何|怎么|怎样|什么|哪|多少|谁")


def topic_terms(bare: str, language: str) -> list[str]:
    """The things a topic is about, in its order, each once, at most five words long."""
    if language == "zh":
        cut = "|".join(sorted(CHINESE, key=len, reverse=True))
        parts = re.split(f"{SHOULD_ZH.pattern}|{cut}|{_SMALL_ZH}", _TAG_ZH.sub("", bare))
        return [part for part in dict.fromkeys(parts) if 2 <= len(part) <= 8 and not _ASKS_ZH.search(part)]
    if language == "es":
        parts = [part.strip() for part in _SMALL_ES.split(bare)]
    else:
        text = _DETERMINED.sub(r", the_\1", _without_verb(bare))
        parts = [part.strip().replace("the_", "the ") for part in _SMALL_EN.split(text)]
    fit = [part for part in dict.fromkeys(parts) if len(part) > 2 and len(part.split()) <= 5]
    return [part for part in fit if not part.endswith("ed") and part.lower() not in ENGLISH]


def _without_verb(bare: str) -> str:
    """An English topic with a stop in place of its main verb."""
    lead = _LEADS.search(bare)
    words = bare.split()
    first = len(bare[: lead.end()].split()) if lead else 0
    found = verb_in(words[first:], len(words) if lead else 1)
    at = None if found is None else first + found
    return bare if at is None else " ".join([*words[:at], ",", *words[at + 1 :]])
