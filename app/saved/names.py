"""Names of runs: readable, unique, and never containing a path."""

import re
import secrets
import unicodedata

from ...state import InputError
from ..display.plain_text import strip_controls

_STOP_WORDS = re.compile(
    "a|an|and|are|as|at|be|by|can|could|did|do|does|for|from|has|have|how|in|is|it|its|may|might|must|my|not|of|on|or|"
    "our|shall|should|some|than|that|the|their|them|there|these|this|those|to|was|we|were|what|when|where|which|while|"
    "who|why|will|with|would|you|your|"
    "al|como|con|cual|de|del|el|en|es|esta|la|las|lo|los|mas|o|para|pero|por|que|quien|se|ser|si|sin|son|su|sus|un|una|y"
)
"""Words that say little about a topic."""

MAX_NAME_LENGTH = 80


def make_run_name(protocol: str, topic: str = "") -> str:
    """Make a name such as `debate-ban-cars-k3f9`: the protocol, words of the topic, and random letters.

    The letters do not depend on the run's seed. A topic without words in Latin script gives `debate-k3f9`.
    """
    suffix = "".join(secrets.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(4))
    folded_topic = unicodedata.normalize("NFKD", strip_controls(topic[:4000])).casefold()
    latin_topic = "".join(letter for letter in folded_topic if not unicodedata.combining(letter))
    words = [word for word in re.findall(r"[^\W_]+", latin_topic) if word.isascii() and not _STOP_WORDS.fullmatch(word)]
    return "-".join([protocol, *[word[:12] for word in words[:3]], suffix])


def check_run_name(name: str) -> str:
    """Return `name` if it is a valid run name. Raises `InputError` otherwise."""
    if len(name) > MAX_NAME_LENGTH or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise InputError("run", name, "no run has such a name; `moot runs` lists them")
    return name
