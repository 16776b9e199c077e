"""The action a motion asks for, as a phrase that can be the subject of a sentence, in three grammars."""

import re
from collections.abc import Sequence
from itertools import pairwise

from .verbs import CHINESE, DETERMINERS, DOUBLED, ENGLISH, FUNCTION_WORDS, NOT_SPANISH

SHOULD_EN = re.compile(
    r"\b(?:should|must|ought to|need to|needs to|has to|have to|shall|is it right to|want to)\b\s*", re.IGNORECASE
)
SHOULD_ES = re.compile(r"\b(?:deb\w+|hay que|hemos de|conviene|tien\w+ que|habría que)\b", re.IGNORECASE)
SHOULD_ZH = re.compile(
    "应不应该|应该不应该|是不是应该|是否应该|是否应当|该不该|要不要|可不可以|能不能|是否需要|是否|"
    "应该|应当|必须|需要|可以|应|该|要"
)
_HOUSE = re.compile(r"^this house (?:would|believes that|believes|thinks that)\s+", re.IGNORECASE)
_BE = re.compile(r"^(.{2,60}?)\s+be(?:come)?\s+(.{2,60})$", re.IGNORECASE)
_INFINITIVE = re.compile(r"\b\w+(?:ar|er|ir|arse|erse|irse|ír)\b", re.IGNORECASE)
_NO_BARE_VERB = re.compile(r"(?:ing|(?<!e)ed|ly|(?<!s)s)$")
_PARTICIPLE = re.compile(r"[ai]d[oa]s?$")


def action(bare: str, language: str) -> str:
    """What a motion without punctuation at its ends proposes; empty where its grammar is not understood."""
    return {"en": _english, "es": _spanish, "zh": _chinese}[language](bare)


def lowered(text: str) -> str:
    """`text` without its first capital, unless its first word is an abbreviation."""
    word = text.split(" ", 1)[0]
    return text if len(word) > 1 and word.isupper() else text[:1].lower() + text[1:]


def gerund(verb: str) -> str:
    """The -ing form of an English verb."""
    verb = verb.lower()
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    return f"{verb}{verb[-1] if verb in DOUBLED else ''}ing"


def _english(bare: str) -> str:
    """Should cities ban cars, or ban cars: "banning cars". Should voting be free: "making voting free"."""
    text = _HOUSE.sub("", bare)
    lead = SHOULD_EN.search(text)
    inner = text[lead.end() :] if lead else text
    if lead and (being := _BE.match(inner if lead.start() == 0 else text[: lead.start()] + inner)):
        make = "having" if being[2].split()[0].endswith(("ed", "en")) else "making"
        return f"{make} {lowered(being[1])} {being[2]}"
    words = inner.split()
    at = verb_in(words, len(words) if lead or text != bare else 1)
    return "" if at is None or at + 1 == len(words) else " ".join([gerund(words[at]), *words[at + 1 :]])


def verb_in(words: Sequence[str], reach: int) -> int | None:
    """Where the verb of an English clause stands among the first `reach` words, as far as that can be told.

    The first that is known; else the first before a determiner that its form does not speak against: "Name the cat".
    """
    known = (i for i, word in enumerate(words[:reach]) if word.lower().strip(",") in ENGLISH)
    pairs = pairwise(words[: reach + 1])
    likely = (i for i, (one, after) in enumerate(pairs) if after.lower() in DETERMINERS and _may_be_verb(one.lower()))
    return next(known, next(likely, None))


def _may_be_verb(word: str) -> bool:
    return word.isalpha() and word not in FUNCTION_WORDS and not _NO_BARE_VERB.search(word)


def is_gerund(word: str) -> bool:
    """Whether an English word is the -ing form of a verb: "Taxing"."""
    return word.lower() in _GERUNDS


def _spanish(bare: str) -> str:
    """¿Deberían las ciudades prohibir los coches?: "prohibir los coches". Debe ser gratis: "hacer gratis …"."""
    lead = SHOULD_ES.search(bare)
    if not lead and not _INFINITIVE.match(bare):
        return ""
    after = lead.end() if lead else 0
    found = next((one for one in _INFINITIVE.finditer(bare, after) if one[0].lower() not in NOT_SPANISH), None)
    if found is None or found[0].lower() != "ser":
        return lowered(bare[found.start() :]) if found else ""
    thing = bare[after : found.start()].strip() or (bare[: lead.start()].strip() if lead else "")
    state = bare[found.end() :].strip()
    return f"hacer {state} {lowered(thing)}" if thing and state and not _PARTICIPLE.search(state.split()[0]) else ""


def _chinese(bare: str) -> str:
    """大学应该改为线上授课: "大学改为线上授课"."""
    lead = SHOULD_ZH.search(bare)
    text = (bare[: lead.start()] + bare[lead.end() :] if lead else bare).strip("吗呢 ")
    text = re.sub(r"^(?:我们|咱们)", "", text)
    acts = lead or any(verb in text for verb in CHINESE)
    return text if 4 <= len(text) <= 24 and acts and re.search("[\u4e00-\u9fff]", text) else ""


_GERUNDS = frozenset(map(gerund, ENGLISH))
