"""Proposal in a topic and its opposite, as phrases that fit into a sentence, in three languages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import cast

from ...prompts import load_table

_WORDS = {
    "english verbs": """
abandon abolish accept add admit adopt allow apply automate avoid back ban bar begin boycott break bring build buy
cancel cap carry change charge choose close collect compare consider continue control convert create criminalise
criminalize cut decriminalize deploy develop discourage divide do drop eliminate enable encourage end enforce
expand extend favor favour finance fire follow forbid force forgive found free fund get give go grant guarantee
halt have help hire host impose improve increase install introduce invest invite join keep launch lead learn lease
leave legalise legalize let license limit lower maintain make mandate merge migrate move nationalise nationalize
offer open organise organize own pause pay permit phase pilot plan plant prefer prepare privatise privatize
produce prohibit promote protect provide publish punish purchase put raise reach read rebuild recognise recognize
record reduce reform refuse regulate release remove rent repair repeal replace report require restrict return
reward rewrite run save scrap sell send separate set share shift shorten shrink simplify skip slow spend split
sponsor standardise standardize start stay stop store subsidise subsidize support switch take tax teach test trade
train treat try turn use vaccinate vote wait welcome withdraw work write
""",
    # English verbs with a last letter that is doubled before -ing.
    "doubling verbs": """
ban bar begin cancel cap cut drop forget get let permit plan put run scrap set shut skip split stop swap
""",
    # English words that can stand before a determiner and are no verbs of a proposal.
    "function words": """
about above across after against all along also am among and are around as at be because before behind below beneath
beside between beyond both but by can could despite did do does down during even ever everybody everyone except first
for from had half has have he how i if in inside into is it just like many may might must near nobody not of off on
once only onto or ought out outside over past people per quite rather shall she should since so still such than that
them then they though through throughout till to toward under unless unlike until up upon us versus via was we were
what when where whether which while who whom whose why will with within without would yet you
""",
    "determiners": "a an each every its my our the their these this those your",
    "chinese verbs": """
