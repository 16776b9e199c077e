"""The words a reply in free text is read by, in case-folded text. Western words count whole, ideographs anywhere."""

import re
from typing import Final

from ..principle import Certainty


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)")


FLOOR_CONSTRAINTS: Final = {
    "en": _words(r"floor[\s-]+constraints?"),
    "es": _words(r"restricci(?:ón|ones)\s+(?:de\s+)?(?:piso|mínimo)"),
    "zh": re.compile("最低约束|底线约束"),
}
RANGE_CONSTRAINTS: Final = {
    "en": _words(r"range[\s-]+constraints?"),
    "es": _words(r"restricci(?:ón|ones)\s+(?:de\s+)?rango"),
    "zh": re.compile("范围约束"),
}
FLOORS: Final = {
    "en": _words("floor|minimum|lowest"),
    "es": _words("piso|mínimo"),
    "zh": re.compile("最低|底线"),
}
AVERAGES: Final = {
    "en": _words("average|mean"),
    "es": _words("promedio|media"),
    "zh": re.compile("平均"),
}
LIMITS: Final = re.compile(
    r"(?<!\w)(?:constrain\w*|limit\w*|cap|caps|capped|ranges?|restric\w+|límites?|rangos?|tope)(?!\w)|约束|限制|范围|上限"
)
"""Words that tell a constrained principle from a plain one."""

HEDGES: Final = re.compile(
    r"(?<!\w)(?:no|not|never|neither|nor|none|without|against|cannot|reject\w*|oppose\w*|except|avoid\w*|dislike\w*|"
    r"disagree\w*|\w+n['’]t|than|over|instead|rather|versus|vs|"
    r"nunca|ni|jamás|tampoco|sin|contra|ningun[oa]|rechaz\w+|excepto|salvo|en lugar|en vez|antes que|más que)(?!\w)"
    r"|[不没非未无勿别比]|反对|拒绝|胜过"
)
"""Negations and comparisons, of all languages: beside one of them the name of a principle says nothing for sure."""

NUMERALS: Final = re.compile(
    r"(?<!\w)(?:zero|one|two|three|four|first|second|third|fourth|last|"
    r"cero|uno|dos|tres|cuatro|primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|últim[oa])(?!\w)|[零一二两三四]"
)
LETTERS: Final = re.compile(
    r"^\W*[a-d]\W*$|(?:(?<!\w)(?:option|principle|choice|answer|letter|opción|principio|letra|respuesta)|选项|原则|选)"
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
CERTAINTY_LABEL: Final = re.compile("certainty|certeza|确定程度|确信程度")
CERTAINTY_OPENING: Final = re.compile(r"^(?:i am |i'm |i’m |i feel |is |estoy |me siento |es |我|是|为)+")
CLAUSES: Final = re.compile(r"[:;,.!=()\[\]\"“”「」。、|-]|\n")
"""What separates a stated certainty from the words around it."""
