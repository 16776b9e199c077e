"""Situation of a rehearsed reply: speaker, addressee, opinions, record and phrases."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from string import Formatter
from zlib import crc32

from ...prompts import get_base_language
from ...state import MODERATOR, make_rng
from ..brief import Brief
from .opinion import OpinionCourse, replay_opinions
from .quotations import BRIEF_STATEMENT, count_words, list_quotable_clauses
from .stock import Argument, load_stock


class Scene:
    """Brief of a call, with values derived from it. Every speaker counts as a participant.

    `turn`: number of the current turn; in a blind round each seat has its own. `seat`: index of the speaker, from 0.
    `is_partial`: whether earlier statements are missing. `side`: `pro` or `con` in a debate. `conviction`: how much the
    speaker supports its side, 0 to 1; without a side, 0.5 plus the opinion's distance from 0.5. `is_about_justice`:
    whether the task explains the principles for dividing incomes.
    """

    def __init__(self, seed: int, brief: Brief, course: OpinionCourse | None = None) -> None:
        speaker = brief.speaker
        statements = [statement for statement in brief.statements if statement.speaker != MODERATOR]
        speakers = [statement.speaker for statement in statements] + [speaker] * (brief.purpose == "statement")
        roles = {**brief.roles, **{name: "" for name in speakers if name and name not in brief.roles}}
        names, topic = list(roles), brief.topic.strip().partition("\n")[0].strip(" *")
        language = get_base_language(brief.language)
        brief = replace(brief, language=language, statements=statements, roles=roles, topic=topic)
        self.seed, self.brief, self.course = seed, brief, course or replay_opinions(seed, brief)
        self.stock = load_stock(brief.language)
        self.record_text = "\n".join(statement.content for statement in statements)
        self.seat = names.index(speaker) if speaker in names else 0
        self.turn = max(brief.turn, statements[-1].turn + 1 if statements else 1 + self.seat)
        self.is_partial = bool(statements and statements[0].turn > 1)
        self.others = [name for name in names if name != speaker]
        self.own_statements = [statement for statement in statements if statement.speaker == speaker]
        self.last_statement = next((entry for entry in reversed(statements) if entry.speaker != speaker), None)
        self.last_text = self.last_statement.content if self.last_statement else ""
        self.addressee = self.others[0] if len(self.others) == 1 else ""
        self.addressee = self.last_statement.speaker if self.last_statement else self.addressee
        stimulus = f"{self.last_text}{brief.correction}".encode("utf-8", "replace")
        self.rng = make_rng(seed, brief.purpose, speaker, self.turn, crc32(stimulus))
        self.side, self.opinion = self.course.sides.get(speaker, ""), self.course.opinions.get(speaker, 0.5)
        support = {"pro": self.opinion, "con": 1 - self.opinion}
        self.conviction = support.get(self.side, 0.5 + abs(self.opinion - 0.5))
        self.is_about_justice = brief.values.keys() >= {"principles", "definitions"}
        self.is_united = not self.side and self.course.is_united()
        self.is_settled = any(entry.act == "concede" for entry in statements[-6:])
        line = " ".join(re.sub(r"[“”\"]", "", brief.topic).split())
        self.topic = line if len(line) <= 140 else f"{line[:137].rsplit(' ', 1)[0]}…"

    @cached_property
    def attitude(self) -> str:
        """Return `for`, `against` or `joint`, the attitude of the speaker's arguments."""
        return "joint" if self.is_united else self.get_attitude(self.brief.speaker)

    def get_attitude(self, name: str) -> str:
        """Return the attitude of `name` now: `for`, `against` or `joint`."""
        opinion, side = self.course.opinions.get(name, 0.5), self.course.sides.get(name)
        if self.is_settled or (not side and 0.4 <= opinion <= 0.6):
            return "joint"
        return "for" if side == "pro" or (not side and opinion > 0.5) else "against"

    @cached_property
    def quote(self) -> str:
        """Return a clause worth quoting from the latest statement, preferably a claim; empty without one."""
        clauses = self.rank_clauses(self.last_text)
        claims = [clause for clause in clauses if self.stock.find_argument(clause)] or clauses[:1]
        return self.rng.choice(claims) if claims else ""

    def rank_clauses(self, text: str) -> list[str]:
        """Rank the quotable clauses of a text, claims first."""
        return sorted(list_quotable_clauses(text), key=lambda clause: self.stock.find_argument(clause) is None)

    @cached_property
    def names(self) -> dict[str, str]:
        """Return the values of the slots that do not vary. The slot `term` quotes the latest statement."""
        quoted_term = re.search("“([^”]{1,60})”", self.last_text)
        if quoted_term and count_words(self.last_text) < BRIEF_STATEMENT:
            term = quoted_term[1]
        else:
            own_words = re.sub("“[^”]*”", "", self.last_text).replace(self.brief.speaker or " ", " ")
            term = max(re.findall(r"[^\W\d_]+", own_words), key=len, default="…")
            term = term[:8] if self.brief.language == "zh" else term
        names = {"who": self.addressee, "me": self.brief.speaker, "topic": self.topic}
        return names | {"quote": self.quote, "term": term}

    @cached_property
    def concerns(self) -> dict[str, int]:
        """Count the words for each dimension in the speaker's public role and persona."""
        role, persona = self.brief.roles.get(self.brief.speaker, ""), self.brief.values.get("persona", "")
        return self.stock.count_keywords(f"{role} {persona}")

    def list_arguments(self, attitude: str) -> list[Argument]:
        """List the arguments for an attitude: unused ones first, then those nearest to the speaker's concerns."""
        rng, arguments = make_rng(self.seed, "agenda", self.brief.speaker, attitude), self.stock.arguments[attitude]
        weights = {argument.mark: self.concerns[argument.dimension] + 2.2 * rng.random() for argument in arguments}
        # The least recently used ones come first.
        last_uses = {mark: self.record_text.rfind(mark) for mark in weights}
        return sorted(arguments, key=lambda argument: (last_uses[argument.mark], -weights[argument.mark]))

    def fill_template(self, template: str, step: int, **values: str) -> str:
        """Fill `template` as a sentence or clause. `step` varies the values of its slots."""
        filled = self.names | {slot: value for slot, value in values.items() if value}
        for _, slot, _, _ in Formatter().parse(template):
            if slot and slot not in filled:
                variants = self.stock.get_variants("slots", slot) or [""]
                filled[slot] = variants[(step + crc32(f"{self.seed}{slot}".encode())) % len(variants)]
        text = template.format_map(filled)
        return re.sub(r"\b([Dd]e|[Aa]) el (?=[a-zñáéíóú])", r"\1l ", text) if self.stock.language == "es" else text

    def describe_argument(self, argument: Argument, step: int) -> dict[str, str]:
        """Return the values of the slots that an argument fills: its claim, its ground, and its dimension."""
        claim = self.fill_template(argument.claim, step + argument.key)
        ground = self.fill_template(argument.ground, step + argument.key)
        return {"claim": claim, "ground": ground, "dim": self.stock.get_phrase("names", argument.dimension)}

    def pick_phrase(self, section: str, key: str, parts: Sequence[str] = (), **values: str) -> str:
        """Pick an unused variant of a phrase; empty if all are used.

        In a blind round, each seat starts with a different variant.
        """
        lines = self.stock.get_variants(section, key)
        start = self.rng.randrange(len(lines))
        if not self.brief.statements:
            start = (crc32(f"{self.seed}{key}".encode()) + self.seat) % len(lines)
        step = self.turn + 7 * self.seat
        texts = (self.fill_template(line, step, **values) for line in [*lines[start:], *lines[:start]])
        return self.pick_unused(map(capitalize_sentences, texts), parts)

    def pick_unused(self, candidates: Iterable[str], parts: Sequence[str] = ()) -> str:
        """Pick the first candidate that is in neither the record nor this statement, or an empty text."""
        return next((text for text in candidates if text and text not in self.record_text and text not in parts), "")


def capitalize_sentences(text: str) -> str:
    """Capitalize `text` at the start of each sentence."""
    text = re.sub(r"([.?!] )([a-zñáéíóú])", lambda match: match[1] + match[2].upper(), text)
    return text[:1].upper() + text[1:]
