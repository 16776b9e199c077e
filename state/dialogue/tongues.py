"""The languages whose phrases are known, and which of them a sentence is read in."""

from functools import cache

from .chinese_grammar import CHINESE_GRAMMAR
from .chinese_phrases import CHINESE_PHRASES
from .english_grammar import ENGLISH_GRAMMAR
from .english_phrases import ENGLISH_PHRASES
from .lexicon import Patterns, compile_tables
from .spanish_grammar import SPANISH_GRAMMAR
from .spanish_phrases import SPANISH_PHRASES
from .words import Sentence

ENGLISH_STOP = frozenset(ENGLISH_GRAMMAR.stop.split())
SPANISH_STOP = frozenset(SPANISH_GRAMMAR.stop.split())
STOP = ENGLISH_STOP | SPANISH_STOP
IDLE = frozenset(ENGLISH_GRAMMAR.idle.split()) | frozenset(SPANISH_GRAMMAR.idle.split())
PARTICLES = "".join(CHINESE_GRAMMAR.stop.split())


@cache
def english() -> Patterns:
    """English, compiled at the first use."""
    return compile_tables(ENGLISH_PHRASES, ENGLISH_GRAMMAR, unspaced=False)


@cache
def spanish() -> Patterns:
    """Spanish, compiled at the first use."""
    return compile_tables(SPANISH_PHRASES, SPANISH_GRAMMAR, unspaced=False)


@cache
def chinese() -> Patterns:
    """Chinese, compiled at the first use."""
    return compile_tables(CHINESE_PHRASES, CHINESE_GRAMMAR, unspaced=True)


def tongues(sentence: Sentence) -> list[Patterns]:
    """The languages the sentence may be in: by script, then by whose small words it uses more; both if that is open."""
    if sentence.unspaced:
        return [chinese()]
    words = set(sentence.words.split())
    lead = len(words & ENGLISH_STOP) - len(words & SPANISH_STOP)
    return [english()] if lead > 0 else [spanish()] if lead < 0 else [english(), spanish()]
