"""Detection of stalemates in any language: speakers repeat themselves, or write very little.

The measures count words and need no word lists. Each statement is compared with earlier ones of the same speaker.
Comparing speakers would mislead, because both use the words of the topic.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from ..ending import Ending, Evidence, cut_quote
from ..text_editing import strip_quotations
from .lexical_rule import Turns

SHARED_WEIGHT = 0.4
"""Weight of a word that every speaker used or the topic contains. Any other word weighs 1."""
SHORT_THRESHOLD, LONG_THRESHOLD = 0.25, 0.36
"""Share of repeated words from which a statement is a repetition.

The first applies to very short statements, the second from `LONG_STATEMENT` words on.
"""
LONG_STATEMENT = 40
MIN_WEIGHT = 2.0
"""Total weight of words below which a statement is a repetition only if it has no new word."""
MAX_ROUNDS_BACK = 6
"""Number of earlier rounds that a statement is compared with."""
MAX_SHARE_OF_OPENING = 0.35
"""Maximum mean length of disengaged statements, as a share of the mean length of the opening ones."""
MIN_WORDS = 20
"""Number of words below which a statement can count as disengaged."""
LAST_SPEAKERS = 5
"""Maximum number of last statements that are examined for a disengagement."""

_UNSPACED_CHARACTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Thai, Lao, Burmese, Khmer, kana and Han: written without spaces."""
_WORD = re.compile(rf"[{_UNSPACED_CHARACTERS}]+|[^\W_{_UNSPACED_CHARACTERS}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED_CHARACTERS}]")
_MAX_LENGTH = 20_000
"""Number of characters of a statement that are examined."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """Overlap of a statement with an earlier one of the same speaker, with the threshold for repetition.

    `turn`, `earlier`: indices of the two statements, from 0. `share`: share of the statement's words that the earlier
    one contains.
    """

    turn: int
    earlier: int
    share: float
    threshold: float


def find_stalemate(turns: Turns, topic: str = "") -> Ending | None:
    """Return the stalemate that the last statements show, or `None`. Turns in the evidence count from 1."""
    return _find_repetition(turns, topic) or _find_disengagement(turns)


def _find_repetition(pairs: Sequence[tuple[str, str]], topic: str) -> Ending | None:
    speaker_count = max(2, _count_speakers(pairs))
    last_turns = {speaker: turn for turn, (speaker, _) in enumerate(pairs)}
    recent_turns = [turn for turn in last_turns.values() if turn >= len(pairs) - speaker_count]
    if len(recent_turns) < 2:
        return None
    last_repetitions = [
        _measure_repetition(pairs, topic, turn, MAX_ROUNDS_BACK * speaker_count) for turn in recent_turns
    ]
    repetitions = [
        repetition for repetition in last_repetitions if repetition and repetition.share >= repetition.threshold
    ]
    if len(repetitions) < len(recent_turns):
        return None
    weakest = min(repetitions, key=lambda repetition: repetition.share - repetition.threshold)
    evidence = Evidence(
        turns=sorted({turn + 1 for repetition in repetitions for turn in (repetition.earlier, repetition.turn)}),
        quote=cut_quote(pairs[weakest.turn][1]),
        figure=weakest.share,
        threshold=round(weakest.threshold, 3),
        note="share of own earlier words",
    )
    return Ending(reason="stalemate_repetition", strategy="asked", evidence=evidence)


def _find_disengagement(pairs: Sequence[tuple[str, str]]) -> Ending | None:
    """Return an ending if the last statements are much shorter than the first ones, or `None`.

    Return `None` also if one of the last statements contains a figure or a question mark.
    """
    count = min(max(2, _count_speakers(pairs)), LAST_SPEAKERS)
    last_texts, opening_texts = [text for _, text in pairs[-count:]], [text for _, text in pairs[:count]]
    lengths = [_count_words(text) for text in last_texts]
    is_alive = len(pairs) < 2 * count or any(re.search(r"[?？\d]", text) for text in last_texts)
    threshold = MAX_SHARE_OF_OPENING * fmean(map(_count_words, opening_texts) if opening_texts else [0])
    if is_alive or max(lengths) >= MIN_WORDS or fmean(lengths) > threshold:
        return None
    evidence = Evidence(
        turns=list(range(len(pairs) - count + 1, len(pairs) + 1)),
        quote=cut_quote(last_texts[-1]),
        figure=round(fmean(lengths), 1),
        threshold=round(threshold, 1),
        note="words a statement",
    )
    return Ending(reason="stalemate_disengagement", strategy="asked", evidence=evidence)


def _measure_repetition(pairs: Sequence[tuple[str, str]], topic: str, turn: int, reach: int) -> Repetition | None:
    speaker, text = pairs[turn]
    first = max(0, turn - reach)
    earlier_turns = [index for index in range(first, turn) if pairs[index][0] == speaker]
    words_by_speaker: dict[str, set[str]] = {}
    for name, statement in pairs[first : turn + 1]:
        words_by_speaker.setdefault(name, set()).update(_list_stems(statement))
    shared_words = set.intersection(*words_by_speaker.values()) | _list_stems(topic)
    weights = {word: SHARED_WEIGHT if word in shared_words else 1.0 for word in _list_stems(text)}
    total = sum(weights.values())
    if not earlier_turns or not total:
        return None
    shares = {
        index: round(sum(weights[word] for word in _list_stems(pairs[index][1]) & weights.keys()) / total, 3)
        for index in earlier_turns
    }
    closest_turn = max(shares, key=lambda index: shares[index])
    growth = min(1.0, len(weights) / LONG_STATEMENT)
    threshold = SHORT_THRESHOLD + (LONG_THRESHOLD - SHORT_THRESHOLD) * growth if total >= MIN_WEIGHT else 1.0
    return Repetition(turn, closest_turn, shares[closest_turn], threshold)


def _count_speakers(pairs: Sequence[tuple[str, str]]) -> int:
    return len({speaker for speaker, _ in pairs})


@lru_cache(maxsize=1024)
def _list_stems(text: str) -> frozenset[str]:
    """Return the long words of a text, cut to 5 letters and without those in quotations.

    In scripts without spaces, return pairs of characters instead.
    """
    words = _list_words(strip_quotations(text[:_MAX_LENGTH])) or _list_words(text)
    pairs = {word[i : i + 2] for word in words if _IS_UNSPACED.match(word) for i in range(max(1, len(word) - 1))}
    return frozenset(pairs | {word.rstrip("s")[:5] for word in words if _is_long(word)})


def _is_long(word: str) -> bool:
    return not _IS_UNSPACED.match(word) and (len(word) > 3 or word.isdigit())


def _count_words(text: str) -> int:
    """Count the words of a text. In scripts without spaces, two characters count as one word."""
    return sum((len(word) + 1) // 2 if _IS_UNSPACED.match(word) else 1 for word in _list_words(text))


def _list_words(text: str) -> list[str]:
    decomposed_text = unicodedata.normalize("NFKD", text[:_MAX_LENGTH].casefold())
    bare_text = "".join(character for character in decomposed_text if unicodedata.category(character) != "Mn")
    return _WORD.findall(unicodedata.normalize("NFC", bare_text))
