"""Whether an answer stands plainly in a reply: alone, labelled or declared, and never in passing.

A reader first puts marks where a reply could mean one of the answers (`marking`). What is left is read sentence by
sentence, in English, Spanish and Chinese alike; a sentence that is not known to state an answer states none.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from .normalize import UnclearAnswerError, get_mark_value, list_marks
from .phrases import CORE, DOUBTS, ENDS, FREE, IDIOMS, LEAD, PREFIX, REASON, SENTENCES, TAIL, TURNS


@dataclass(frozen=True)
class Declared:
    """A sentence that states an answer.

    `core`: its marks; `beside`: the words it may say freely; `led`: whether it says that this is an answer.
    """

    core: list[str]
    beside: str
    reason: str
    led: bool


def declared_in(sentence: str) -> Declared | None:
    """What a sentence states as an answer; none where it states none."""
    rest, beside = sentence.strip(ENDS), []
    for _ in range(4):
        if found := PREFIX.match(rest):
            rest = rest[found.end() :]
    if found := FREE.match(rest):
        beside.append(found["free"])
        rest = rest[found.end() :]
    led = LEAD.match(rest)
    rest = rest[led.end() :] if led else rest
    core = CORE.match(rest)
    if core is None:
        return None
    tail, reason = rest[core.end() :], ""
    for _ in range(6):
        if why := REASON.match(tail):
            tail, reason = "", why["why"]
        if not tail:
            return Declared(list_marks(core["marks"]), " ; ".join(beside), reason, led is not None)
        found = TAIL.match(tail)
        if found is None:
            return None
        beside.append(found["aside"] or found["clause"] or "".join(list_marks(found[0])))
        tail = tail[found.end() :]
    return None


def without_opening(sentence: str) -> str:
    """A sentence without the words that only lead up to what it says."""
    rest = sentence
    while rest and (found := PREFIX.match(rest)):
        rest = rest[found.end() :]
    return rest


def is_beside(sentence: str) -> bool:
    """Whether a sentence neither names an answer nor speaks against one."""
    return not (list_marks(sentence) or re.search("[0-9?]", sentence) or DOUBTS.search(sentence))


def equal(answer: int, other: str) -> bool:
    """Whether a mark found beside an answer stands for the same one."""
    return get_mark_value(other) == answer


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
        answers |= {get_mark_value(one) for one in said.core}
        if DOUBTS.search(said.beside) or TURNS.search(said.reason):
            raise UnclearAnswerError("the answer is put in doubt where it stands", "doubted")
        beside.append(said.beside + said.reason)
    if len(answers) != 1:
        if answers:
            raise UnclearAnswerError("several answers are stated", "several")
        raise UnclearAnswerError("no answer is stated plainly; give the answer alone", "none")
    answer = answers.pop()
    if not all(agrees(answer, one) for text in beside for one in list_marks(text)):
        raise UnclearAnswerError("what stands beside the answer says something else", "otherwise")
    return answer


def _sentences(text: str) -> list[tuple[str, bool]]:
    """The sentences of a text, each with whether it is a line of its own; a colon at a line's end joins the next."""
    lines = (SENTENCES.split(line) for line in re.sub(r":\n", ": ", text).split("\n"))
    said = ([part for part in parts if part.strip(" .!;")] for parts in lines)
    return [(part, len(parts) == 1) for parts in said for part in parts]


def _may_stand_bare(sentences: list[tuple[str, bool]], place: int) -> bool:
    """Whether an answer without a word that says so may stand here: at the beginning, or on the last line alone."""
    opened = all(PREFIX.fullmatch(one.strip(" .!,")) for one, _ in sentences[:place])
    whole = place > 0 and sentences[place - 1][0].endswith((".", "!", "。", "！"))
    return opened or (whole and place == len(sentences) - 1 and sentences[place][1])


def _heard_beside(sentence: str, answered: bool) -> str:
    """A sentence that states no answer. Raises `Unclear` where it could speak against one."""
    if why := REASON.match(sentence):
        if TURNS.search(why["why"]):
            raise UnclearAnswerError("the reason turns against itself", "turned")
        return sentence
    marks = list_marks(sentence)
    if (marks and not answered) or "?" in sentence or DOUBTS.search(sentence):
        raise UnclearAnswerError(
            "an answer is named in passing, doubted, negated, compared, or somebody else's", "passing"
        )
    return sentence
