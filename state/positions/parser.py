"""Parser of a declared position in plain text, for models that ignore a schema; it never guesses.

It reads an answer such as `for`, `Answer: B` or `12.5 kg`. If they are asked for, it also reads a line
`Certainty: 70` and a line `Stance: hold`.
"""

import re
from typing import Final

from ..ballot import UnclearAnswerError, normalize_answer, parse_stated_answer
from ..ballot.normalize import make_certainty_error
from .answer import append_unit
from .settings import POSITION_SIDES, AnswerFormat

_FOR: Final = ["for", "in favour", "in favor", "i am for it", "a favor", "支持", "赞成"]
_AGAINST: Final = ["against", "i am against it", "en contra", "反对"]
_UNDECIDED: Final = ["undecided", "i am undecided", "indeciso", "indecisa", "未定", "尚未决定"]
SIDE_WORDS: Final = dict(zip(POSITION_SIDES, (_FOR, _AGAINST, _UNDECIDED), strict=True))
STANCE_WORDS: Final = {
    "hold": ["hold", "i hold", "mantengo", "坚持"],
    "partly": ["partly", "in part", "en parte", "部分", "部分让步"],
    "concede": ["concede", "i concede", "concedo", "cedo", "让步", "认输"],
}

_LABEL_WORDS = r"(?:my\s+|mi\s+|我的)?(?:answer|position|choice|respuesta|posición|elección|答案|回答|立场|选择)"
_CERTAINTY = re.compile(
    r"^[^\w\n]*(?:certainty|confidence|certeza|confianza|seguridad|确信度|把握)[^\w\n:：]*[:：]"
    r"[^\w\n]*(\d{1,3}(?:\.\d+)?)(?:\s*(?:%|/\s*100))?[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_STANCE = re.compile(r"^[^\w\n]*(?:stance|postura|态度)[^\w\n:：]*[:：](.+)$", re.IGNORECASE | re.MULTILINE)
_LABEL_PREFIX = re.compile(rf"^[^\w\n]*{_LABEL_WORDS}[^\w\n:：]*[:：]", re.IGNORECASE | re.MULTILINE)
_FIGURE = r"([-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"


def parse_position(
    text: str, answer_format: AnswerFormat, *, needs_certainty: bool = True, needs_stance: bool = False
) -> dict[str, object]:
    """Parse the declaration in `text` into the keys of the form: answer, unit, certainty and stance.

    Certainty and stance are only parsed if needed. Raises `UnclearAnswerError` if a needed key is missing,
    repeated or unclear.
    """
    remaining_text, values = text, dict[str, object]()
    if needs_certainty:
        certainties = _CERTAINTY.findall(remaining_text)
        if len(certainties) != 1:
            raise make_certainty_error(0, 100)
        remaining_text = _CERTAINTY.sub("", remaining_text)
        values["certainty"] = float(certainties[0])
    if needs_stance:
        stances = _STANCE.findall(remaining_text)
        if len(stances) != 1:
            remedy = "state your stance once, on a line of its own: `Stance: ` and hold, partly or concede"
            raise UnclearAnswerError(remedy, "stance")
        remaining_text = _STANCE.sub("", remaining_text)
        values["stance"] = parse_stated_answer(stances[0], _index_wordings(STANCE_WORDS))
    remaining_text = _LABEL_PREFIX.sub("", remaining_text).strip()
    if not answer_format.is_numeric:
        return values | {"answer": _parse_sign(remaining_text, answer_format)}
    unit = answer_format.unit
    match = re.fullmatch(rf"[*_`]*{_FIGURE}\s*{re.escape(unit)}[*_`]*[.。]?", remaining_text)
    if match is None:  # another or missing unit is a fault as well
        example = append_unit("0.5", unit)
        remedy = f"write the number alone, as in {example}, with a point for decimals and nothing between thousands"
        raise UnclearAnswerError(remedy, "figure", given=example)
    return values | {"answer": float(match[1].replace("−", "-"))} | ({"unit": unit} if unit else {})


def _index_wordings(words: dict[str, list[str]]) -> dict[str, str]:
    return {normalize_answer(wording): meaning for meaning, wordings in words.items() for wording in wordings}


def _parse_sign(text: str, answer_format: AnswerFormat) -> str:
    if not answer_format.texts:
        return parse_stated_answer(text, _index_wordings(SIDE_WORDS))
    signs = {normalize_answer(sign): sign for sign in answer_format.signs}
    texts = [normalize_answer(wording) for wording in answer_format.texts.values()]
    unique_texts = {
        normalize_answer(wording): sign
        for sign, wording in answer_format.texts.items()
        if texts.count(normalize_answer(wording)) == 1
    }
    return parse_stated_answer(text, unique_texts | signs)
