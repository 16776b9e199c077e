"""Plain text of a reply, with marks at possible answers.

A mark is a character of the private use area: `make_mark(value)` for an answer itself and
`make_mark(value, is_loose=True)` for words that only suggest one. Numbers that count rounds, people or money, and those
inside names, are not answers: they are masked first.
"""

import re
import unicodedata
from typing import Final

from pydantic_core import ErrorDetails

MAX_REPLY_LENGTH: Final = 20_000
"""Maximum length of a reply to parse, in code points."""
COUNT_MASK: Final = "\ue040"
"""Mask of a number that counts or names an object, together with the object."""
MONEY_MASK: Final = "\ue041"
REFERENCE_MASK: Final = "\ue042"
"""Mask of a numbered reference, such as a principle in the answer to a yes-or-no question."""

MARK_PATTERN: Final = "[\ue000-\ue03f]"


class UnclearAnswerError(ValueError):
    """Text without a plain answer; the message describes the fault.

    `kind` and `values`: phrase of the message in other languages, and the values of its holes. `flaw`:
    fault that the answer format found instead.
    """

    def __init__(self, message: str, kind: str = "none", flaw: ErrorDetails | None = None, **values: object) -> None:
        super().__init__(message)
        self.kind, self.flaw, self.values = kind, flaw, values


def make_certainty_error(minimum: int, maximum: int) -> UnclearAnswerError:
    """Make the error for a reply that does not state a certainty from `minimum` to `maximum` once."""
    message = f"state your certainty once, on a line of its own: `Certainty: ` and a number from {minimum} to {maximum}"
    return UnclearAnswerError(message, "certainty", least=minimum, most=maximum)


def make_mark(value: int, *, is_loose: bool = False) -> str:
    """Make the mark of answer number `value`, 0 to 15."""
    return chr(0xE000 + value + (16 if is_loose else 0))


def get_mark_value(mark: str) -> int:
    """Return the answer number of a mark."""
    return ord(mark) % 16


def list_marks(text: str) -> list[str]:
    """Return the marks of a text, in order."""
    return re.findall(MARK_PATTERN, text)


_CODE_FENCE = re.compile(r"```(?:json|text|markdown)?|</?(?:answer|vote|ballot)>|\\boxed", re.IGNORECASE)
_QUOTATION_MARK = re.compile(r"(?<!\w)['’‘]|['’‘](?!\w)|[*`\"“”„«»「」『』{}\[\]¡]|(?<!\w)_|_(?!\w)")
_CLAUSE_COMMA = re.compile(r"，(?!\d{3}(?!\d))")
_LONG_NUMBER = re.compile(r"[0-9][0-9.,]{40,}")
_BULLET = re.compile(r"[ \t]*(?:[-•·+–][ \t]+|#+[ \t]*(?=\D)|#+[ \t]+)")
_FORGED_MARK = re.compile("[\ue000-\ue0ff]")


def normalize_reply(text: str) -> str:
    """Normalize `text` to NFKC and lower case, without emphasis, quotation marks, bullets and empty lines.

    A full-width comma ends a clause unless exactly three digits follow, as in 15，000. A number of more than 40 digits,
    beyond every range, becomes one of 31. The result may be empty. Raises `UnclearAnswerError` for a text longer than
    `MAX_REPLY_LENGTH`.
    """
    if len(text) > MAX_REPLY_LENGTH:
        raise UnclearAnswerError(
            f"the reply has {len(text)} characters; give the answer alone", "long", length=len(text)
        )
    normalized_text = unicodedata.normalize("NFKC", _CLAUSE_COMMA.sub(", ", _FORGED_MARK.sub(" ", text))).casefold()
    normalized_text = _CODE_FENCE.sub("\n", normalized_text).replace("’", "'")
    normalized_text = _LONG_NUMBER.sub("9" * 31, normalized_text)
    lines = (_BULLET.sub("", line, count=1) if _BULLET.match(line) else line for line in normalized_text.splitlines())
    stripped_lines = (re.sub(r"\s+", " ", _QUOTATION_MARK.sub("", line)).strip() for line in lines)
    return "\n".join(line for line in stripped_lines if line)


