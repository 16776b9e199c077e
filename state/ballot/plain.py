"""Whether an answer stands plainly in a reply: alone, labelled or declared, and never in passing.

A reader first puts marks where a reply could mean one of the answers: a mark is a character of the private use area,
`mark(value)` for an answer itself and `mark(value, loose=True)` for words that only suggest one. Numbers that count
rounds, people or money, and those inside names, are taken out of the way before (`COUNTED`, `MONEY`). What is left is
read sentence by sentence, in English, Spanish and Chinese alike; a sentence that is not known to state an answer
states none.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

MOST: Final = 20_000
"""Longest reply that is read, in code points."""
COUNTED: Final = "\ue040"
"""Stands for a number that counts or names something else, with what it counts."""
MONEY: Final = "\ue041"
"""Stands for a sum of money."""
ELSEWHERE: Final = "\ue042"
"""Stands for the name of something else that has numbers, such as a principle where a yes or no is asked for."""

MARK: Final = "[\ue000-\ue03f]"
"""Matches any mark."""


class Unclear(ValueError):
    """Text that is no plain answer; the message says what was wrong, for asking again."""


def mark(value: int, *, loose: bool = False) -> str:
    """The mark of answer number `value`, 0 to 15."""
    return chr(0xE000 + value + (16 if loose else 0))


def value_of(marked: str) -> int:
    """The number of the answer a mark stands for."""
    return ord(marked) % 16


def marks_in(text: str) -> list[str]:
    """The marks of a text, in order."""
    return re.findall(MARK, text)


_FENCED = re.compile(r"```(?:json|text|markdown)?|</?(?:answer|vote|ballot)>|\\boxed", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!\w)['’‘]|['’‘](?!\w)|[*`\"“”„«»「」『』{}\[\]¡]|(?<!\w)_|_(?!\w)")
_CLAUSE_COMMA = re.compile(r"，(?!\d{3}(?!\d))")
_ENDLESS = re.compile(r"[0-9][0-9.,]{40,}")
_BULLET = re.compile(r"[ \t]*(?:[-•·+–][ \t]+|#+[ \t]*(?=\D)|#+[ \t]+)")
_FORGED = re.compile("[\ue000-\ue0ff]")


def plain(text: str) -> str:
    """`text` in NFKC and lower case, line by line, without emphasis, quotation marks, bullets and empty lines.

    A full-width comma ends a clause unless exactly three digits follow, as in 15，000; a number of more than 40 digits,
    beyond every range, is one of 31. Empty where nothing is left;
    raises `Unclear` where the text is longer than `MOST`.
    """
    if len(text) > MOST:
        raise Unclear(f"the reply has {len(text)} characters; give the answer alone")
    narrow = unicodedata.normalize("NFKC", _CLAUSE_COMMA.sub(", ", _FORGED.sub(" ", text))).casefold()
    narrow = _FENCED.sub("\n", narrow).replace("’", "'")
    narrow = _ENDLESS.sub("9" * 31, narrow)
    lines = (_BULLET.sub("", line, count=1) if _BULLET.match(line) else line for line in narrow.splitlines())
    bare = (re.sub(r"\s+", " ", _QUOTED.sub("", line)).strip() for line in lines)
    return "\n".join(line for line in bare if line)


NUMBER: Final = r"(?:(?<!\w)[-−])?[0-9]+(?:[.,][0-9]+)*"
_NUMBERED = r"[0-9]+(?:[.,][0-9]+)*"
_UNIT = (
    r"(?:k|thousand|mil|millones|millón|million|dollars?|dólares|usd|us\$|euros?|cents?)(?![a-zà-ÿ])|"
    r"元|美元|块|[万千亿]+"
)
_SUM = re.compile(
    rf"(?:us)?[$€£¥]\s*{_NUMBERED}(?:\s*(?:{_UNIT}))?|(?<![a-z0-9_.,-]){_NUMBERED}(?:\s*(?:{_UNIT}))(?:\s*[0-9]*\s*(?:{_UNIT}))*"
    r"|(?<![a-z0-9_.,-])[1-9][0-9]{0,2}(?:[.,][0-9]{3})+(?![a-z0-9_])|(?<![a-z0-9_.,-])[1-9][0-9]{2,}(?![.,]?[0-9]|"
    r"[a-z_])"
)
_THINGS = (
    "rounds?|phases?|turns?|steps?|stages?|days?|weeks?|months?|years?|applications?|agents?|"
    "players?|participants?|speakers?|"
    "members?|persons?|voters?|bots?|models?|experts?|citizens?|groups?|teams?|distributions?|situations?|tables?|"
    "classes|class|levels?|rondas?|fases?|turnos?|pasos?|etapas?|días?|semanas?|años?|aplicaciones|"
    "aplicación|agentes?|"
    "jugador(?:a|es|as)?|participantes?|miembros?|personas?|votantes?|grupos?|equipos?|distribuciones|distribución|"
    "situaciones|situación|tablas?|clases?|niveles|nivel"
)
_PLACED = f"{_THINGS}|pages?|chapters?|páginas?|capítulos?"
_MEASURED = (
    f"{_THINGS}|people|votes?|times|minutes?|hours?|objections?|principles|options|choices|"
    f"others?|of (?:us|them|you|the)"
    "|votos?|veces|objeciones|objeción|minutos?|horas?|principios|opciones|de (?:nosotr[oa]s|ell[oa]s|los|las)|más"
)
_COUNTS = re.compile(
    rf"(?<![a-zà-ÿ0-9_])(?:{_PLACED})\s*(?:no\.?|number|número|n[.º°]|#|-|:)?\s*{_NUMBERED}(?:\s*(?:of|"
    rf"de|/)\s*{_NUMBERED})?"
    rf"|(?<![0-9.,]){_NUMBERED}\s*(?:more |other |further |full |long )?(?:{_MEASURED})(?![a-zà-ÿ])|{_NUMBERED}\s*%"
    rf"|第\s*{_NUMBERED}\s*(?:轮|阶段|次|页|章|步|回合|天)|(?:参与者|玩家|成员|选手|代理|"
    rf"方案|分配方案|轮次|阶段|应用|第)\s*{_NUMBERED}"
    rf"(?:号|名(?!原则))|{_NUMBERED}\s*号(?:参与者|玩家|成员|选手|代理)|(?:参与者|玩家|成员|"
    rf"选手|代理|方案|阶段)\s*{_NUMBERED}"
    rf"|{_NUMBERED}\s*(?:轮|阶段|次|个人|位|人|票|年|天|个参与者|个成员|分钟)"
)
_NAMED = re.compile(
    r"(?<![a-zà-ÿ0-9_])(?:[a-zà-ÿ_]+-[0-9]+|(?=[0-9]*[a-zà-ÿ_])[a-zà-ÿ0-9_]*[0-9][a-zà-ÿ0-9_]*)(?![a-zà-ÿ0-9_])(?:'s)?"
)
_GLUED = re.compile(r"(?<![a-zà-ÿ])(principle|option|principio|opción|answer|vote)[_-]?(?=[0-9])")


def without_names(text: str, *, numbered: bool = True) -> str:
    """`text` with names that hold a digit, such as `agent_2` or `d3`, put out of the way.

    `numbered`: also those that begin with one, such as `2nd`.
    """
    apart = _GLUED.sub(r"\1 ", text)
    return _NAMED.sub(lambda name: COUNTED if numbered or not name[0][0].isdigit() else name[0], apart)


def without_sums(text: str) -> str:
    """`text` with sums of money put out of the way: a currency, a unit, or at least three digits."""
    return _SUM.sub(MONEY, text)


def without_counts(text: str) -> str:
    """`text` with counts of rounds, people and the like put out of the way, and numbered ones too."""
    return _COUNTS.sub(COUNTED, text)


IDIOMS = re.compile(
    r"(?:without (?:a |any )?|beyond (?:a |any )?|no )(?:doubt|question|hesitation)|sin (?:ninguna |lugar a )?dudas?"
    r"|毫无疑问|无疑|and nothing else|y nada más"
)
"""Turns of speech that hold a negation and negate nothing."""

_DOUBTS_EN = (
    r"no|not|never|neither|nor|none|nothing|nobody|nowhere|without|against|cannot|\w+n't|dont|wont|cant|refus\w+|"
    r"reject\w*|oppos\w+|except\w*|avoid\w*|dislik\w+|disagree\w*|hat(?:e|es|ed)|fear\w*|"
    r"worse|worst|bad|wrong\w*|mistake\w*|"
    r"than|over|instead|rather|versus|vs|but|however|though|although|unless|if|whether|or|either|maybe|perhaps|"
    r"possibly|probably|presumably|might|may|could|unsure|uncertain|undecided|torn|hesita\w+|hmm+|wait|actually|"
    r"correction|scratch|meant|mean|sorry|oops|kidding|jok\w+|again|reconsider\w*|previously|earlier|before|formerly|"
    r"used|later|soon|next|least|revers\w+|opposite|others?|otherwise|swap\w*|ignor\w+|forget\w*|"
    r"disregard\w*|retract\w*|withdraw\w*|"
    r"take back|says?|tells?|told|wrote|writes|answered|claim\w*|wants|wanted|thinks|prefers|"
    r"votes|voted|chose|chosen|"
    r"asks|asked|quot\w+|pretend\w*|supposed|second thoughts?|(?<!i )(?<!we )(?<!have )said"
)
_DOUBTS_ES = (
    r"no|nunca|jamás|ni|tampoco|sin|contra|ningun[oa]s?|ningún|nada|nadie|rechaz\w+|excepto|salvo|menos|peor(?:es)?|"
    r"mal[oa]?|error\w*|sino|pero|aunque|embargo|si|quizás?|tal vez|puede|podría\w*|acaso|"
    r"o|u|espera|perdón|dicho|dijo|"
    r"dice|dicen|dijeron|quiere|quieren|prefiere|prefieren|vota|votan|elige|eligen|voté|elegí|"
    r"antes|anterior\w*|contrario|"
    r"odio|evit\w+|ignor\w+|olvid\w+|revés|invers\w+|demás|luego|después|pronto|más tarde|"
    r"en vez|en lugar|que no|dud[oa]\w*"
)
_DOUBTS: Final = re.compile(
    rf"(?<!\w)(?:{_DOUBTS_EN}|{_DOUBTS_ES})(?!\w)"
    r"|[不没非未无勿别比除但或曾错说]|反对|拒绝|胜过|可是|然而|如果|要是|假如|还是|也许|可能|"
    r"大概|想要|之前|以后|稍后|下次|原来|等等|最差|最坏|改|倒"
)
"""What makes a sentence negate, compare, doubt, take back, or tell of others or of other times."""
_TURNS: Final = re.compile(
    r"(?<!\w)(?:but|however|though|although|unless|if|wait|actually|correction|scratch|instead|"
    r"kidding|jok\w+|otherwise|"
    r"changed|pero|aunque|embargo|si|espera|perdón)(?!\w)|[但?]|可是|然而|如果|等等|除非"
)
"""What may turn a reason round."""


@dataclass(frozen=True)
class Declared:
    """A sentence that states an answer.

    `core`: its marks; `beside`: the words it may say freely; `led`: whether it says that this is an answer.
    """

    core: list[str]
    beside: str
    reason: str
    led: bool


_OPENING = (
    r"(?:(?:ok|okay|sure|well|alright|all right|right|certainly|fine|great|so|thus|therefore|"
    r"now|and|hello|hi|hey|thanks|"
    r"thank you|definitely|absolutely|clearly|simply|exactly|precisely|finally|of course|in the end|let's vote|"
    r"(?:after|on|upon) (?:careful |much |some |long |due )*(?:thought|consideration|reflection|"
    r"discussion|deliberation)|"
    r"vale|bueno|bien|claro|de acuerdo|hola|gracias|entonces|por supuesto|así que|ahora|definitivamente|exactamente|"
    r"finalmente|claramente)(?: (?:all|everyone|everybody|you|group|friends|a tod[oa]s|amig[oa]s))*(?![a-zà-ÿ])"
    r"|好的?|好吧|行|嗯|谢谢(?:大家)?|你好|大家好|那么|所以|因此|当然|考虑再三|深思熟虑)"
)
_SAID = r"(?:said|says|proposed|proposes|suggested|suggests|argued|explained|put it)"
_AGREED = (
    rf"(?:(?:as|like) (?:we )?(?:agreed|discussed|said)(?: [^,:]{{0,40}})?|as [\w{COUNTED}]+(?: "
    rf"and [\w{COUNTED}]+)? {_SAID}"
    rf"|like {COUNTED}|como (?:dij(?:o|eron|imos)|propus(?:o|ieron)|propone|sugirió|acordamos|"
    rf"acordado)(?: [^,:]{{0,40}})?"
    rf"|(?:正如|如)[^,:]{{1,20}}(?:所说|说的|建议的|商定的?))"
)
_TIME = (
    rf"(?:after|tras|después de|经过|在)\s*(?:all |the |these |las |estas )?{COUNTED}(?:\s*(?:of "
    rf"(?:talk|discussion|debate)|de (?:debate|discusión)|的?讨论|之后|后))*"
)
_TURNED = (
    rf"(?:(?:in|after|en|tras|在)\s*{COUNTED},? ?)?(?:i(?: have|'ve)? changed my mind|(?:he "
    rf")?cambi(?:é|ado) de opinión|我?改变了主意)"
)
_PREFIX = re.compile(
    rf"(?:{_OPENING}(?:\s*[,:]\s*|\s+|$)|(?:{_AGREED}|{_TIME}|{_TURNED})\s*[,:]\s*"
    rf"|(?:for |para (?:el )?|对于?)?{ELSEWHERE}(?: with| con)?\s*[,:]?\s*)"
)
_FREE = re.compile(
    r"(?P<free>(?:after|in|by|during|given|based on|considering|following|thinking|looking|"
    r"having|tras|después|en|durante|dado"
    r"|visto|considerando|teniendo|pensando|经过|鉴于|根据|考虑|基于|在)(?![a-zà-ÿ])[^,:]{1,120}?)(?:,\s*|\s+|(?=我))"
    r"(?=(?:i|my|yo|mi|voto|elijo|escojo|opto|prefiero|apoyo)(?![a-zà-ÿ])|i'|我)"
)
_NOW = (
    r"(?: hereby| now| still| therefore| thus| also| fully| strongly| clearly| definitely|"
    r" simply| really| secretly| just)*"
)
_LEAD = re.compile(
    rf"(?:i(?:'m|'ll|'d| am| will| would| shall)?{_NOW}(?: going to| like to| want to)?{_NOW} "
    rf"(?:vote|voting|choose|choosing|"
    r"pick|picking|select|selecting|support|supporting|prefer|favou?r|take|taking|want|say|"
    r"answer|propose|proposing|go|"
    r"going|opt|opting|cast(?:ing)? my (?:vote|ballot)|think|settle|settling)"
    r"(?: we should (?:adopt|choose|take|go with|vote for))?(?: for| with| on)?\s*:?\s*(?![a-zà-ÿ])"
    r"|(?:my|mi)(?: own| final| secret| first| clear| primera?)* (?:vote|ballot|choice|answer|"
    r"decision|pick|preference|"
    r"option|amount|proposal|voto|papeleta|respuesta|elección|decisión|opción|preferencia|"
    r"cantidad|propuesta)(?: final| now)?"
    r"(?:\s*[:=]| is| goes to| remains| stays| will be| es| va| sigue siendo| será)"
    r"(?: still| now| clearly| definitely| ahora)?(?: for| to| para| por)?\s*:?\s*(?![a-zà-ÿ])"
    r"|(?:for me,? )?it is (?![a-zà-ÿ])|we should (?:adopt|choose|take|go with|vote for)(?![a-zà-ÿ])"
    r"|the answer is\s*:?\s*(?![a-zà-ÿ])|(?:the |la |el )?(?:final )?(?:answer|vote|ballot|"
    r"choice|decision|respuesta|voto|papeleta|elección|decisión)"
    r"(?: final)?\s*[:=]\s*"
    r"|(?:yo )?(?:voto|votaré|elijo|escojo|opto|prefiero|apoyo|propongo|quiero|digo|respondo|"
    r"selecciono|me quedo|me decido)"
    r"(?: ahora)?(?: a favor)?(?: por| con| de)?\s*:?\s*(?![a-zà-ÿ])"
    r"|(?:我|本人)?(?:现在|仍然|决定|会|将|就|最终|想)*(?:选择|选|投票给|投给|投票|投|支持|"
    r"赞成|提议|建议|回答|认为应当采纳)\s*:?\s*"
    r"|(?:我的)?(?:最终)?(?:选择|答案|回答|投票|选票|决定|金额)(?:仍然|就)?\s*(?:是|为|:)[\s:]*)"
)
_BETWEEN = r"(?:[\s,:=/()–—-]|for |para |is |es |yes |sí |是|即)*"
_CORE = re.compile(
    rf"\s*(?:(?:(?:the|el|la|por el) )?{ELSEWHERE}\s*(?:(?:with|con|and|y|at|of|de)(?!\w)|"
    rf"[,:(为的]|\s)*)?\(?\s*(?:(?:the|el|la|al|a la|los|por el|para el)\s+)?"
    rf"(?P<marks>{MARK}(?:{_BETWEEN}{MARK})*)(?:\s*\))?"
)
_REASON = re.compile(
    rf"[\s,;:(–—-]*(?:(?:because|since|as(?= (?:it|this|that|we|everyone|agreed)(?!\w)| ?{MARK})|"
    rf"so that|in order to|porque|ya que|pues"
    r"|puesto que|dado que)(?!\w)|(?:^|(?<=[,;:(–—-])|(?<=[,;:(–—-] ))(?:reasons?|reasoning|"
    r"razón|razones|motivo|理由|原因)\s*[:=]|因为|由于)(?P<why>.*)"
)
_AMOUNT = (
    rf"(?:[\s,:(–—-]|with|con|at|y|and|an?|the|una?|el|la|of|de|amount|cantidad|金额|是|为|=|dollars)*(?:{MARK}\s*)?"
    rf"(?:[\s:=]|of|de|at|amount|cantidad|是|为)*{MONEY}\s*\)?"
)
_TAIL = re.compile(
    rf"(?:{_AMOUNT}|(?:,\s*|\s+)(?:please|thanks|thank you|por favor|gracias|now|for me|for "
    rf"us|for the group|it is|gets my vote|"
    r"definitely|certainly|absolutely|exactly|of course|claro|para mí|a year|per year|al año)(?!\w)|,?\s*(?:谢谢|吧)"
    r"|(?:,| -|:)?\s+(?:(?:that|this|ese|este|eso) )?(?:is|es)\s+(?:my|mi)\s+(?:final\s+)?(?:vote|"
    r"choice|answer|pick|decision|voto|elección|respuesta|decisión)(?!\w)"
    r"|\s*是我的(?:选择|答案|回答)|\s*\((?P<aside>[^()]{1,200})\)|,?\s*(?:which|que)\s(?P<clause>[^,:]{1,120})|"
    r"\s*[,.:!–—-]+\s*)"
)
_ENDS: Final = " .!,;。…"
_SENTENCES = re.compile(r"(?<=[.!?。！？;；…])\s*")


def declared_in(sentence: str) -> Declared | None:
    """What a sentence states as an answer; none where it states none."""
    rest, beside = sentence.strip(_ENDS), []
    for _ in range(4):
        if found := _PREFIX.match(rest):
            rest = rest[found.end() :]
    if found := _FREE.match(rest):
        beside.append(found["free"])
        rest = rest[found.end() :]
    led = _LEAD.match(rest)
    rest = rest[led.end() :] if led else rest
    core = _CORE.match(rest)
    if core is None:
        return None
    tail, reason = rest[core.end() :], ""
    for _ in range(6):
        if why := _REASON.match(tail):
            tail, reason = "", why["why"]
        if not tail:
            return Declared(marks_in(core["marks"]), " ; ".join(beside), reason, led is not None)
        found = _TAIL.match(tail)
        if found is None:
            return None
        beside.append(found["aside"] or found["clause"] or "".join(marks_in(found[0])))
        tail = tail[found.end() :]
    return None


def without_opening(sentence: str) -> str:
    """A sentence without the words that only lead up to what it says."""
    rest = sentence
    while rest and (found := _PREFIX.match(rest)):
        rest = rest[found.end() :]
    return rest


def is_beside(sentence: str) -> bool:
    """Whether a sentence neither names an answer nor speaks against one."""
    return not (marks_in(sentence) or re.search("[0-9?]", sentence) or _DOUBTS.search(sentence))


def equal(answer: int, other: str) -> bool:
    """Whether a mark found beside an answer stands for the same one."""
    return value_of(other) == answer


def answer_in(marked: str, agrees: Callable[[int, str], bool] = equal) -> int:
    """The one answer that a marked text states. Raises `Unclear` where it states none, or anything speaks against it.

    `agrees` says whether a mark beside an answer, in a reason or a further sentence, goes together with it.
    """
    sentences = _sentences(IDIOMS.sub("", marked))
    answers: set[int] = set()
    beside: list[str] = []
    for place, (sentence, _) in enumerate(sentences):
        said = declared_in(sentence)
        if said is None or not (said.led or answers or _may_stand_bare(sentences, place)):
            beside.append(_heard_beside(sentence, bool(answers)))
            continue
        answers |= {value_of(one) for one in said.core}
        if _DOUBTS.search(said.beside) or _TURNS.search(said.reason):
            raise Unclear("the answer is put in doubt where it stands")
        beside.append(said.beside + said.reason)
    if len(answers) != 1:
        raise Unclear("several answers are stated" if answers else "no answer is stated plainly; give the answer alone")
    answer = answers.pop()
    if not all(agrees(answer, one) for text in beside for one in marks_in(text)):
        raise Unclear("what stands beside the answer says something else")
    return answer


def _sentences(text: str) -> list[tuple[str, bool]]:
    """The sentences of a text, each with whether it is a line of its own; a colon at a line's end joins the next."""
    lines = (_SENTENCES.split(line) for line in re.sub(r":\n", ": ", text).split("\n"))
    said = ([part for part in parts if part.strip(" .!;")] for parts in lines)
    return [(part, len(parts) == 1) for parts in said for part in parts]


def _may_stand_bare(sentences: list[tuple[str, bool]], place: int) -> bool:
    """Whether an answer without a word that says so may stand here: at the beginning, or on the last line alone."""
    opened = all(_PREFIX.fullmatch(one.strip(" .!,")) for one, _ in sentences[:place])
    return opened or (place == len(sentences) - 1 and sentences[place][1])


def _heard_beside(sentence: str, answered: bool) -> str:
    """A sentence that states no answer. Raises `Unclear` where it could speak against one."""
    if why := _REASON.match(sentence):
        if _TURNS.search(why["why"]):
            raise Unclear("the reason turns against itself")
        return sentence
    marks = marks_in(sentence)
    if (marks and not answered) or "?" in sentence or _DOUBTS.search(sentence):
        raise Unclear("an answer is named in passing, doubted, negated, compared, or somebody else's")
    return sentence
