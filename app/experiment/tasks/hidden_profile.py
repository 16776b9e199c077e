"""Hidden profile: only the pooled private facts show which option is best (Stasser & Titus 1985).

For the best option, each member has 2 private positive facts, and all share 4 negative ones. For the decoy, each member
has 1 private negative fact, and all share 4 positive ones. For the filler, all share 2 positive and 2 negative facts.
So a single member counts −2, +3 and 0. All N members together count 2N − 4, 4 − N and 0.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import fmean

from ....prompts import load_phrases
from ....state.random_streams import make_rng
from .item import Fact, MembersSettings, TaskItem, load_wordings

SCENES = ("building", "caterer", "town")


def make_hidden_profile_item(settings: MembersSettings, number: int, language: str) -> TaskItem:
    """Make item `number`, from 1, with the settings' seed."""
    rng = make_rng(settings.seed, "hidden profile", number)
    translate = partial(load_phrases("tasks").translate_phrase, language)
    scene = SCENES[(number - 1) % len(SCENES)]
    names = rng.sample(load_wordings(language, "shared", "names"), 3)
    facts = _draw_facts(rng, language, scene, settings.members, *names)
    options = rng.sample(names, 3)

    def format_notes(facts: Sequence[Fact]) -> str:
        return "\n".join(fact.text for fact in rng.sample(list(facts), len(facts)))

    question = translate(f"{scene}.question", options=translate("shared.comma").join(options))
    sheets = []
    for seat in range(settings.members):
        notes = format_notes([fact for fact in facts if fact.holder in (None, seat)])
        sheets.append(translate("hidden_profile.sheet", notes=notes))
    return TaskItem(
        id=f"hidden_profile-{number}",
        task="hidden_profile",
        language=language,
        topic=translate("hidden_profile.question", question=question),
        truth=names[0],
        options=tuple(options),
        private=tuple(sheets),
        informed=translate("hidden_profile.all", notes=format_notes(facts)),
        facts=tuple(facts),
    )


def _draw_facts(
    rng: Random, language: str, scene: str, members: int, best_option: str, decoy_option: str, filler_option: str
) -> list[Fact]:
    seats = list(range(members))
    placements: list[tuple[str, bool, int | None]] = [
        *((best_option, True, seat) for seat in [*seats, *seats]),
        *[(best_option, False, None)] * 4,
        *[(decoy_option, True, None)] * 4,
        *((decoy_option, False, seat) for seat in seats),
        *[(filler_option, True, None)] * 2,
        *[(filler_option, False, None)] * 2,
    ]
    wordings = {True: load_wordings(language, scene, "pros"), False: load_wordings(language, scene, "cons")}
    order = {is_positive: rng.sample(range(len(texts)), len(texts)) for is_positive, texts in wordings.items()}
    numbers = rng.sample(range(100, 1000), len(placements))
    facts = []
    for number, (option, is_positive, holder) in zip(numbers, placements, strict=True):
        phrase = wordings[is_positive][order[is_positive].pop()]
        key = "hidden_profile.for" if is_positive else "hidden_profile.against"
        text = load_phrases("tasks").translate_phrase(language, key, name=option, fact=phrase, number=number)
        facts.append(Fact(number, phrase, option, is_positive, holder, text))
    return facts


@dataclass(frozen=True)
class Mention:
    """First mention of a fact, by its number and by its key phrase.

    Each field is the number of a statement, from 1, or `None` without a mention.
    """

    fact: Fact
    by_number: int | None
    by_phrase: int | None


def find_mentions(facts: Sequence[Fact], statements: Sequence[str]) -> list[Mention]:
    """Find the first mention of each fact in a talk's statements, by its number and by its key phrase."""
    texts = [_normalize_text(statement) for statement in statements]
    mentions = []
    for fact in facts:
        pattern, phrase = re.compile(rf"(?<!\d){fact.number}(?!\d)"), _normalize_text(fact.phrase)
        by_number = next((index for index, text in enumerate(texts, 1) if pattern.search(text)), None)
        by_phrase = next((index for index, text in enumerate(texts, 1) if phrase in text), None)
        mentions.append(Mention(fact, by_number, by_phrase))
    return mentions


def compute_mention_rate(mentions: Sequence[Mention], *, by_phrase: bool = False) -> float | None:
    """Compute the share of private facts that the talk mentions, by number or by key phrase.

    Returns `None` without private facts.
    """
    private_mentions = [mention for mention in mentions if mention.fact.holder is not None]
    hits = [mention.by_phrase if by_phrase else mention.by_number for mention in private_mentions]
    return sum(hit is not None for hit in hits) / len(hits) if hits else None


def compute_mention_time(mentions: Sequence[Mention]) -> float | None:
    """Compute the mean number of the statement that first mentions a private fact.

    A mention by number or by key phrase counts. Returns `None` if no private fact is mentioned.
    """
    first_numbers = []
    for mention in mentions:
        numbers = [number for number in (mention.by_number, mention.by_phrase) if number is not None]
        if mention.fact.holder is not None and numbers:
            first_numbers.append(min(numbers))
    return fmean(first_numbers) if first_numbers else None


def _normalize_text(text: str) -> str:
    return " ".join(text.casefold().split())