NUMBER_PATTERN: Final = r"(?:(?<!\w)[-−])?[0-9]+(?:[.,][0-9]+)*"
_PLAIN_NUMBER = r"[0-9]+(?:[.,][0-9]+)*"
_UNIT = (
    r"(?:k|thousand|mil|millones|millón|million|dollars?|dólares|usd|us\$|euros?|cents?)(?![a-zà-ÿ])|"
    r"元|美元|块|[万千亿]+"
)
_MONEY_SUM = re.compile(
    rf"(?:us)?[$€£¥]\s*{_PLAIN_NUMBER}(?:\s*(?:{_UNIT}))?|(?<![a-z0-9_.,-]){_PLAIN_NUMBER}(?:\s*(?:{_UNIT}))(?:\s*[0-9]*\s*(?:{_UNIT}))*"
    r"|(?<![a-z0-9_.,-])[1-9][0-9]{0,2}(?:[.,][0-9]{3})+(?![a-z0-9_])|(?<![a-z0-9_.,-])[1-9][0-9]{2,}(?![.,]?[0-9]|"
    r"[a-z_])"
)
_COUNTED_THINGS = (
    "rounds?|phases?|turns?|steps?|stages?|days?|weeks?|months?|years?|applications?|agents?|"
    "players?|participants?|speakers?|"
    "members?|persons?|voters?|bots?|models?|experts?|citizens?|groups?|teams?|distributions?|situations?|tables?|"
    "classes|class|levels?|rondas?|fases?|turnos?|pasos?|etapas?|días?|semanas?|años?|aplicaciones|"
    "aplicación|agentes?|"
    "jugador(?:a|es|as)?|participantes?|miembros?|personas?|votantes?|grupos?|equipos?|distribuciones|distribución|"
    "situaciones|situación|tablas?|clases?|niveles|nivel"
)
_NUMBERED_THINGS = f"{_COUNTED_THINGS}|pages?|chapters?|páginas?|capítulos?"
_QUANTITIES = (
    f"{_COUNTED_THINGS}|people|votes?|times|minutes?|hours?|objections?|principles|options|choices|"
    f"others?|of (?:us|them|you|the)"
    "|votos?|veces|objeciones|objeción|minutos?|horas?|principios|opciones|de (?:nosotr[oa]s|ell[oa]s|los|las)|más"
)
_COUNT = re.compile(
    rf"(?<![a-zà-ÿ0-9_])(?:{_NUMBERED_THINGS})\s*(?:no\.?|number|número|n[.º°]|#|-|:)?\s*{_PLAIN_NUMBER}(?:\s*(?:of|"
    rf"de|/)\s*{_PLAIN_NUMBER})?"
    rf"|(?<![0-9.,]){_PLAIN_NUMBER}\s*(?:more |other |further |full |long "
    rf")?(?:{_QUANTITIES})(?![a-zà-ÿ])|{_PLAIN_NUMBER}\s*%"
    rf"|第\s*{_PLAIN_NUMBER}\s*(?:轮|阶段|次|页|章|步|回合|天)|(?:参与者|玩家|成员|选手|代理|"
    rf"方案|分配方案|轮次|阶段|应用|第)\s*{_PLAIN_NUMBER}"
    rf"(?:号|名(?!原则))|{_PLAIN_NUMBER}\s*号(?:参与者|玩家|成员|选手|代理)|(?:参与者|玩家|成员|"
    rf"选手|代理|方案|阶段)\s*{_PLAIN_NUMBER}"
    rf"|{_PLAIN_NUMBER}\s*(?:轮|阶段|次|个人|位|人|票|年|天|个参与者|个成员|分钟)"
)
_NAME_WITH_DIGIT = re.compile(
    r"(?<![a-zà-ÿ0-9_])(?:[a-zà-ÿ_]+-[0-9]+|(?=[0-9]*[a-zà-ÿ_])[a-zà-ÿ0-9_]*[0-9][a-zà-ÿ0-9_]*)(?![a-zà-ÿ0-9_])(?:'s)?"
)
_GLUED_NUMBER = re.compile(r"(?<![a-zà-ÿ])(principle|option|principio|opción|answer|vote)[_-]?(?=[0-9])")


def mask_names(text: str, *, with_leading_digit: bool = True) -> str:
    """Mask names with a digit, such as `agent_2` or `d3`."""
    separated_text = _GLUED_NUMBER.sub(r"\1 ", text)
    return _NAME_WITH_DIGIT.sub(
        lambda match: COUNT_MASK if with_leading_digit or not match[0][0].isdigit() else match[0], separated_text
    )


def mask_sums(text: str) -> str:
    """Mask sums of money: a currency, a unit, or at least three digits."""
    return _MONEY_SUM.sub(MONEY_MASK, text)


def mask_counts(text: str) -> str:
    """Mask counts of rounds, people and the like, and references such as `round 3`."""
    return _COUNT.sub(COUNT_MASK, text)
