"""Hidden profile: a choice whose best option shows only in the pooled private facts (Stasser & Titus 1985).

Best: 2 positives for each member alone, 4 shared negatives. Decoy: 4 shared positives, 1 negative for each member
alone. Filler: 2 shared positives, 2 shared negatives. So each alone sees −2, +3 and 0; all N together 2N − 4, 4 − N
and 0.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from ....prompts import load_phrases
from ....state.random_streams import make_rng
from .item import Fact, MembersSettings, TaskItem, join_lines, load_wordings

SCENES = ("building", "caterer", "town")


def make_hidden_profile_item(settings: MembersSettings, number: int, language: str) -> TaskItem:
    """Make item `number`, from 1, with draws from the settings' seed."""
    rng = make_rng(settings.seed, "hidden profile", number)
    scene = SCENES[(number - 1) % len(SCENES)]
    best_option, decoy_option, filler_option = rng.sample(load_wordings(language, "shared", "names"), 3)
    facts = _draw_facts(rng, language, scene, settings.members, (best_option, decoy_option, filler_option))
    options = rng.sample([best_option, decoy_option, filler_option], 3)
    translate = load_phrases("tasks").translate_phrase
    question = translate(language, f"{scene}.question", options=translate(language, "shared.comma").join(options))
    sheets = [
        translate(
            language,
            "hidden_profile.sheet",
            notes=_format_notes(rng, [fact for fact in facts if fact.holder in (None, seat)]),
        )
        for seat in range(settings.members)
    ]
    return TaskItem(
        id=f"hidden_profile-{number}",
        task="hidden_profile",
        language=language,
        topic=translate(language, "hidden_profile.question", question=question),
        truth=best_option,
        options=tuple(options),
        private=tuple(sheets),
        informed=translate(language, "hidden_profile.all", notes=_format_notes(rng, facts)),
        facts=tuple(facts),
    )


def _draw_facts(rng: Random, language: str, scene: str, members: int, option_names: tuple[str, str, str]) -> list[Fact]:
    best_option, decoy_option, filler_option = option_names
    seats = list(range(members))
    placements: list[tuple[str, bool, int | None]] = [
        *((best_option, True, seat) for seat in [*seats, *seats]),
        *[(best_option, False, None)] * 4,
        *[(decoy_option, True, None)] * 4,
        *((decoy_option, False, seat) for seat in seats),
        *[(filler_option, True, None)] * 2,
        *[(filler_option, False, None)] * 2,
    ]
    wordings = {
        is_positive: load_wordings(language, scene, "pros" if is_positive else "cons") for is_positive in (True, False)
    }
    order = {is_positive: rng.sample(range(len(texts)), len(texts)) for is_positive, texts in wordings.items()}
    numbers = rng.sample(range(100, 1000), len(placements))
    facts = []
    for number, (option, is_positive, holder) in zip(numbers, placements, strict=True):
        phrase = wordings[is_positive][order[is_positive].pop()]
        key = "hidden_profile.for" if is_positive else "hidden_profile.against"
        text = load_phrases("tasks").translate_phrase(language, key, name=option, fact=phrase, number=number)
        facts.append(Fact(number, phrase, option, is_positive, holder, text))
    return facts


def _format_notes(rng: Random, facts: Sequence[Fact]) -> str:
    return join_lines([fact.text for fact in rng.sample(list(facts), len(facts))])


@dataclass(frozen=True)
class Mention:
    """First mention of a fact by its number and by its key phrase.

    Each is the number of a statement, from 1, or `None` without a mention.
    """

    fact: Fact
    by_number: int | None
    by_phrase: int | None


def find_mentions(facts: Sequence[Fact], statements: Sequence[str]) -> list[Mention]:
    """Find the first mention of each fact in a talk's statements, by its number and by its key phrase."""
    texts = [_normalize_text(statement) for statement in statements]
    return [
        Mention(
            fact,
            _find_first_hit([re.search(rf"(?<!\d){fact.number}(?!\d)", text) is not None for text in texts]),
            _find_first_hit([_normalize_text(fact.phrase) in text for text in texts]),
        )
        for fact in facts
    ]


def compute_mention_rate(mentions: Sequence[Mention], *, by_phrase: bool = False) -> float | None:
    """Return the share of private facts that the talk mentions, by number or by key phrase.

    `None` without a private fact.
    """
    private_mentions = [mention for mention in mentions if mention.fact.holder is not None]
    known_mentions = [
        mention for mention in private_mentions if (mention.by_phrase if by_phrase else mention.by_number) is not None
    ]
    return len(known_mentions) / len(private_mentions) if private_mentions else None


def compute_mention_time(mentions: Sequence[Mention]) -> float | None:
    """Return the mean number of the statements that first mention a private fact.

    A mention by number or by key phrase counts. `None` without a mention.
    """
    statement_numbers = [
        [mention.by_number, mention.by_phrase] for mention in mentions if mention.fact.holder is not None
    ]
    first_numbers = [
        min(known_numbers)
        for numbers in statement_numbers
        if (known_numbers := [number for number in numbers if number is not None])
    ]
    return fmean(first_numbers) if first_numbers else None


def _normalize_text(text: str) -> str:
    return " ".join(text.casefold().split())


def _find_first_hit(hits: Sequence[bool]) -> int | None:
    return next((index for index, hit in enumerate(hits, 1) if hit), None)
