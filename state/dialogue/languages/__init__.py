"""The languages whose phrases are known, and which of them a sentence is read in."""

from functools import cache

from ..lexicon import Patterns, compile_tables
from ..words import Sentence
from .chinese import CHINESE_GRAMMAR, CHINESE_TALKING, CHINESE_YIELDING
from .english import ENGLISH_GRAMMAR, ENGLISH_TALKING, ENGLISH_YIELDING
from .spanish import SPANISH_GRAMMAR, SPANISH_TALKING, SPANISH_YIELDING

ENGLISH_STOP = frozenset(ENGLISH_GRAMMAR.stop.split())
SPANISH_STOP = frozenset(SPANISH_GRAMMAR.stop.split())
STOP = ENGLISH_STOP | SPANISH_STOP
IDLE = frozenset(ENGLISH_GRAMMAR.idle.split()) | frozenset(SPANISH_GRAMMAR.idle.split())
PARTICLES = "".join(CHINESE_GRAMMAR.stop.split())


@cache
def english() -> Patterns:
    """English, compiled at the first use."""
    return compile_tables(ENGLISH_YIELDING, ENGLISH_TALKING, ENGLISH_GRAMMAR, unspaced=False)


@cache
def spanish() -> Patterns:
    """Spanish, compiled at the first use."""
    return compile_tables(SPANISH_YIELDING, SPANISH_TALKING, SPANISH_GRAMMAR, unspaced=False)


@cache
def chinese() -> Patterns:
    """Chinese, compiled at the first use."""
    return compile_tables(CHINESE_YIELDING, CHINESE_TALKING, CHINESE_GRAMMAR, unspaced=True)


def tongues(sentence: Sentence) -> list[Patterns]:
    """The languages the sentence may be in: by script, then by whose small words it uses more; both if that is open."""
    if sentence.unspaced:
        return [chinese()]
    words = set(sentence.words.split())
    lead = len(words & ENGLISH_STOP) - len(words & SPANISH_STOP)
    return [english()] if lead > 0 else [spanish()] if lead < 0 else [english(), spanish()]
