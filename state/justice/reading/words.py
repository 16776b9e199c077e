"""The words a reply in free text is read by, in case-folded text. Western words count whole, ideographs anywhere."""

import re
from typing import Final

from ..principle import Certainty

_BETWEEN = r"[\s_+&-]{1,4}"
_EN = (
    r"(?:the|a|an|with|under|plus|maximi[sz]\w*|highest|largest|income|incomes|constraints?|"
    r"constrained|principle|rule|option)",
    r"(?:floor|minimum|lowest|average|avg|mean|range|limit\w*|cap|caps|capped)",
)
_ES = (
    r"(?:el|la|un|una|del?|con|bajo|maximiz\w+|ingresos?|renta|restricci(?:ón|ones)|principio|regla|opción)",
    r"(?:piso|mínimo|promedio|media|medio|rango|límites?|tope)",
)
_JOINING = r"(?:with|under|plus|con|bajo)(?!\w)"
_ZH = r"(?:最低|底线|平均|范围|上限)"
_ZH_FILL = r"(?:最大化|收入|约束|限制|原则|[在下的])"


def _names(filling: str, telling: str) -> re.Pattern[str]:
    """A run of words that name a principle: at least one that tells which, others between and around them."""
    inside = rf"(?:{_BETWEEN}(?:{filling}|{telling})){{0,12}}"
    return re.compile(rf"(?<!\w)(?:(?!{_JOINING}){filling}{_BETWEEN}){{0,6}}{telling}{inside}(?!\w)")


NAMES: Final = {
    "en": _names(*_EN),
    "es": _names(*_ES),
    "zh": re.compile(rf"{_ZH_FILL}{{0,6}}{_ZH}(?:{_ZH}|{_ZH_FILL}){{0,12}}"),
}
"""What may be the name of a principle, by language."""
FLOOR: Final = re.compile("floor|minimum|lowest|piso|mínimo|最低|底线")
AVERAGE: Final = re.compile("average|avg|mean|promedio|media|medio|平均")
RANGE: Final = re.compile("range|rango|范围")
CONSTRAINT: Final = re.compile("constrain|restricci|约束|限制")
LIMIT: Final = re.compile("limit|cap|límite|tope|上限")
"""What a name is made of; a limit alone tells no principle."""

NUMERALS: Final = re.compile(
    r"(?<!\w)(?:zero|one|two|three|four|first|second|third|fourth|last|"
    r"cero|uno|dos|tres|cuatro|primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|últim[oa])(?!\w)|[零一二两三四]"
)
LETTERS: Final = re.compile(
    r"^\W*[a-d]\W*$|(?:(?<!\w)(?:option|principle|choice|answer|letter|opción|principio|letra|"
    r"respuesta)|选项|原则|选)"
    r"\s*:?\s*\(?[a-d](?!\w)"
)

CERTAINTIES: Final[dict[str, Certainty]] = {
    "very unsure": "very_unsure",
    "unsure": "unsure",
    "no opinion": "no_opinion",
    "sure": "sure",
    "very sure": "very_sure",
    "muy inseguro": "very_unsure",
    "muy insegura": "very_unsure",
    "inseguro": "unsure",
    "insegura": "unsure",
    "sin opinión": "no_opinion",
    "seguro": "sure",
    "segura": "sure",
    "muy seguro": "very_sure",
    "muy segura": "very_sure",
    "非常不确定": "very_unsure",
    "不确定": "unsure",
    "没有意见": "no_opinion",
    "无意见": "no_opinion",
    "确定": "sure",
    "非常确定": "very_sure",
}
CERTAINTY_LABEL: Final = "(?:certainty|confidence|certeza|seguridad|确定程度|确信程度)"
CERTAIN: Final = re.compile(
    r"(?<!\w)(?:(?:un)?sure|(?:un)?certain|(?:in)?segur[oa]s?|no opinion|sin opinión)(?!\w)|确定|意见"
)
"""Words that speak of certainty."""

_FIRST_TO_LAST = (
    r"(?:(?:from )?(?:the )?best (?:first|to (?:the )?worst|one first)|in order(?: of preference)?|"
    r"most preferred first|"
    r"(?:del?|de la) mejor a(?:l| la)? peor|de mejor a peor|(?:el|la) mejor primero|primero (?:el|la|lo) mejor|"
    r"从最?好到最?[差坏]|最好的?在前)"
)
INTRODUCTION: Final = re.compile(
    r"(?:here is |this is |here's |i rank (?:them|the (?:four )?principles)?|aquí está |este es |以下是|这是)?\s*"
    r"(?:(?:my|the|mi|el|我的|我对四种原则的)?\s*(?:own |final |new )?(?:ranking|order|orden|"
    r"ordenación|clasificación|排序|排名|顺序)"
    rf"(?: final| now)?(?:是|为| is| es)?)?[\s:,(]*(?:{_FIRST_TO_LAST})?[\s:,).]*"
)
"""What may stand before a ranking; nothing at all is one as well."""
REVERSED: Final = re.compile(
    r"(?<!\w)(?:worst(?: one| option| principle)?(?: comes?)? first|worst (?:to|->|→) (?:the "
    r")?best|(?:with|from) the (?:worst|last|least)|"
    r"(?:from )?(?:last|bottom|least)(?: \w+)? (?:to|first)|revers\w+|backwards?|ascending|"
    r"(?:del?|de la|lo) peor a(?:l| la)?|"
    r"de menos a más|primero (?:el|la|lo) peor|(?:el|la|lo) peor primero|invers[oa]|ascendente|al revés)(?!\w)"
    r"|最[差坏](?:的|者)?(?:到|至|在前|排?在?最?前|开始)|从[差坏]|倒[序着]|逆序|从低到高|反过来"
)
"""What says that the worst stands first."""
_PLACE_WORDS: Final = {
    "1": r"(?:rank|place|puesto|lugar) ?1|第(?:1|一)名?|1st(?: place)?|1\.?[ºª]|first(?: "
    "place)?|best|top|primer[oa]?|(?:el |la )?mejor|最好|最佳",
    "2": r"(?:rank|place|puesto|lugar) ?2|第(?:2|二)名?|2nd(?: place)?|2\.?[ºª]|second(?: place)?|segund[oa]|其次",
    "3": r"(?:rank|place|puesto|lugar) ?3|第(?:3|三)名?|3rd(?: place)?|3\.?[ºª]|third(?: place)?|tercer[oa]?",
    "4": r"(?:rank|place|puesto|lugar) ?4|第(?:4|四)名?|4th(?: place)?|4\.?[ºª]|fourth(?: "
    "place)?|last(?: place)?|worst|cuart[oa]|últim[oa]|"
    r"(?:el |la )?peor|最差|最后",
}
PLACE: Final = re.compile(
    r"\(?(?P<listed>[1-4])[.)]\s*(?=\S)|(?P<number>[1-4])\s*[:–-]\s*(?=[^\W0-9])|(?:"
    + "|".join(f"(?P<place{number}>{words})" for number, words in _PLACE_WORDS.items())
    + r")\s*[:.)–-]\s*(?=\S)"
)
"""A place at the beginning of a line, in figures or in words."""
