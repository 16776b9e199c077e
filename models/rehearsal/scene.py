"""Situation of a rehearsed reply: speaker, addressee, opinions, record and phrases."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import takewhile
from string import Formatter
from zlib import crc32

from ...prompts import get_base_language
from ...state.random_streams import make_rng
from ...state.statement import MODERATOR
from ..brief import Brief
from .motion import parse_motion
from .opinion import OpinionCourse, replay_opinions
from .quotations import extract_subject, list_quotable_clauses
from .stock import Argument, extract_mark, load_stock

_TITLE = r"[^\s.,;:!?()（）。，；：！？]+(?:[ -][^\s.,;:!?()（）。，；：！？]+){0,4}"


class Scene:
    """Brief of a call with everything that a reply depends on. It treats every speaker as a participant.

    `turn`: number of the current turn; different for each seat in a blind round. `seat`: position of the speaker, from
    0. `previous_statement`: latest statement of a third participant since the speaker's own. `side`: `pro` or `con` in
    a debate. `conviction`: how strongly the speaker supports its side, 0…1; without a side, 0.5 plus the distance from
    the middle. `is_about_justice`: whether the task explains the principles for dividing incomes.
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
        self.stock, self.motion = load_stock(brief.language), parse_motion(brief.topic[:400], brief.language)
        self.record_text = "\n".join(statement.content for statement in statements)
        self.recent_text = "\n".join(statement.content for statement in statements[-12:])
        self.seat = names.index(speaker) if speaker in names else 0
        self.turn = max(brief.turn, statements[-1].turn + 1 if statements else 1 + self.seat)
        self.is_partial = self.turn > 40 or bool(statements and statements[0].turn > 1)  # not all is remembered
        self.others = [name for name in names if name != speaker]
        self.own_statements = [statement for statement in statements if statement.speaker == speaker]
        heard = list(takewhile(lambda entry: entry.speaker != speaker, reversed(statements)))
        self.last_statement = next((entry for entry in reversed(statements) if entry.speaker != speaker), None)
        self.previous_statement = next((entry for entry in heard if entry.speaker != heard[0].speaker), None)
        self.last_text = self.last_statement.content if self.last_statement else ""
        self.addressee = self.others[0] if len(self.others) == 1 else ""
        self.addressee = self.last_statement.speaker if self.last_statement else self.addressee
        stimulus = f"{self.last_text}{brief.correction}".encode("utf-8", "replace")
        self.rng = make_rng(seed, brief.purpose, speaker, self.turn, crc32(stimulus))
        self.side, self.opinion = self.course.sides.get(speaker, ""), self.course.opinions.get(speaker, 0.5)
        support = {"pro": self.opinion, "con": 1 - self.opinion}
        self.conviction = support.get(self.side, 0.5 + abs(self.opinion - 0.5))
        self.is_about_justice = brief.values.keys() >= {"principles", "definitions"}
        line = " ".join(re.sub(r"[“”\"]", "", brief.topic).split())
        self.topic = line if len(line) <= 140 else f"{line[:137].rsplit(' ', 1)[0]}…"

    @cached_property
    def is_united(self) -> bool:
        """Return whether the group agrees. The two sides of a debate never count as agreed."""
        return not self.side and self.course.is_united()

    @cached_property
    def is_settled(self) -> bool:
        """Return whether a side of a debate conceded in the last six statements."""
        latest = self.brief.statements[-6:]
        return any(entry.act == "concede" for entry in latest)

    @cached_property
    def attitude(self) -> str:
        """Return `for`, `against` or `joint`, the attitude of the speaker's arguments."""
        if self.is_settled or self.is_united or (not self.side and 0.4 <= self.opinion <= 0.6):
            return "joint"
        return "for" if self.side == "pro" or (not self.side and self.opinion > 0.5) else "against"

    @cached_property
    def quote(self) -> str:
        """Return a clause of the latest statement to quote verbatim, or an empty text."""
        speaker, clauses = self.brief.speaker, list_quotable_clauses(self.last_text)
        clauses = sorted(clauses, key=lambda clause: speaker != "" and speaker in clause)
        unique_clauses = [clause for clause in clauses if self.record_text.count(clause) == 1] or clauses
        candidates = [clause for clause in unique_clauses if self.stock.find_argument(clause)]
        weighty_clauses = [clause for clause in [*unique_clauses, *clauses] if not self.stock.is_aside(clause)]
        candidates = candidates or weighty_clauses[:3] or unique_clauses[:1]
        return candidates[self.rng.randrange(len(candidates))] if candidates else ""

    @cached_property
    def quoted_argument(self) -> Argument | None:
        """Return the argument in the stock that the quoted clause comes from, or `None`."""
        return self.stock.find_argument(self.quote) if self.quote else None

    @cached_property
    def dimension(self) -> str:
        """Return the dimension of the quotation, such as cost or fairness; may be empty."""
        return self.quoted_argument.dimension if self.quoted_argument else self.stock.detect_dimension(self.quote)

    @cached_property
    def role(self) -> str:
        """Return the speaker's role in its language ("a skeptic"); may be empty.

        It is the public role, the part in brackets of a side's role, or a persona of a few words.
        """
        role, persona = self.brief.roles.get(self.brief.speaker, ""), str(self.brief.values.get("persona", ""))
        match = re.search(r"[(（]([^()（）]{3,50})[)）]\W*$", role) or (
            not self.side and re.match(f"({_TITLE})$", role)
        )
        match = match or re.search(rf"(?:^|[.:。：])\s*({_TITLE})\s*$", persona.partition("\n")[0])
        title = match[1].strip() if match else ""
        if not title or self.brief.language != "en" or re.match(r"(?:an?|the|one|my|our|your)\s", title.lower()):
            return title
        return f"{'an' if title[0].lower() in 'aeio' else 'a'} {title}"

    @cached_property
    def concerns(self) -> dict[str, int]:
        """Count the words for each dimension in the speaker's public role and persona."""
        role, persona = self.brief.roles.get(self.brief.speaker, ""), self.brief.values.get("persona", "")
        return self.stock.count_keywords(f"{role} {persona}")

    @cached_property
    def names(self) -> dict[str, str]:
        """Return the slot values that never vary."""
        names = {"who": self.addressee, "me": self.brief.speaker, "role": self.role}
        return names | {"topic": self.topic, "quote": self.quote}

    def list_arguments(self, attitude: str) -> list[Argument]:
        """List the arguments for an attitude: unused ones first, then those nearest to the speaker's concerns."""
        rng, arguments = make_rng(self.seed, "agenda", self.brief.speaker, attitude), self.stock.arguments[attitude]
        weights = {argument.mark: self.concerns[argument.dimension] + 2.2 * rng.random() for argument in arguments}
        arguments = sorted(arguments, key=lambda argument: -weights[argument.mark])
        recent_text = "\n".join(statement.content for statement in self.brief.statements[-60:])
        used_arguments = [argument for argument in arguments if argument.mark in recent_text]
        step = self.turn % max(1, len(used_arguments))
        fresh_arguments = [argument for argument in arguments if argument.mark not in recent_text]
        return fresh_arguments + used_arguments[step:] + used_arguments[:step]

    def fill_template(self, template: str, values: Mapping[str, str], key: int = 0, at_turn: int | None = None) -> str:
        """Fill `template` as a sentence or clause. `key` varies the values within one statement."""
        filled = {**self.names, **{slot: value for slot, value in values.items() if value}}
        step = (self.turn if at_turn is None else at_turn) + key
        proposals = self.motion.proposals
        options: Mapping[str, Sequence[str]] = {
            "plan": proposals[:1] if step % 4 == 0 else proposals[1:] or proposals,
            "rest": self.motion.opposites,
            "thing": self.motion.terms or proposals[-1:],
        }
        for slot in list_slots(template):
            start = step if slot in options else step + crc32(f"{self.seed}{slot}".encode())
            variants = options.get(slot) or self.stock.get_variants("slots", slot)
            filled.setdefault(slot, variants[start % len(variants)] if variants else "")
        text = template.format_map(filled)
        return re.sub(r"\b([Dd]e|[Aa]) el (?=[a-zñáéíóú])", r"\1l ", text) if self.stock.language == "es" else text

    def fill_argument(self, argument: Argument, at_turn: int | None = None) -> tuple[str, str, int]:
        """Fill the claim and ground of an argument, and choose the start index in the list of joins.

        The slot values and the join of claim and ground change with each turn, like the wheels of an odometer. A
        sentence repeats only after all combinations, about a thousand turns.
        """
        quotient, wheel, values = self.turn if at_turn is None else at_turn, argument.key + self.seed, dict[str, str]()
        for slot in dict.fromkeys(list_slots(argument.ground)):
            if options := self.stock.get_variants("slots", slot):
                quotient, digit = divmod(quotient, len(options))
                wheel += digit
                values[slot] = options[wheel % len(options)]
        claim = self.fill_template(argument.claim, values, argument.key, at_turn)
        return claim, self.fill_template(argument.ground, values, argument.key, at_turn), quotient + wheel

    def pick_phrase(self, section: str, key: str, parts: Sequence[str] = (), **values: str) -> str:
        """Pick an unused variant of a phrase; empty if all are used.

        In a blind round, each seat starts with a different variant.
        """
        lines, is_first = self.stock.get_variants(section, key), not self.brief.statements
        if self.last_statement and any("{term}" in line for line in lines):
            avoided_text = f"{self.addressee} {self.brief.speaker}"
            values["term"] = extract_subject(self.last_text, self.stock, avoided_text)
        start = crc32(f"{self.seed}{key}".encode()) + self.seat if is_first else self.rng.randrange(len(lines))
        candidates = rotate_list(lines, start)
        if not is_first:
            wear = {line: (extract_mark(line) in self.recent_text, (i + self.seat) % 2) for i, line in enumerate(lines)}
            candidates.sort(key=lambda line: wear[line])
        return self.pick_unused(
            (capitalize_sentences(self.fill_template(line, values, 7 * self.seat)) for line in candidates), parts
        )

    def pick_unused(self, candidates: Iterable[str], parts: Sequence[str] = ()) -> str:
        """Pick the first candidate that is in neither the record nor this statement, or an empty text."""
        unused = (text for text in candidates if text and text not in self.record_text and text not in parts)
        return next(unused, "")


@lru_cache(maxsize=4096)
def list_slots(template: str) -> tuple[str, ...]:
    """List the slots of a template."""
    return tuple(slot for _, slot, _, _ in Formatter().parse(template) if slot)


def capitalize_sentences(text: str) -> str:
    """Capitalize `text` at the start of each sentence."""
    text = re.sub(r"([.?!] )([a-zñáéíóú])", lambda match: match[1] + match[2].upper(), text)
    return text[:1].upper() + text[1:]


def rotate_list(values: Sequence[str], start: int) -> list[str]:
    """Return the values from index `start` (modulo their number) on, then those before it."""
    start %= len(values)
    return [*values[start:], *values[:start]]
