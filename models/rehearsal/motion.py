"""Proposal of a motion and its opposite, as phrases that fit into a sentence."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...prompts import load_table
from .action import (
    CHINESE_MODAL,
    CHINESE_VERBS,
    ENGLISH_MODAL,
    ENGLISH_VERBS,
    SPANISH_MODAL,
    extract_action,
    find_verb_index,
    form_gerund,
    is_gerund,
    lower_first_letter,
)
from .prompt import detect_language

_LEADING_VERB = re.compile(rf"{ENGLISH_MODAL.pattern}|\b(?:can|could|will|would|to)\b", re.IGNORECASE)
_DETERMINER = re.compile(r"\b(?:the|an?|our|its|this) (\w)", re.IGNORECASE)
_STOPWORDS_EN = re.compile(
    r"(?:\b(?:should|must|shall|ought|would|could|can|may|will|we|us|our|i|the|a|an|of|in|on|at|to|for|from|and|or|by|"
    r"with|as|is|are|be|it|this|that|all|more|most|better|than|not|no|do|does|how|what|which|where|who|when|why|house|"
    r"believes?|there|their|its|every|into|over|need|needs|have|has)\b|[^\w\s'-])+",
    re.IGNORECASE,
)
_STOPWORDS_ES = re.compile(
    r"(?:\b(?:deb\w+|hay|que|al|a|en|por|para|con|sin|y|o|u|es|son|ser|se|su|sus|nuestr\w+|más|mejor|cómo|qué|cuál|"
    r"dónde|quién|como|no|todo|toda|todos|todas)\b|\b\w+(?:ar|er|ir)\b(?!\s*$)|[^\w\s-])+",
    re.IGNORECASE,
)
_STOPWORDS_ZH = "还是|或者|[的了吗呢吧和与或及在是对把被为从到之更不没有让使给比其都也用]|[\\s，。？！、：；（）“”]"
_QUESTION_TAG_ZH = re.compile(r"(?:好不好|行不行|对不对|[好对行][吗么])$")
"""Ending that turns a Chinese phrase into a question: "X好吗"."""
_QUESTION_WORD_ZH = re.compile("如何|怎么|怎样|什么|哪|多少|谁")


def extract_topic_terms(topic_text: str, language: str) -> list[str]:
    """Extract the things that a topic is about, in its order, each once, at most five words long."""
    if language == "zh":
        verb_pattern = "|".join(sorted(CHINESE_VERBS, key=len, reverse=True))
        parts = re.split(
            f"{CHINESE_MODAL.pattern}|{verb_pattern}|{_STOPWORDS_ZH}", _QUESTION_TAG_ZH.sub("", topic_text)
        )
        return [part for part in dict.fromkeys(parts) if 2 <= len(part) <= 8 and not _QUESTION_WORD_ZH.search(part)]
    if language == "es":
        parts = [part.strip() for part in _STOPWORDS_ES.split(topic_text)]
    else:
        text = _DETERMINER.sub(r", the_\1", _remove_verb(topic_text))
        parts = [part.strip().replace("the_", "the ") for part in _STOPWORDS_EN.split(text)]
    terms = [part for part in dict.fromkeys(parts) if len(part) > 2 and len(part.split()) <= 5]
    return [part for part in terms if not part.endswith("ed") and part.lower() not in ENGLISH_VERBS]


def _remove_verb(topic_text: str) -> str:
    """Replace the main verb of an English topic by a comma."""
    leading_verb = _LEADING_VERB.search(topic_text)
    words = topic_text.split()
    start = len(topic_text[: leading_verb.end()].split()) if leading_verb else 0
    offset = find_verb_index(words[start:], len(words) if leading_verb else 1)
    index = None if offset is None else start + offset
    return topic_text if index is None else " ".join([*words[:index], ",", *words[index + 1 :]])


_END_CHARACTERS = ' \t\n?？!！.。,，:：¿¡"'
_COAXING_PHRASE = re.compile(r"^(?:please|let['’]s|let us)\s+", re.IGNORECASE)
_OPEN_QUESTION = re.compile(
    r"(?:how|what|which|where|who|when|why|cómo|qué|cuál(?:es)?|dónde|quién(?:es)?|cuándo|por qué)\b|"
    r".*(?:如何|怎么|怎样|什么|哪|多少|谁)",
    re.IGNORECASE,
)
_ALTERNATIVES = {
    "en": re.compile(
        r"^(?:.*?:\s*)?(.{1,60}?),?\s+(?:or|versus|vs\.?|(?:is|are) (?:better|safer|cheaper) than)\s+(.{1,60})$",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"^(?:.*?:\s*)?(.{1,60}?),?\s+(?:o|u|frente a|(?:es|son) mejor(?:es)? que)\s+(.{1,60})$", re.IGNORECASE
    ),
    "zh": re.compile(r"^(?:.*?[：:])?(.{1,24}?)[，,]?\s*(?:还是|或者|或|比)\s*(.{1,24}?)(?:更.*|好|比较.*|哪个.*)?$"),
}
_TRAILING_PHRASE = {
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
    """Names of the proposal, the longest first, and of its opposite.

    `kind` is `choice` (of two `options`), `action`, `open` (a question without a yes or no) or `motion`
    (any other).
    """

    kind: str
    proposals: tuple[str, ...]
    opposites: tuple[str, ...]
    terms: tuple[str, ...]
    options: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def parse_motion(topic: str, language: str) -> Motion:
    """Parse the motion of a topic. If its grammar is unclear, use neutral words such as "the plan"."""
    forms = load_table("rehearsal", language)["motion"]
    topic_text = _COAXING_PHRASE.sub("", " ".join(topic.split()).strip(_END_CHARACTERS))
    terms = tuple(extract_topic_terms(topic_text, language))
    if alternatives := _find_alternatives(topic_text, language):
        has_gerund = language == "en" and alternatives[0].split()[0].endswith("ing")
        proposals = (
            (alternatives[0],)
            if has_gerund
            else tuple(form.format(a=alternatives[0]) for form in _list_forms(forms, "choice"))
        )
        return Motion("choice", proposals, (alternatives[1],), terms, alternatives)
    if _OPEN_QUESTION.match(topic_text):
        return Motion("open", _list_forms(forms, "open"), _list_forms(forms, "open_rest"), terms)
    action_name = (
        _name_choice(topic_text) if language == "en" and _is_name(topic_text) else extract_action(topic_text, language)
    )
    if action_name and len(action_name) <= 90:
        return Motion("action", (action_name, *_list_forms(forms, "action")), _list_forms(forms, "action_rest"), terms)
    return Motion("motion", _list_forms(forms, "motion"), _list_forms(forms, "motion_rest"), terms)


def _list_forms(forms: Mapping[str, object], key: str) -> tuple[str, ...]:
    values = forms[key]
    return tuple(map(str, values)) if isinstance(values, list) else (str(values),)


def _is_name(topic_text: str) -> bool:
    """Return whether an English topic is a thing and no sentence: "Serverless for a web app"."""
    words = topic_text.split()
    is_phrase = detect_language(topic_text) == "en" and not _SENTENCE.search(topic_text)
    return is_phrase and bool(words) and find_verb_index(words, 1) is None


def _name_choice(name: str) -> str:
    """Name a thing as a choice, such as "choosing tea"; an activity such as "taxing the rich" keeps its name."""
    return lower_first_letter(name) if is_gerund(name.split()[0]) else f"choosing {lower_first_letter(name)}"


def _find_alternatives(topic_text: str, language: str) -> tuple[str, str] | None:
    """Return the two things that a topic chooses between; `None` for any other topic."""
    match = _ALTERNATIVES[language].match(topic_text)
    if not match:
        return None
    first, second = match[1].strip(), _TRAILING_PHRASE[language].sub("", match[2]).strip(_END_CHARACTERS)
    if language == "en":
        return _form_english_alternatives(first, second, match[2].split())
    modal = (CHINESE_MODAL if language == "zh" else SPANISH_MODAL).search(first)
    return _clean_pair(first[modal.end() :] if modal else first, second)


def _form_english_alternatives(first: str, second: str, second_words: list[str]) -> tuple[str, str] | None:
    """Turn two verbs into gerunds, even if they share their object: "Buy or lease the vans"."""
    words = ENGLISH_MODAL.split(first)[-1].split()
    index = find_verb_index(words, len(words))
    if find_verb_index(second_words, 1) == 0:
        index = len(words) - 1 if index is None else index
        object_words = words[index + 1 :] or second_words[1:]
        return " ".join([form_gerund(words[index]), *object_words]), " ".join(
            [form_gerund(second_words[0]), *second_words[1:]]
        )
    if index is not None and index + 1 < len(words):
        words = words[index + 1 :]
    return _clean_pair(" ".join(words), second)


def _clean_pair(first: str, second: str) -> tuple[str, str] | None:
    first = first.strip(_END_CHARACTERS)
    return (lower_first_letter(first) if second[:1].islower() else first, second) if first and second else None
