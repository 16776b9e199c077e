"""The languages whose phrases are known, and which of them a sentence is read in."""

from functools import cache

from .chinese import CHINESE
from .english import ENGLISH
from .lexicon import Patterns, compile_lexicon
from .spanish import SPANISH
from .words import Sentence

STOP = ENGLISH.stop | SPANISH.stop
IDLE = ENGLISH.idle | SPANISH.idle
PARTICLES = "".join(CHINESE.stop)


@cache
def english() -> Patterns:
    return compile_lexicon(ENGLISH, unspaced=False)


@cache
def spanish() -> Patterns:
    return compile_lexicon(SPANISH, unspaced=False)


@cache
def chinese() -> Patterns:
    return compile_lexicon(CHINESE, unspaced=True)


def tongues(sentence: Sentence) -> list[Patterns]:
    """The languages the sentence may be in: by script, then by whose small words it uses more."""
    if sentence.unspaced:
        return [chinese()]
    words = set(sentence.words.split())
    lead = len(words & ENGLISH.stop) - len(words & SPANISH.stop)
    return [english()] if lead > 0 else [spanish()] if lead < 0 else [english(), spanish()]
