"""Choices from a closed list: the speaker's order of its values, and its score for each."""

import re
from collections.abc import Sequence

from ....state.justice import CERTAINTIES, PRINCIPLES
from ....state.random_streams import make_rng
from .. import answers
from .. import justice as principles
from ..scene import Scene
from ..verdict import judge_record
from .field_values import decide_yes_no, pick_next_speaker

_YES = re.compile(
    r"yes|agree|accept|approve|consent|support|for|pro|in favou?r|true|start|1|"
    r"sí|si|a favor|acepto|apoyo|同意|支持|赞成|是",
    re.IGNORECASE,
)
_NO = re.compile(
    r"no|disagree|reject|refuse|oppose|against|con|false|wait|not now|0|"
    r"rechazo|en contra|me opongo|不同意|反对|否|不",
    re.IGNORECASE,
)


def order_values(scene: Scene, name: str, values: Sequence[object], path: str) -> list[object]:
    """Order the values of a closed list, the preferred one first."""
    words = {str(value) for value in values}
    if "continue" in words:
        return _put_first(values, judge_record(scene).reason)
    if words == {"for", "against", "undecided"}:
        return _put_first(values, answers.choose_side(scene))
    if words == {"guilty", "not guilty"}:
        return _put_first(values, "guilty" if scene.opinion >= 0.5 else "not guilty")
    if words == {"hold", "partly", "concede"}:
        return _put_first(values, answers.choose_stance(scene))
    if name == "answer" and scene.prompt.purpose in (*answers.ANSWER_PURPOSES, "statement"):
        return answers.rank_options(scene, values)
    if words <= set(CERTAINTIES):
        return _put_first(values, CERTAINTIES[principles.draw_certainty(scene)])
    if words <= set(PRINCIPLES) or (words == set("1234") and principles.is_about_justice(scene)):
        return sorted(values, key=lambda value: principles.rank_principles(scene).index(_parse_principle(str(value))))
    if words <= {*scene.prompt.participants, ""} and "moved" in name.casefold():
        return _put_first(values, scene.course.get_influencer(scene.prompt.speaker))
    if words <= {*scene.prompt.participants, ""} and re.search(r"next|yield|speak", name.casefold()):
        return _put_first(values, pick_next_speaker(scene))
    if all(_YES.fullmatch(word) or _NO.fullmatch(word) for word in words):
        is_yes = decide_yes_no(scene, name, path)
        return sorted(values, key=lambda value: bool(_YES.fullmatch(str(value))) != is_yes)
    if scene.prompt.purpose == "ballot" and scene.prompt.private:
        return answers.rank_options(scene, values)
    return sorted(values, key=lambda value: -score_option(scene, str(value)))


def score_option(scene: Scene, option: str) -> float:
    """Score an option, above 0: the speaker's own leaning, plus recent support by the others."""
    score, folded_option = make_rng(scene.seed, "option", scene.prompt.speaker, option).random(), option.casefold()
    alternatives = [alternative.casefold() for alternative in scene.motion.options]
    if scene.side and folded_option in alternatives and (alternatives[0] == folded_option) == (scene.opinion >= 0.5):
        score += 3
    latest_texts = {statement.speaker: statement.text.casefold() for statement in scene.prompt.statements}
    return score + 0.8 * sum(folded_option in text for text in latest_texts.values()) / max(1, len(latest_texts))


def _put_first(values: Sequence[object], first: str) -> list[object]:
    return sorted(values, key=lambda value: str(value) != first)


def _parse_principle(word: str) -> int:
    return int(word) if word.isdigit() else [str(principle) for principle in PRINCIPLES].index(word) + 1
