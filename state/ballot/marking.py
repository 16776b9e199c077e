"""A reply as plain text, and marks in it where it could mean an answer.

A mark is a character of the private use area: `mark(value)` for an answer itself and `mark(value, loose=True)` for
words that only suggest one. Numbers that count rounds, people or money, and those inside names, mean no answer: they
are taken out of the way first.
"""

import re
import unicodedata
from typing import Final

from pydantic_core import ErrorDetails

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
    """Text that is no plain answer; the message says what was wrong.

    `kind` and `given`: the phrase that says it in another language, and what fills its holes; `flaw`: what the form of
    an answer found wrong instead.
    """

    def __init__(self, said: str, kind: str = "none", flaw: ErrorDetails | None = None, **given: object) -> None:
        super().__init__(said)
        self.kind, self.flaw, self.given = kind, flaw, given


def uncertain(least: int, most: int) -> Unclear:
    """What is wrong where a certainty from `least` to `most` is not stated once."""
    said = f"state your certainty once, on a line of its own: `Certainty: ` and a number from {least} to {most}"
    return Unclear(said, "certainty", least=least, most=most)


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
        raise Unclear(f"the reply has {len(text)} characters; give the answer alone", "long", length=len(text))
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
