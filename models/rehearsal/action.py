"""Proposed action of a motion as a phrase that can be the subject of a sentence, in three grammars."""

import re
from collections.abc import Sequence
from itertools import pairwise

_ENGLISH_VERBS = """
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
"""
_DOUBLING_VERBS = """
ban bar begin cancel cap cut drop forget get let permit plan put run scrap set shrink shut skip split stop swap
"""
_FUNCTION_WORDS = """
about above across after against all along also am among and are around as at be because before behind below beneath
beside between beyond both but by can could despite did do does down during even ever everybody everyone except first
for from had half has have he how i if in inside into is it just like many may might must near nobody not of off on
once only onto or ought out outside over past people per quite rather shall she should since so still such than that
them then they though through throughout till to toward under unless unlike until up upon us versus via was we were
what when where whether which while who whom whose why will with within without would yet you
"""
_DETERMINERS = "a an each every its my our the their these this those your"
_CHINESE_VERBS = """
禁止 取消 允许 采用 全面改为 改为 纳入 加装 迁移到 进入 限制 增加 减少 提高 降低 废除
推行 实行 建立 开放 使用 购买 租用 支持 保留 恢复 统一 改革 加强 扩大 缩短 延长 征收
收取 安装 引进 引入 发展 建设 拆除 搬迁 转为 放弃 选择 拥有 带 写
"""
_SPANISH_NOUNS = "ayer bar deber escolar hogar lugar mar militar mujer poder solar taller"

ENGLISH_VERBS = frozenset(_ENGLISH_VERBS.split())
DOUBLING_VERBS = frozenset(_DOUBLING_VERBS.split())
"""English verbs with a last letter that is doubled before -ing."""
CHINESE_VERBS = frozenset(_CHINESE_VERBS.split())
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that can stand before a determiner and are no verbs of a proposal."""
DETERMINERS = frozenset(_DETERMINERS.split())
SPANISH_NOUNS = frozenset(_SPANISH_NOUNS.split())
"""Spanish words that end like an infinitive but are not verbs here."""


ENGLISH_MODAL = re.compile(
    r"\b(?:should|must|ought to|need to|needs to|has to|have to|shall|is it right to|want to)\b\s*", re.IGNORECASE
)
SPANISH_MODAL = re.compile(r"\b(?:deb\w+|hay que|hemos de|conviene|tien\w+ que|habría que)\b", re.IGNORECASE)
CHINESE_MODAL = re.compile(
    "应不应该|应该不应该|是不是应该|是否应该|是否应当|该不该|要不要|可不可以|能不能|是否需要|是否|"
    "应该|应当|必须|需要|可以|应|该|要"
)
_HOUSE_FORMULA = re.compile(r"^this house (?:would|believes that|believes|thinks that)\s+", re.IGNORECASE)
_BECOME_CLAUSE = re.compile(r"^(.{2,60}?)\s+be(?:come)?\s+(.{2,60})$", re.IGNORECASE)
_INFINITIVE = re.compile(r"\b\w+(?:ar|er|ir|arse|erse|irse|ír)\b", re.IGNORECASE)
_INFLECTED_ENDING = re.compile(r"(?:ing|(?<!e)ed|ly|(?<!s)s)$")
_PARTICIPLE_ENDING = re.compile(r"[ai]d[oa]s?$")


def extract_action(motion_text: str, language: str) -> str:
    """Extract the proposed action from a motion without outer punctuation; empty if its grammar is unclear."""
    return {"en": _extract_english_action, "es": _extract_spanish_action, "zh": _extract_chinese_action}[language](
        motion_text
    )


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
    return f"{verb}{verb[-1] if verb in DOUBLING_VERBS else ''}ing"


def _extract_english_action(motion_text: str) -> str:
    """Extract an English action.

    "Should cities ban cars": "banning cars". "Should voting be free": "making voting free".
    """
    text = _HOUSE_FORMULA.sub("", motion_text)
    modal = ENGLISH_MODAL.search(text)
    clause = text[modal.end() :] if modal else text
    if modal and (match := _BECOME_CLAUSE.match(clause if modal.start() == 0 else text[: modal.start()] + clause)):
        helper_verb = "having" if match[2].split()[0].endswith(("ed", "en")) else "making"
        return f"{helper_verb} {lower_first_letter(match[1])} {match[2]}"
    words = clause.split()
    index = find_verb_index(words, len(words) if modal or text != motion_text else 1)
    return (
        "" if index is None or index + 1 == len(words) else " ".join([form_gerund(words[index]), *words[index + 1 :]])
    )


def find_verb_index(words: Sequence[str], word_count: int) -> int | None:
    """Return the index of the verb among the first `word_count` words of an English clause, or `None`.

    It is the first known verb, or else the first word before a determiner that can be a verb: "Name the
    cat".
    """
    known_verbs = (i for i, word in enumerate(words[:word_count]) if word.lower().strip(",") in ENGLISH_VERBS)
    pairs = pairwise(words[: word_count + 1])
    likely_verbs = (
        i for i, (word, follower) in enumerate(pairs) if follower.lower() in DETERMINERS and _can_be_verb(word.lower())
    )
    return next(known_verbs, next(likely_verbs, None))


def _can_be_verb(word: str) -> bool:
    return word.isalpha() and word not in FUNCTION_WORDS and not _INFLECTED_ENDING.search(word)


def is_gerund(word: str) -> bool:
    """Return whether an English word is the -ing form of a known verb: "Taxing"."""
    return word.lower() in _GERUNDS


def _extract_spanish_action(motion_text: str) -> str:
    """Extract a Spanish action.

    "¿Deberían las ciudades prohibir los coches?": "prohibir los coches". "Debe ser gratis": "hacer gratis …".
    """
    modal = SPANISH_MODAL.search(motion_text)
    if not modal and not _INFINITIVE.match(motion_text):
        return ""
    start = modal.end() if modal else 0
    infinitive = next(
        (match for match in _INFINITIVE.finditer(motion_text, start) if match[0].lower() not in SPANISH_NOUNS), None
    )
    if infinitive is None or infinitive[0].lower() != "ser":
        return lower_first_letter(motion_text[infinitive.start() :]) if infinitive else ""
    subject = motion_text[start : infinitive.start()].strip() or (motion_text[: modal.start()].strip() if modal else "")
    predicate = motion_text[infinitive.end() :].strip()
    return (
        f"hacer {predicate} {lower_first_letter(subject)}"
        if subject and predicate and not _PARTICIPLE_ENDING.search(predicate.split()[0])
        else ""
    )


def _extract_chinese_action(motion_text: str) -> str:
    """Extract a Chinese action. "大学应该改为线上授课": "大学改为线上授课"."""
    modal = CHINESE_MODAL.search(motion_text)
    text = (motion_text[: modal.start()] + motion_text[modal.end() :] if modal else motion_text).strip("吗呢 ")
    text = re.sub(r"^(?:我们|咱们)", "", text)
    has_verb = modal or any(verb in text for verb in CHINESE_VERBS)
    return text if 4 <= len(text) <= 24 and has_verb and re.search("[\u4e00-\u9fff]", text) else ""


_GERUNDS = frozenset(map(form_gerund, ENGLISH_VERBS))
