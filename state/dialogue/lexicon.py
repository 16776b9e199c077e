"""How a language's phrases and particles are written down, and how they become regular expressions.

The tables hold patterns over folded words. Every line is one alternative, or several separated by `|`. An indented
line continues the one above: after a space, or directly if that ends in `|` or `~` or this begins with a look-ahead.
Groups do not capture; `~` is a short gap that holds no negation and no pause; `<name>` stands for the words listed
under that name in `nouns`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from textwrap import dedent

_NEGATORS = "not|never|no|nor|hardly|nunca|jamas|tampoco|ni|sin"
GAP = rf"(?:(?!(?:{_NEGATORS}) )[^ ,]+ ){{0,3}}"
"""Up to three words, for languages with spaces."""
UNSPACED_GAP = "[^,不没未无]{0,6}"
"""Up to six characters, for languages without."""


@dataclass(frozen=True)
class Yielding:
    """What people say when they give way or go along."""

    nouns: Mapping[str, str]
    """Word lists that patterns refer to by name."""
    surrender: str
    """The speaker gives up the position: nothing needs to be added."""
    error: str
    """The speaker admits a mistake or defeat, possibly a local one."""
    grant: str
    """The other is said to be right, possibly in passing."""
    accept: str
    """The speaker goes along with what is proposed."""
    support: str
    """What tends to stand beside a surrender and proves little alone."""


@dataclass(frozen=True)
class Talking:
    """What else people say to show where they stand."""

    object: str
    """Disagreement."""
    closing: str
    """Having nothing to add."""
    meta: str
    """Speaking of the talk instead of the matter."""
    again: str
    """Announcing a repetition."""
    echo: str
    """Joining in with whatever the last speaker said."""


@dataclass(frozen=True)
class Grammar:
    """Small words that decide whether a phrase means what it says."""

    negation: str
    """What reverses the words after it, up to the next pause."""
    harmless: str
    """Negations, conditions and counters that are none."""
    condition: str
    """What makes the sentence hypothetical."""
    modal: str
    """What makes the clause hypothetical, or somebody's wish."""
    concessive: str
    """What subordinates a grant to the clause that follows."""
    counter: str
    """What turns against the words before it."""
    report: str
    """What makes the words after it somebody else's, or a mere mention."""
    narrows: str
    """How a complement begins that says what exactly is granted."""
    names: str
    """How an object begins that may be the whole matter or a part of it."""
    whole: str
    """Complements and objects that limit nothing."""
    partly: str
    """Limits spelled out."""
    stop: str
    """Words (or characters, without spaces) that carry no topic; not patterns."""
    idle: str
    """Words that carry no argument either; not patterns."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """The tables of one language, compiled; `unspaced` if it writes no spaces between words.

    Where it does, a pattern begins with the space before its phrase: a scan leaps from one to the next.
    """

    unspaced: bool
    compiled: Mapping[str, re.Pattern[str]]

    def spans(self, kind: str, words: str) -> list[tuple[int, int]]:
        """Where the phrases of a kind stand in `words`, each from its first character to behind its last."""
        lead = 0 if self.unspaced else 1
        return [(match.start() + lead, match.end()) for match in self.compiled[kind].finditer(words)]

    def occurs(self, kind: str, words: str) -> bool:
        """Whether any phrase of a kind stands in `words`."""
        return self.compiled[kind].search(words) is not None

    def kinds(self, among: Sequence[str], texts: Iterable[str]) -> list[str]:
        """Those of the kinds of which a phrase may stand in one of the texts: one scan of all rules most of them out.

        Sentences end as their own texts do, at a line's end or a pause, so that no phrase is missed.
        """
        whole = ("," if self.unspaced else "\n").join(texts)
        return [kind for kind in among if self.occurs(kind, whole)]

    def begins(self, kind: str, words: str) -> bool:
        """Whether a phrase of a kind stands at the beginning of `words`."""
        return self.compiled[kind].match(words) is not None


def compile_tables(yielding: Yielding, talking: Talking, grammar: Grammar, unspaced: bool) -> Patterns:
    """Every pattern field of the three tables as one regular expression."""
    found = (yielding, talking, grammar)
    tables = {field.name: getattr(table, field.name) for table in found for field in fields(table)}
    patterns = {name: table for name, table in tables.items() if name not in ("nouns", "stop", "idle")}
    return Patterns(unspaced, {name: _compile(text, yielding.nouns, unspaced) for name, text in patterns.items()})


def _compile(table: str, nouns: Mapping[str, str], unspaced: bool) -> re.Pattern[str]:
    apart = re.sub(r"\n(?! )", "\0", dedent(table).strip())
    joined = re.sub(r"(?<=[|~])\n +|\n +(?=\(\?)", "", apart)
    joined = re.sub(r"\n +", "" if unspaced else " ", joined).replace("\0", "|")
    named = re.sub(r"<(\w+)>", lambda match: f"({nouns[match[1]]})", joined)
    plain = re.sub(r"(?<!\\)\((?!\?)", "(?:", named).replace("~", UNSPACED_GAP if unspaced else GAP)
    return re.compile(f"(?:{plain})" if unspaced else f" (?:{plain})(?![^ \n])", re.MULTILINE)
