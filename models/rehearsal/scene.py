"""Situation of a reply: speaker, addressee, opinions, and the record."""

import re
from dataclasses import dataclass
from functools import cached_property
from random import Random
from zlib import crc32

from ...state.random_streams import make_rng
from .filler import TemplateFiller, capitalize_sentences, pick_unused_text
from .motion import Motion, parse_motion
from .opinion import OpinionCourse, replay_opinions
from .persona import get_role
from .prompt import ParsedPrompt, PromptStatement
from .quotations import extract_subject, list_own_sentences, list_quotable_clauses
from .stock import Argument, PhraseStock, extract_mark, load_stock

LONG_RECORD = 40
"""Turn after which a participant no longer remembers every sentence."""
RECENT_WINDOW = 12
"""Number of latest statements whose turns of phrase are better avoided."""


@dataclass(frozen=True)
class Scene:
    """Parsed prompt with everything that a reply is made from."""

    seed: int
    prompt: ParsedPrompt
    course: OpinionCourse
    stock: PhraseStock
    motion: Motion

    @cached_property
    def record_text(self) -> str:
        """Return the whole record as one text."""
        return "\n".join(statement.text for statement in self.prompt.statements)

    @cached_property
    def recent_text(self) -> str:
        """Return the latest statements as one text; the reply avoids their turns of phrase."""
        return "\n".join(statement.text for statement in self.prompt.statements[-RECENT_WINDOW:])

    @cached_property
    def is_partial(self) -> bool:
        """Return whether the record is long, or not shown in full."""
        return self.prompt.turn > LONG_RECORD or bool(self.prompt.statements and self.prompt.statements[0].turn > 1)

    @cached_property
    def addressee(self) -> str:
        """Return the name of the participant the reply addresses, or an empty text."""
        other_names, last_statement = self.prompt.other_names, self.prompt.last_statement
        return last_statement.speaker if last_statement else other_names[0] if len(other_names) == 1 else ""

    @cached_property
    def rng(self) -> Random:
        """Return the reply's random numbers: from seed, purpose, speaker, turn, last statement and correction."""
        prompt = self.prompt
        stimulus = f"{prompt.last_statement.text if prompt.last_statement else ''}{prompt.correction}".encode(
            "utf-8", "replace"
        )
        return make_rng(self.seed, prompt.purpose, prompt.speaker, prompt.turn, crc32(stimulus))

    @cached_property
    def side(self) -> str:
        """Return the speaker's side in a debate, `pro` or `con`; empty elsewhere."""
        return self.course.get_side(self.prompt.speaker)

    @cached_property
    def opinion(self) -> float:
        """Return the speaker's opinion, 0 against … 1 for."""
        return self.course.opinions.get(self.prompt.speaker, 0.5)

    @cached_property
    def is_united(self) -> bool:
        """Return whether a group agrees; the two sides of a debate never count as agreed."""
        return not self.side and self.course.is_united()

    @cached_property
    def is_settled(self) -> bool:
        """Return whether a side of a debate conceded in one of the last six statements."""
        return any(
            self.course.get_side(statement.speaker) and self.is_surrender(statement)
            for statement in self.prompt.statements[-6:]
        )

    @cached_property
    def attitude(self) -> str:
        """Return `for`, `against` or `joint`, the attitude of the speaker's arguments."""
        if self.is_settled or self.is_united or (not self.side and 0.4 <= self.opinion <= 0.6):
            return "joint"
        return "for" if self.side == "pro" or (not self.side and self.opinion > 0.5) else "against"

    def is_surrender(self, statement: PromptStatement) -> bool:
        """Return whether a statement surrenders, in the speaker's own words."""
        phrases, words = self.stock.get_variants("marks", "conceded"), statement.text.casefold()
        if not any(phrase in words for phrase in phrases):
            return False
        own_text = " ".join(list_own_sentences(statement.text)).casefold()
        return any(phrase in own_text for phrase in phrases)

    @cached_property
    def quote(self) -> str:
        """Return a clause of the latest statement, word for word; empty if none is worth quoting."""
        last_statement, speaker = self.prompt.last_statement, self.prompt.speaker
        clauses = (
            sorted(list_quotable_clauses(last_statement.text), key=lambda clause: speaker != "" and speaker in clause)
            if last_statement
            else []
        )
        unique_clauses = [clause for clause in clauses if self.record_text.count(clause) == 1] or clauses
        candidates = [clause for clause in unique_clauses if self.stock.find_argument(clause)]
        weighty_clauses = [clause for clause in [*unique_clauses, *clauses] if not self.stock.is_aside(clause)]
        candidates = candidates or weighty_clauses[:3] or unique_clauses[:1]
        return candidates[self.rng.randrange(len(candidates))] if candidates else ""

    @cached_property
    def quoted_argument(self) -> Argument | None:
        """Return the argument of the quoted clause if it comes from the stock, else `None`."""
        return self.stock.find_argument(self.quote) if self.quote else None

    @cached_property
    def dimension(self) -> str:
        """Return the dimension of the quotation; empty if it shows none."""
        return self.quoted_argument.dimension if self.quoted_argument else self.stock.detect_dimension(self.quote)

    @cached_property
    def topic(self) -> str:
        """Return the topic in one line, shortened if it is long."""
        line = " ".join(re.sub(r"[“”\"]", "", self.prompt.topic).split())
        return line if len(line) <= 140 else f"{line[:137].rsplit(' ', 1)[0]}…"

    @cached_property
    def filler(self) -> TemplateFiller:
        """Return the template filler for this turn."""
        names = {"who": self.addressee, "me": self.prompt.speaker, "role": get_role(self.prompt)}
        names |= {"topic": self.topic, "quote": self.quote}
        return TemplateFiller(self.stock, self.motion, self.seed, self.prompt.turn, names)

    def pick_phrase(self, section: str, key: str, parts: list[str], **values: str) -> str:
        """Pick an unused variant of a phrase; empty if all are used.

        In a blind round each seat starts at another variant.
        """
        lines, seat = self.stock.get_variants(section, key), self.prompt.seat
        if (last_statement := self.prompt.last_statement) and any("{term}" in line for line in lines):
            values["term"] = extract_subject(last_statement.text, self.stock, f"{self.addressee} {self.prompt.speaker}")
        is_first = not self.prompt.statements
        start = (crc32(f"{self.seed}{key}".encode()) + seat if is_first else self.rng.randrange(len(lines))) % len(
            lines
        )
        rotated_lines = [*lines[start:], *lines[:start]]
        wear = {line: (extract_mark(line) in self.recent_text, (lines.index(line) + seat) % 2) for line in lines}
        candidates = rotated_lines if is_first else sorted(rotated_lines, key=lambda line: wear[line])
        return pick_unused_text(
            (capitalize_sentences(self.filler.fill_template(line, 7 * seat, **values)) for line in candidates),
            self.record_text,
            parts,
        )


def build_scene(seed: int, prompt: ParsedPrompt) -> Scene:
    """Build the scene of a prompt."""
    course = replay_opinions(seed, prompt.participants, prompt.statements, prompt.speaker, prompt.task)
    return Scene(seed, prompt, course, load_stock(prompt.language), parse_motion(prompt.topic[:400], prompt.language))
