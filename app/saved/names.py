"""Names of runs: readable, unique, and never a path."""

import re
import secrets
import unicodedata

from ...state.refused import Refused
from ..display.plain import plain

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_UNSAID = re.compile(
    "a|an|and|are|as|at|be|by|can|could|did|do|does|for|from|has|have|how|in|is|it|its|may|might|must|my|not|of|on|or|"
    "our|shall|should|some|than|that|the|their|them|there|these|this|those|to|was|we|were|what|when|where|which|while|"
    "who|why|will|with|would|you|your|"
    "al|como|con|cual|de|del|el|en|es|esta|la|las|lo|los|mas|o|para|pero|por|que|quien|se|ser|si|sin|son|su|sus|un|una|y"
)
"""Words that say little of what a topic is about."""

LONGEST = 80
WORDS, WORD_LETTERS, SUFFIX_LETTERS = 3, 12, 4


def new_name(protocol: str, topic: str = "") -> str:
    """`debate-ban-cars-k3f9`: the protocol, a few words of the topic, and letters drawn by the system, not the seed.

    A topic without words in Latin script gives `debate-k3f9`.
    """
    suffix = "".join(secrets.choice(_LETTERS) for _ in range(SUFFIX_LETTERS))
    return "-".join([protocol, *_words(topic), suffix])


def checked(name: str) -> str:
    """`name` if it can be a run's; raises `Refused` otherwise."""
    if len(name) > LONGEST or not _NAME.fullmatch(name):
        raise Refused("run", name, "no run has such a name; `moot runs` lists them")
    return name


def _words(topic: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", plain(topic[:4000])).casefold()
    latin = "".join(letter for letter in folded if not unicodedata.combining(letter))
    said = [word for word in re.findall(r"[^\W_]+", latin) if word.isascii() and not _UNSAID.fullmatch(word)]
    return [word[:WORD_LETTERS] for word in said[:WORDS]]
