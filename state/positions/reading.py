"""Reading a declared position out of plain text, for models that keep to no schema; never a guess.

`for` or `Answer: B` or `12.5 kg`, then a line `Certainty: 70`, and where it is asked for a line `Stance: hold`.
"""

import re
from typing import Final

from ..ballot import Unclear
from ..ballot.answer import bare, stated
from ..ballot.marking import uncertain
from .answer import with_unit
from .rules import SIDES, Question

_FOR: Final = ["for", "in favour", "in favor", "i am for it", "a favor", "支持", "赞成"]
_AGAINST: Final = ["against", "i am against it", "en contra", "反对"]
_UNDECIDED: Final = ["undecided", "i am undecided", "indeciso", "indecisa", "未定", "尚未决定"]
WORDS: Final = dict(zip(SIDES, (_FOR, _AGAINST, _UNDECIDED), strict=True))
STANCES: Final = {
    "hold": ["hold", "i hold", "mantengo", "坚持"],
    "partly": ["partly", "in part", "en parte", "部分", "部分让步"],
    "concede": ["concede", "i concede", "concedo", "cedo", "让步", "认输"],
}

_LABELS = r"(?:my\s+|mi\s+|我的)?(?:answer|position|choice|respuesta|posición|elección|答案|回答|立场|选择)"
_CERTAINTY = re.compile(
    r"^[^\w\n]*(?:certainty|confidence|certeza|confianza|seguridad|确信度|把握)[^\w\n:：]*[:：]"
    r"[^\w\n]*(\d{1,3}(?:\.\d+)?)(?:\s*(?:%|/\s*100))?[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_STANCE = re.compile(r"^[^\w\n]*(?:stance|postura|态度)[^\w\n:：]*[:：](.+)$", re.IGNORECASE | re.MULTILINE)
_LABEL = re.compile(rf"^[^\w\n]*{_LABELS}[^\w\n:：]*[:：]", re.IGNORECASE | re.MULTILINE)
_FIGURE = r"([-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"


def read_position(text: str, question: Question, *, certain: bool = True, stance: bool = False) -> dict[str, object]:
    """What `text` declares, by the keys of the form: answer, its unit, with `certain` certainty, with `stance` stance.

    Raises `Unclear` where one of them is missing, is said twice, or is not said plainly.
    """
    rest, values = text, dict[str, object]()
    if certain:
        sure = _CERTAINTY.findall(rest)
        if len(sure) != 1:
            raise uncertain(0, 100)
        rest = _CERTAINTY.sub("", rest)
        values["certainty"] = float(sure[0])
    if stance:
        named = _STANCE.findall(rest)
        if len(named) != 1:
            said = "state your stance once, on a line of its own: `Stance: ` and hold, partly or concede"
            raise Unclear(said, "stance")
        rest = _STANCE.sub("", rest)
        values["stance"] = stated(named[0], _by_wording(STANCES))
    rest = _LABEL.sub("", rest).strip()
    return values | (_figure(rest, question) if question.numeric else {"answer": _sign(rest, question)})


def _by_wording(words: dict[str, list[str]]) -> dict[str, str]:
    return {bare(wording): meant for meant, wordings in words.items() for wording in wordings}


def _sign(text: str, question: Question) -> str:
    """The option, or the side, that a text states."""
    if not question.texts:
        return stated(text, _by_wording(WORDS))
    named = {bare(one): one for one in question.signs}
    texts = [bare(one) for one in question.texts.values()]
    told = {bare(said): one for one, said in question.texts.items() if texts.count(bare(said)) == 1}
    return stated(text, told | named)


def _figure(text: str, question: Question) -> dict[str, object]:
    """A number in the unit asked for; in any other unit, or in none, it is not read."""
    found = re.fullmatch(rf"[*_`]*{_FIGURE}\s*{re.escape(question.unit)}[*_`]*[.。]?", text)
    if found is None:
        asked = with_unit("0.5", question.unit)
        said = f"write the number alone, as in {asked}, with a point for decimals and nothing between thousands"
        raise Unclear(said, "figure", given=asked)
    return {"answer": float(found[1].replace("−", "-"))} | ({"unit": question.unit} if question.unit else {})
