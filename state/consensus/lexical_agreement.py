"""Agreement and similarity measured by words alone: a heuristic without a model.

It knows a few phrases in three languages and counts shared words. It misses agreement in any other phrase.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from statistics import fmean
from typing import Final


def _compile_expressions(*expressions: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-záéíóúñ])(?:{'|'.join(map(re.escape, expressions))})(?![a-záéíóúñ])")


DISAGREEMENT: Final = _compile_expressions(
    *("do not agree", "don't agree", "cannot agree", "can't agree", "disagree", "i object", "i reject"),
    *("no estoy de acuerdo", "no comparto", "discrepo", "me opongo", "rechazo"),
    *("不同意", "不赞成", "不能接受", "我反对"),
)
AGREEMENT: Final = _compile_expressions(
    *("agree", "agreed", "i accept", "i support"),
    *("estoy de acuerdo", "estamos de acuerdo", "acepto", "apoyo"),
    *("同意", "赞成", "接受"),
)
RESERVATION: Final = _compile_expressions("but", "however", "pero", "sin embargo", "但", "不过")

AGREED, RESERVED, NEUTRAL, OPPOSED = 1.0, 0.6, 0.4, 0.1
"""Scores for agreement, agreement with a reservation, neither (a minimum), and disagreement."""

_UNSPACED_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
STEM_LENGTH: Final = 5
"""Number of first letters that are compared, so that most forms of a word count as equal."""


@lru_cache(maxsize=256)  # a statement is compared with each of the others
def list_content_words(text: str) -> frozenset[str]:
    """Return the distinctive parts of a text for a comparison of words.

    These are numbers, the first letters of words of four or more letters, and pairs of Chinese or Japanese characters.
    """
    folded_text = unicodedata.normalize("NFKC", text).casefold()
    runs = _UNSPACED_RUN.findall(folded_text)
    pairs = {run[index : index + 2] for run in runs for index in range(max(1, len(run) - 1))}
    words = re.findall(r"[^\W_]+", _UNSPACED_RUN.sub(" ", folded_text))
    return frozenset(pairs | {word[:STEM_LENGTH] for word in words if len(word) > 3 or word.isdigit()})


def measure_similarity(first: str, second: str) -> float:
    """Measure the overlap of the content words of two texts, 0 to 1.

    It is the number of shared content words divided by the number of all content words.

    The overlap of equal texts is 1.
    """
    if " ".join(first.casefold().split()) == " ".join(second.casefold().split()):
        return 1.0
    first_words, second_words = list_content_words(first), list_content_words(second)
    return len(first_words & second_words) / max(1, len(first_words | second_words))


def score_statements(texts: Mapping[str, str]) -> tuple[dict[str, float], dict[str, str]]:
    """Return each participant's agreement score, and each participant's first objection.

    `texts`: latest statement by participant. Scores run from 0 to 1. An objection is a sentence with a phrase of
    disagreement. A statement without a phrase of agreement or disagreement gets 0.4 to 1, by its similarity to the
    others.
    """
    scores: dict[str, float] = {}
    objections: dict[str, str] = {}
    for name, text in texts.items():
        sentences = _SENTENCE.findall(text)
        if objection := next((sentence for sentence in sentences if _has_expression(sentence, DISAGREEMENT)), ""):
            scores[name], objections[name] = OPPOSED, objection.strip()
            continue
        agreement = next(
            (index for index, sentence in enumerate(sentences) if _has_expression(sentence, AGREEMENT)), None
        )
        if agreement is not None:
            is_reserved = any(_has_expression(sentence, RESERVATION) for sentence in sentences[agreement:])
            scores[name] = RESERVED if is_reserved else AGREED
            continue
        similarities = [
            measure_similarity(text, other_text) for other_name, other_text in texts.items() if other_name != name
        ]
        scores[name] = NEUTRAL + (1 - NEUTRAL) * fmean(similarities or [0.0])
    return scores, objections


def _has_expression(sentence: str, expressions: re.Pattern[str]) -> bool:
    return expressions.search(sentence.casefold().replace("’", "'")) is not None
