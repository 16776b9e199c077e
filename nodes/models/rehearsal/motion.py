"""What a motion proposes and what stands against it, as phrases that fit into a sentence."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ....prompts import table
from .action import CHINESE, ENGLISH, SHOULD_EN, SHOULD_ES, SHOULD_ZH, action, gerund, is_gerund, lowered, verb_in
from .prompt import language_in

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


_END = ' \t\n?？!！.。,，:：¿¡"'
_COAXED = re.compile(r"^(?:please|let['’]s|let us)\s+", re.IGNORECASE)
_OPEN = re.compile(
    r"(?:how|what|which|where|who|when|why|cómo|qué|cuál(?:es)?|dónde|quién(?:es)?|cuándo|por qué)\b|"
    r".*(?:如何|怎么|怎样|什么|哪|多少|谁)",
    re.IGNORECASE,
)
_EITHER = {
    "en": re.compile(
        r"^(?:.*?:\s*)?(.{1,60}?),?\s+(?:or|versus|vs\.?|(?:is|are) (?:better|safer|cheaper) than)\s+(.{1,60})$",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"^(?:.*?:\s*)?(.{1,60}?),?\s+(?:o|u|frente a|(?:es|son) mejor(?:es)? que)\s+(.{1,60})$", re.IGNORECASE
    ),
    "zh": re.compile(r"^(?:.*?[：:])?(.{1,24}?)[，,]?\s*(?:还是|或者|或|比)\s*(.{1,24}?)(?:更.*|好|比较.*|哪个.*)?$"),
}
_TAIL = {
    "en": re.compile(r"\s+(?:for|as|in|on|at|to|with|when|during)\s.*$", re.IGNORECASE),
    "es": re.compile(r"\s+(?:para|como|en|al|con|cuando|durante)\s.*$", re.IGNORECASE),
    "zh": re.compile(r"(?:更|来|作为|用于).*$"),
}
_SENTENCE = re.compile(
    r"\b(?:is|are|was|were|be|will|would|should|must|can|could|may|might|shall|ought|do|does|did|has|have|had|needs?|"
    r"how|what|which|where|who|when|why|never|don['’]t)\b|^this house",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Motion:
    """Ways to name what is proposed, the longest first, and what stands against it.

    `kind` is `choice` (of two `options`), `action`, `open` (a question without a yes or no) or `motion` (any other).
    """

    kind: str
    plan: tuple[str, ...]
    rest: tuple[str, ...]
    terms: tuple[str, ...]
    options: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def read_motion(topic: str, language: str) -> Motion:
    """The motion behind a topic; where its grammar is not understood, neutral words such as "the plan"."""
    forms = table("rehearsal", language)["motion"]
    bare = _COAXED.sub("", " ".join(topic.split()).strip(_END))
    terms = tuple(topic_terms(bare, language))
    if either := _either(bare, language):
        own = language == "en" and either[0].split()[0].endswith("ing")
        plan = (either[0],) if own else tuple(form.format(a=either[0]) for form in _listed(forms, "choice"))
        return Motion("choice", plan, (either[1],), terms, either)
    if _OPEN.match(bare):
        return Motion("open", _listed(forms, "open"), _listed(forms, "open_rest"), terms)
    named = _chosen(bare) if language == "en" and _is_name(bare) else action(bare, language)
    if named and len(named) <= 90:
        return Motion("action", (named, *_listed(forms, "action")), _listed(forms, "action_rest"), terms)
    return Motion("motion", _listed(forms, "motion"), _listed(forms, "motion_rest"), terms)


def _listed(forms: Mapping[str, object], key: str) -> tuple[str, ...]:
    listed = forms[key]
    return tuple(map(str, listed)) if isinstance(listed, list) else (str(listed),)


def _is_name(bare: str) -> bool:
    """Whether an English topic is a thing and no sentence: "Serverless for a web app"."""
    words = bare.split()
    plain = language_in(bare) == "en" and not _SENTENCE.search(bare)
    return plain and bool(words) and verb_in(words, 1) is None


def _chosen(name: str) -> str:
    """A thing is chosen; what one does is named already: "Taxing the rich"."""
    return lowered(name) if is_gerund(name.split()[0]) else f"choosing {lowered(name)}"


def _either(bare: str, language: str) -> tuple[str, str] | None:
    """The two things a topic chooses between, if it does."""
    found = _EITHER[language].match(bare)
    if not found:
        return None
    first, second = found[1].strip(), _TAIL[language].sub("", found[2]).strip(_END)
    if language == "en":
        return _either_english(first, second, found[2].split())
    lead = (SHOULD_ZH if language == "zh" else SHOULD_ES).search(first)
    return _pair(first[lead.end() :] if lead else first, second)


def _either_english(first: str, second: str, whole: list[str]) -> tuple[str, str] | None:
    """Verbs become gerunds, also where they share their object: "Buy or lease the vans"."""
    words = SHOULD_EN.split(first)[-1].split()
    at = verb_in(words, len(words))
    if verb_in(whole, 1) == 0:
        at = len(words) - 1 if at is None else at
        thing = words[at + 1 :] or whole[1:]
        return " ".join([gerund(words[at]), *thing]), " ".join([gerund(whole[0]), *whole[1:]])
    if at is not None and at + 1 < len(words):
        words = words[at + 1 :]
    return _pair(" ".join(words), second)


def _pair(first: str, second: str) -> tuple[str, str] | None:
    first = first.strip(_END)
    return (lowered(first) if second[:1].islower() else first, second) if first and second else None
