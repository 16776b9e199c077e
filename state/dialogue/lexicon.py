"""A language's ways of giving way, objecting and fading out, and how its patterns are written down.

A pattern is a regular expression over folded words with two abbreviations: every group is read as non-capturing, and
`~` stands for a short gap that holds no negation and no pause.
"""

import re
from dataclasses import dataclass, fields

_NEGATORS = "not|never|no|nor|hardly|nunca|jamas|tampoco|ni|sin"
GAP = rf"(?:(?!(?:{_NEGATORS}) )[^ ,]+ ){{0,3}}"
"""Up to three words, for languages with spaces."""

UNSPACED_GAP = "[^,不没未无]{0,6}"
"""Up to six characters, for languages without."""


@dataclass(frozen=True)
class Lexicon:
    """Patterns of one language by what they show; each field is a list of alternatives or one alternative."""

    surrender: tuple[str, ...]
    """The speaker gives up the position: nothing needs to be added."""
    error: tuple[str, ...]
    """The speaker admits a mistake or defeat, possibly a local one."""
    grant: tuple[str, ...]
    """The other is said to be right, possibly in passing."""
    accept: tuple[str, ...]
    """The speaker goes along with what is proposed."""
    support: tuple[str, ...]
    """What tends to stand beside a surrender and proves nothing alone."""
    resolve: tuple[str, ...]
    """What is to be done now; it proves nothing alone."""
    concessive: str
    """What subordinates a grant to the clause that follows."""
    counter: tuple[str, ...]
    """Words that turn against what was just said."""
    object: tuple[str, ...]
    """Disagreement."""
    negation: tuple[str, ...]
    """What reverses the words after it, up to the next pause."""
    harmless: str
    """Negations and conditions that are none."""
    condition: str
    """What makes the sentence hypothetical."""
    modal: str
    """What makes the clause hypothetical."""
    report: str
    """What makes the words after it somebody else's, or a mere mention."""
    narrows: str
    """How a complement begins that limits a grant to one matter."""
    whole: str
    """Complements that limit nothing."""
    partly: str
    """Limits spelled out."""
    closing: tuple[str, ...]
    """Having nothing to add."""
    again: tuple[str, ...]
    """Announcing a repetition."""
    stop: frozenset[str]
    """Words (or characters, without spaces) that carry no topic."""
    idle: frozenset[str]
    """Words that carry no argument."""


@dataclass(frozen=True)
class Patterns:
    """A lexicon ready for matching."""

    unspaced: bool
    compiled: dict[str, re.Pattern[str]]

    def __getitem__(self, kind: str) -> re.Pattern[str]:
        return self.compiled[kind]


def compile_lexicon(lexicon: Lexicon, unspaced: bool) -> Patterns:
    """Every pattern field of a lexicon as one regular expression."""
    tables = {field.name: getattr(lexicon, field.name) for field in fields(lexicon) if field.name not in ("stop", "idle")}
    joined = {name: "|".join((table,) if isinstance(table, str) else table) for name, table in tables.items()}
    return Patterns(unspaced, {name: re.compile(_expand(alternatives, unspaced)) for name, alternatives in joined.items()})


def _expand(alternatives: str, unspaced: bool) -> str:
    plain = re.sub(r"\((?!\?)", "(?:", alternatives).replace("~", UNSPACED_GAP if unspaced else GAP)
    return f"(?:{plain})" if unspaced else f"(?<= )(?:{plain})(?![^ ])"
