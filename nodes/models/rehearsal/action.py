"""The action a motion asks for, as a phrase that can be the subject of a sentence, in three grammars."""

import re
from collections.abc import Sequence
from itertools import pairwise

_ENGLISH = """
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
_DOUBLED = """
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
_CHINESE = """
禁止 取消 允许 采用 全面改为 改为 纳入 加装 迁移到 进入 限制 增加 减少 提高 降低 废除
推行 实行 建立 开放 使用 购买 租用 支持 保留 恢复 统一 改革 加强 扩大 缩短 延长 征收
收取 安装 引进 引入 发展 建设 拆除 搬迁 转为 放弃 选择 拥有 带 写
"""
_NOT_SPANISH = "ayer bar deber escolar hogar lugar mar militar mujer poder solar taller"

ENGLISH = frozenset(_ENGLISH.split())
DOUBLED = frozenset(_DOUBLED.split())
"""English verbs whose last letter is doubled before -ing."""
CHINESE = frozenset(_CHINESE.split())
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that can stand before a determiner and are no verbs to ask for something with."""
DETERMINERS = frozenset(_DETERMINERS.split())
NOT_SPANISH = frozenset(_NOT_SPANISH.split())
"""Spanish words that end like an infinitive and are none."""


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
