"""How people say an answer, and what speaks against one, in English, Spanish and Chinese, as plain text has it."""

import re
from typing import Final

from .normalize import COUNT_MASK, MARK_PATTERN, MONEY_MASK, REFERENCE_MASK

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
DOUBTS: Final = re.compile(
    rf"(?<!\w)(?:{_DOUBTS_EN}|{_DOUBTS_ES})(?!\w)"
    r"|[不没非未无勿别比除但或曾错说]|反对|拒绝|胜过|可是|然而|如果|要是|假如|还是|也许|可能|"
    r"大概|想要|之前|以后|稍后|下次|原来|等等|最差|最坏|改|倒"
)
"""What makes a sentence negate, compare, doubt, take back, or tell of others or of other times."""
TURNS: Final = re.compile(
    r"(?<!\w)(?:but|however|though|although|unless|if|wait|actually|correction|scratch|instead|"
    r"kidding|jok\w+|otherwise|"
    r"changed|hat(?:e|es|ed)|dislik\w+|pero|aunque|embargo|si|espera|perdón)(?!\w)|[但?]|可是|然而|如果|等等|除非"
)
"""What may turn a reason round."""


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
    rf"(?:(?:as|like) (?:we )?(?:agreed|discussed|said)(?: [^,:]{{0,40}})?|as [\w{COUNT_MASK}]+(?: "
    rf"and [\w{COUNT_MASK}]+)? {_SAID}"
    rf"|like {COUNT_MASK}|como (?:dij(?:o|eron|imos)|propus(?:o|ieron)|propone|sugirió|acordamos|"
    rf"acordado)(?: [^,:]{{0,40}})?"
    rf"|(?:正如|如)[^,:]{{1,20}}(?:所说|说的|建议的|商定的?))"
)
_TIME = (
    rf"(?:after|tras|después de|经过|在)\s*(?:all |the |these |las |estas )?{COUNT_MASK}(?:\s*(?:of "
    rf"(?:talk|discussion|debate)|de (?:debate|discusión)|的?讨论|之后|后))*"
)
_TURNED = (
    rf"(?:(?:in|after|en|tras|在)\s*{COUNT_MASK},? ?)?(?:i(?: have|'ve)? changed my mind|(?:he "
    rf")?cambi(?:é|ado) de opinión|我?改变了主意)"
)
PREFIX = re.compile(
    rf"(?:{_OPENING}(?:\s*[,:]\s*|\s+|$)|(?:{_AGREED}|{_TIME}|{_TURNED})\s*[,:]\s*"
    rf"|(?:for |para (?:el )?|对于?)?{REFERENCE_MASK}(?: with| con)?\s*[,:]?\s*)"
)
FREE = re.compile(
    r"(?P<free>(?:after|in|by|during|given|based on|considering|following|thinking|looking|"
    r"having|tras|después|en|durante|dado"
    r"|visto|considerando|teniendo|pensando|经过|鉴于|根据|考虑|基于|在)(?![a-zà-ÿ])[^,:]{1,120}?)(?:,\s*|\s+|(?=我))"
    r"(?=(?:i|my|yo|mi|voto|elijo|escojo|opto|prefiero|apoyo)(?![a-zà-ÿ])|i'|我)"
)
_NOW = (
    r"(?: hereby| now| still| therefore| thus| also| fully| strongly| clearly| definitely|"
    r" simply| really| secretly| just)*"
)
LEAD = re.compile(
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
CORE = re.compile(
    rf"\s*(?:(?:(?:the|el|la|por el) )?{REFERENCE_MASK}\s*(?:(?:with|con|and|y|at|of|de)(?!\w)|"
    rf"[,:(为的]|\s)*)?\(?\s*(?:(?:el|la|al|a la|los|por el|para el)\s+)?"
    rf"(?P<marks>{MARK_PATTERN}(?:{_BETWEEN}{MARK_PATTERN})*)(?:\s*\))?"
)
REASON = re.compile(
    rf"[\s,;:(–—-]*(?:(?:because|since|as(?= (?:it|this|that|we|everyone|agreed)(?!\w)| ?{MARK_PATTERN})|"
    rf"so that|in order to|porque|ya que|pues"
    r"|puesto que|dado que)(?!\w)|(?:^|(?<=[,;:(–—-])|(?<=[,;:(–—-] ))(?:reasons?|reasoning|"
    r"razón|razones|motivo|理由|原因)\s*[:=]|因为|由于)(?P<why>.*)"
)
_AMOUNT = (
    rf"(?:[\s,:(–—-]|with|con|at|y|and|an?|the|una?|el|la|of|de|amount|cantidad|金额|是|为|=|dollars)*(?:{MARK_PATTERN}\s*)?"
    rf"(?:[\s:=]|of|de|at|amount|cantidad|是|为)*{MONEY_MASK}\s*\)?"
)
TAIL = re.compile(
    rf"(?:{_AMOUNT}|(?:,\s*|\s+)(?:please|thanks|thank you|por favor|gracias|now|for me|for "
    rf"us|for the group|it is|gets my vote|"
    r"definitely|certainly|absolutely|exactly|of course|claro|para mí|a year|per year|al año)(?!\w)|,?\s*(?:谢谢|吧)"
    r"|(?:,| -|:)?\s+(?:(?:that|this|ese|este|eso) )?(?:is|es)\s+(?:my|mi)\s+(?:final\s+)?(?:vote|"
    r"choice|answer|pick|decision|voto|elección|respuesta|decisión)(?!\w)"
    r"|\s*是我的(?:选择|答案|回答)|\s*\((?P<aside>[^()]{1,200})\)|,?\s*(?:which|que)\s(?P<clause>[^,:]{1,120})|"
    r"\s*[,.:!–—-]+\s*)"
)
ENDS: Final = " .!,;。…"
SENTENCES = re.compile(r"(?<=[.!?。！？;；…])\s*")