禁止 取消 允许 采用 全面改为 改为 纳入 加装 迁移到 进入 限制 增加 减少 提高 降低 废除
推行 实行 建立 开放 使用 购买 租用 支持 保留 恢复 统一 改革 加强 扩大 缩短 延长 征收
收取 安装 引进 引入 发展 建设 拆除 搬迁 转为 放弃 选择 拥有 带 写
""",
    # Spanish words that end like an infinitive but are not verbs here.
    "spanish nouns": "ayer bar deber escolar hogar lugar mar militar mujer poder solar taller",
}
_LISTS = {kind: frozenset(words.split()) for kind, words in _WORDS.items()}
ENGLISH_VERBS, CHINESE_VERBS = _LISTS["english verbs"], _LISTS["chinese verbs"]

_END_CHARACTERS = ' \t\n?？!！.。,，:：¿¡"'
_MODAL = {
    "en": re.compile(
        r"\b(?:should|must|ought to|need to|needs to|has to|have to|shall|is it right to|want to)\b\s*", re.IGNORECASE
    ),
    "es": re.compile(r"\b(?:deb\w+|hay que|hemos de|conviene|tien\w+ que|habría que)\b", re.IGNORECASE),
    "zh": re.compile(
        "应不应该|应该不应该|是不是应该|是否应该|是否应当|该不该|要不要|可不可以|能不能|是否需要|是否|"
        "应该|应当|必须|需要|可以|应|该|要"
    ),
}
_STOPWORDS = {
    "en": re.compile(
        r"(?:\b(?:should|must|shall|ought|would|could|can|may|will|we|us|our|i|the|a|an|of|in|on|at|to|for|from|and|or|"
        r"by|with|as|is|are|be|it|this|that|all|more|most|better|than|not|no|do|does|how|what|which|where|who|when|why|"
        r"house|believes?|there|their|its|every|into|over|need|needs|have|has)\b|[^\w\s'-])+",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"(?:\b(?:deb\w+|hay|que|al|a|en|por|para|con|sin|y|o|u|es|son|ser|se|su|sus|nuestr\w+|más|mejor|cómo|qué|cuál|"
        r"dónde|quién|como|no|todo|toda|todos|todas)\b|\b\w+(?:ar|er|ir)\b(?!\s*$)|[^\w\s-])+",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        f"{_MODAL['zh'].pattern}|{'|'.join(sorted(CHINESE_VERBS, key=len, reverse=True))}|还是|或者|"
        "[的了吗呢吧和与或及在是对把被为从到之更不没有让使给比其都也用]|[\\s，。？！、：；（）“”]"
    ),
}
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
_NOT_A_NAME = re.compile(
    r"\b(?:is|are|was|were|be|will|would|should|must|can|could|may|might|shall|ought|do|does|did|has|have|had|needs?|"
    r"how|what|which|where|who|when|why|never|don['’]t)\b|^this house|[¿¡ñ\u4e00-\u9fff]|"
    r"\b(?:el|los|las|del|una|que)\b",
    re.IGNORECASE,
)
"""Mark of an English sentence, or of another language."""
_INFINITIVE = re.compile(r"\b\w+(?:ar|er|ir|arse|erse|irse|ír)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Motion:
    """Phrases for the proposal, the longest first, and for its opposite.

    `terms`: things that the topic is about. `options`: the two things in a choice.
    """

    proposals: tuple[str, ...]
    opposites: tuple[str, ...]
    terms: tuple[str, ...]
    options: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def parse_motion(topic: str, language: str) -> Motion:
    """Parse the proposal in a topic. If its grammar is unclear, use neutral words such as "the plan"."""
    table = cast(Mapping[str, str | list[str]], load_table("rehearsal", language)["motion"])
    forms = {key: (value,) if isinstance(value, str) else tuple(value) for key, value in table.items()}
    text = " ".join(topic.split()).strip(_END_CHARACTERS)
    text = re.sub(r"^(?:please|let['’]s|let us)\s+", "", text, flags=re.IGNORECASE)
    terms = tuple(extract_topic_terms(text, language))
    if options := _find_alternatives(text, language):
        is_gerund = language == "en" and options[0].split()[0].endswith("ing")
        names = [options[0]] if is_gerund else [form.format(a=options[0]) for form in forms["choice"]]
        return Motion(tuple(names), (options[1],), terms, options)
    if _OPEN_QUESTION.match(text):
        return Motion(forms["open"], forms["open_rest"], terms)
    extractors = {"en": _extract_english_action, "es": _extract_spanish_action, "zh": _extract_chinese_action}
    action = extractors[language](text)
    if action and len(action) <= 90:
        return Motion((action, *forms["action"]), forms["action_rest"], terms)
    return Motion(forms["motion"], forms["motion_rest"], terms)


def extract_topic_terms(text: str, language: str) -> list[str]:
    """Extract the distinct things that a topic is about, in order, each at most five words long."""
    if language == "zh":
        text = re.sub(r"(?:好不好|行不行|对不对|[好对行][吗么])$", "", text)  # an ending that asks
        parts = _STOPWORDS["zh"].split(text)
        return [part for part in dict.fromkeys(parts) if 2 <= len(part) <= 8 and not _OPEN_QUESTION.match(part)]
    if language == "en":
        # The main verb becomes a comma, and an article begins a new thing.
        pattern, words = rf"{_MODAL['en'].pattern}|\b(?:can|could|will|would|to)\b", text.split()
        leading_verb = re.search(pattern, text, re.IGNORECASE)
        start = len(text[: leading_verb.end()].split()) if leading_verb else 0
        index = find_verb_index(words[start:], len(words) if leading_verb else 1)
        if index is not None:
            text = " ".join([*words[: start + index], ",", *words[start + index + 1 :]])
        text = re.sub(r"\b(?:the|an?|our|its|this) (\w)", r", the_\1", text, flags=re.IGNORECASE)
    parts = [part.strip().replace("the_", "the ") for part in _STOPWORDS[language].split(text)]
    terms = [part for part in dict.fromkeys(parts) if len(part) > 2 and len(part.split()) <= 5]
    return [part for part in terms if not part.endswith("ed") and part.lower() not in ENGLISH_VERBS]


def _find_alternatives(text: str, language: str) -> tuple[str, str] | None:
    """Return the two things that a topic asks to choose between; `None` for any other topic.

    Two English verbs become gerunds, even with a shared object: "Buy or lease the vans".
    """
    match = _ALTERNATIVES[language].match(text)
    if not match:
        return None
    first, second = match[1].strip(), _TRAILING_PHRASE[language].sub("", match[2]).strip(_END_CHARACTERS)
    if language == "en":
        words, second_words = _MODAL["en"].split(first)[-1].split(), match[2].split()
        index = find_verb_index(words, len(words))
        if find_verb_index(second_words, 1) == 0:
            index = len(words) - 1 if index is None else index
            first = " ".join([form_gerund(words[index]), *(words[index + 1 :] or second_words[1:])])
            return first, " ".join([form_gerund(second_words[0]), *second_words[1:]])
        first = " ".join(words[index + 1 :] if index is not None and index + 1 < len(words) else words)
    elif modal := _MODAL[language].search(first):
        first = first[modal.end() :]
    first = first.strip(_END_CHARACTERS)
    return (lower_first_letter(first) if second[:1].islower() else first, second) if first and second else None


def lower_first_letter(text: str) -> str:
    """Lower the first letter of `text`, unless its first word is an abbreviation."""
    word = text.split(" ", 1)[0]
    return text if len(word) > 1 and word.isupper() else text[:1].lower() + text[1:]


def form_gerund(verb: str) -> str:
    """Form the -ing form of an English verb."""
    verb = verb.lower()
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    return f"{verb}{verb[-1] if verb in _LISTS['doubling verbs'] else ''}ing"


def find_verb_index(words: Sequence[str], word_count: int) -> int | None:
    """Return the index of the verb among the first `word_count` words of an English clause, or `None`.

    It is the first known verb, or else the first word before a determiner that can be a verb: "Name the
    cat".
    """
    for index, word in enumerate(words[:word_count]):
        if word.lower().strip(",") in ENGLISH_VERBS:
            return index
    for index, (word, follower) in enumerate(pairwise(words[: word_count + 1])):
        can_be_verb = word.isalpha() and not re.search(r"(?:ing|(?<!e)ed|ly|(?<!s)s)$", word.lower())
        if can_be_verb and word.lower() not in _LISTS["function words"] and follower.lower() in _LISTS["determiners"]:
            return index
    return None


def _extract_english_action(motion: str) -> str:
    """Extract the proposed action as a gerund; empty if the grammar is unclear.

    "Should cities ban cars": "banning cars". "Should voting be free": "making voting free". A thing is a choice: "Tea"
    becomes "choosing tea", but an activity such as "taxing the rich" keeps its name.
    """
    words = motion.split()
    if words and not _NOT_A_NAME.search(motion) and find_verb_index(words, 1) is None:
        name = lower_first_letter(motion)
        return name if words[0].lower() in map(form_gerund, ENGLISH_VERBS) else f"choosing {name}"
    text = re.sub(r"^this house (?:would|believes that|believes|thinks that)\s+", "", motion, flags=re.IGNORECASE)
    modal = _MODAL["en"].search(text)
    clause = text[modal.end() :] if modal else text
    whole_clause = clause if modal and modal.start() == 0 else f"{text[: modal.start()] if modal else ''}{clause}"
    match = re.match(r"(.{2,60}?)\s+be(?:come)?\s+(.{2,60})$", whole_clause, re.IGNORECASE)
    if modal and match:
        helper_verb = "having" if match[2].split()[0].endswith(("ed", "en")) else "making"
        return f"{helper_verb} {lower_first_letter(match[1])} {match[2]}"
    words = clause.split()
    index = find_verb_index(words, len(words) if modal or text != motion else 1)
    if index is None or index + 1 == len(words):
        return ""
    return " ".join([form_gerund(words[index]), *words[index + 1 :]])


def _extract_spanish_action(motion: str) -> str:
    """Extract the proposed action as an infinitive; empty if the grammar is unclear.

    "¿Deberían las ciudades prohibir los coches?": "prohibir los coches". "Debe ser gratis": "hacer gratis …".
    """
    modal = _MODAL["es"].search(motion)
    start = modal.end() if modal else 0
    infinitives = (
        match for match in _INFINITIVE.finditer(motion, start) if match[0].lower() not in _LISTS["spanish nouns"]
    )
    infinitive = next(infinitives, None) if modal or _INFINITIVE.match(motion) else None
    if infinitive is None:
        return ""
    if infinitive[0].lower() != "ser":
        return lower_first_letter(motion[infinitive.start() :])
    subject = motion[start : infinitive.start()].strip() or (motion[: modal.start()].strip() if modal else "")
    predicate = motion[infinitive.end() :].strip()
    if not subject or not predicate or re.search("[ai]d[oa]s?$", predicate.split()[0]):
        return ""
    return f"hacer {predicate} {lower_first_letter(subject)}"


def _extract_chinese_action(motion: str) -> str:
    """Extract the proposed action; empty if the grammar is unclear. "大学应该改为线上授课": "大学改为线上授课"."""
    modal = _MODAL["zh"].search(motion)
    text = (motion[: modal.start()] + motion[modal.end() :] if modal else motion).strip("吗呢 ")
    text = re.sub(r"^(?:我们|咱们)", "", text)
    has_verb = modal or any(verb in text for verb in CHINESE_VERBS)
    return text if 4 <= len(text) <= 24 and has_verb and re.search("[\u4e00-\u9fff]", text) else ""
