"""The situation a reply is made in: who speaks, to whom, with which opinion, and what has been said."""

import re
from dataclasses import dataclass
from functools import cached_property
from random import Random
from zlib import crc32

from ....state.draw import stream
from .filling import Filling, first_unsaid, sentence
from .motion import Motion, read_motion
from .opinion import Course, replay
from .persona import role_of
from .prompt import Heard, Prompt
from .quoting import leaning, own_sentences, quotable
from .stock import Argument, Stock, mark, stock

LONG = 40
"""From this turn on nobody remembers every sentence."""
LATELY = 12
"""Statements in which a turn of phrase counts as worn."""


@dataclass(frozen=True)
class Scene:
    """One prompt, read: everything a reply is made from."""

    seed: int
    prompt: Prompt
    course: Course
    stock: Stock
    motion: Motion

    @cached_property
    def said(self) -> str:
        """The whole record as one text."""
        return "\n".join(one.text for one in self.prompt.heard)

    @cached_property
    def lately(self) -> str:
        """The latest statements, whose turns of phrase are better not used again at once."""
        return "\n".join(one.text for one in self.prompt.heard[-LATELY:])

    @cached_property
    def partial(self) -> bool:
        """Whether the record is too long to be sure of, or not all of it is shown."""
        return self.prompt.turn > LONG or bool(self.prompt.heard and self.prompt.heard[0].turn > 1)

    @cached_property
    def who(self) -> str:
        """Whom the reply addresses."""
        others, last = self.prompt.others, self.prompt.last
        return last.speaker if last else others[0] if len(others) == 1 else ""

    @cached_property
    def draw(self) -> Random:
        """The reply's own random numbers: from seed, purpose, speaker, turn, and what was just heard or asked again."""
        prompt = self.prompt
        heard = f"{prompt.last.text if prompt.last else ''}{prompt.again}".encode("utf-8", "replace")
        return stream(self.seed, prompt.purpose, prompt.me, prompt.turn, crc32(heard))

    @cached_property
    def side(self) -> str:
        """The speaker's side in a debate, `pro` or `con`; empty elsewhere."""
        return self.course.side(self.prompt.me)

    @cached_property
    def opinion(self) -> float:
        """The speaker's opinion, 0 against … 1 for."""
        return self.course.now.get(self.prompt.me, 0.5)

    @cached_property
    def united(self) -> bool:
        """Whether a group has found together; two sides of a debate have not, however near they are."""
        return not self.side and self.course.united()

    @cached_property
    def settled(self) -> bool:
        """Whether a side of a debate has given up its case lately."""
        return any(self.course.side(one.speaker) and self.gave_up(one) for one in self.prompt.heard[-6:])

    @cached_property
    def attitude(self) -> str:
        """`for`, `against` or `joint`: which arguments the speaker brings."""
        if self.settled or self.united or (not self.side and 0.4 <= self.opinion <= 0.6):
            return "joint"
        return "for" if self.side == "pro" or (not self.side and self.opinion > 0.5) else "against"

    def gave_up(self, statement: Heard) -> bool:
        """Whether a statement surrenders, in the speaker's own words."""
        phrases, words = self.stock.lines("marks", "conceded"), statement.text.casefold()
        if not any(phrase in words for phrase in phrases):
            return False
        own = " ".join(own_sentences(statement.text)).casefold()
        return any(phrase in own for phrase in phrases)

    @cached_property
    def quote(self) -> str:
        """A clause of the latest statement, word for word; empty where none is worth quoting."""
        last, me = self.prompt.last, self.prompt.me
        clauses = sorted(quotable(last.text), key=lambda one: me != "" and me in one) if last else []
        fresh = [one for one in clauses if self.said.count(one) == 1] or clauses
        known = [one for one in fresh if self.stock.source(one)]
        weighty = [one for one in [*fresh, *clauses] if not self.stock.is_aside(one)]
        known = known or weighty[:3] or fresh[:1]
        return known[self.draw.randrange(len(known))] if known else ""

    @cached_property
    def quoted(self) -> Argument | None:
        """The argument the quoted clause is from, where it is one of the stock."""
        return self.stock.source(self.quote) if self.quote else None

    @cached_property
    def dimension(self) -> str:
        """The dimension of what was quoted; empty where none shows."""
        return self.quoted.dimension if self.quoted else self.stock.dimension_in(self.quote)

    @cached_property
    def topic(self) -> str:
        """The topic in one line, shortened where it is long."""
        line = " ".join(re.sub(r"[“”\"]", "", self.prompt.topic).split())
        return line if len(line) <= 140 else f"{line[:137].rsplit(' ', 1)[0]}…"

    @cached_property
    def filling(self) -> Filling:
        """Fills phrases for this turn."""
        names = {"who": self.who, "me": self.prompt.me, "role": role_of(self.prompt)}
        names |= {"topic": self.topic, "quote": self.quote}
        return Filling(self.stock, self.motion, self.seed, self.prompt.turn, names)

    def phrase(self, section: str, key: str, parts: list[str], **given: str) -> str:
        """A variant of a phrase that has not been said, empty if all have; who begins unheard has its seat's own."""
        lines, seat = self.stock.lines(section, key), self.prompt.seat
        if (last := self.prompt.last) and any("{term}" in line for line in lines):
            given["term"] = leaning(last.text, self.stock, f"{self.who} {self.prompt.me}")
        alone = not self.prompt.heard
        start = (crc32(f"{self.seed}{key}".encode()) + seat if alone else self.draw.randrange(len(lines))) % len(lines)
        turned = [*lines[start:], *lines[:start]]
        worn = {line: (mark(line) in self.lately, (lines.index(line) + seat) % 2) for line in lines}
        voiced = turned if alone else sorted(turned, key=lambda line: worn[line])
        return first_unsaid((sentence(self.filling.fill(line, 7 * seat, **given)) for line in voiced), self.said, parts)


def set_scene(seed: int, prompt: Prompt) -> Scene:
    """Read the situation out of a prompt."""
    course = replay(seed, prompt.people, prompt.heard, prompt.me, prompt.task)
    return Scene(seed, prompt, course, stock(prompt.language), read_motion(prompt.topic[:400], prompt.language))
