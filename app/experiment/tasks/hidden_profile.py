"""Hidden profile: only the pooled private facts show which option is best (Stasser & Titus 1985).

Each member gets a sheet with the shared facts and its own private ones.

`balanced`: each sheet has 2 positive and 2 negative facts about every option. Together, the sheets of N members have 2N
+ 2 different facts about each option. The best option has 2 positive private facts per member and 2 negative shared
ones. The decoy is the reverse. The filler has 1 shared fact and 1 private fact per member, of either kind. In total,
positive minus negative facts are 2N − 2, 2 − 2N and 0. So the counts on a sheet say nothing about the best option. A
lure is an option with 1 more positive shared fact, while both others have 1 more negative one.

`classic`: on each sheet, positive minus negative facts are −2, +3 and 0; in total they are 2N − 4, 4 − N and 0. It has
a shortcut: the option with the most facts on any sheet is the best one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import fmean
from typing import Literal, Self

from pydantic import Field, model_validator

from ....prompts import load_phrases
from ....state import make_rng, make_setting_error
from .item import Fact, MembersSettings, TaskItem, fold_text, load_wordings

SCENES = ("building", "caterer", "town")
Placement = tuple[str, bool, int | None]
"""Option of a fact, whether it is positive, and the seat that receives it; `None` for a shared fact."""


class HiddenProfileSettings(MembersSettings):
    """Settings of the hidden profile task."""

    profile: Literal["balanced", "classic"] = Field(
        default="balanced",
        description=(
            "Distribution of notes; `balanced`: counting notes does not reveal the best choice; "
            "`classic`: the best choice has the most notes."
        ),
    )
    lure: bool = Field(
        default=False,
        description="Whether a randomly drawn choice looks best to each participant before the discussion.",
    )
    sharing: Literal["hidden", "all"] = Field(
        default="hidden", description="Notes of each participant: a part, or all."
    )
    told: bool = Field(default=False, description="Whether participants learn that others may have other notes.")

    @model_validator(mode="after")
    def _check_lure(self) -> Self:
        if self.lure and self.profile == "classic":
            raise make_setting_error(
                "lure", self.lure, "profile: classic has a lure of its own; leave lure out, or write profile: balanced"
            )
        return self


def make_hidden_profile_item(settings: HiddenProfileSettings, number: int, language: str) -> TaskItem:
    """Make the item with this number, from 1, with the settings' seed.

    The other settings change neither the facts nor the draws.
    """
    rng = make_rng(settings.seed, "hidden profile", number)
    translate = partial(load_phrases("tasks").translate_phrase, language)
    scene = SCENES[(number - 1) % len(SCENES)]
    names = rng.sample(load_wordings(language, "shared", "names"), 3)
    lure = make_rng(settings.seed, "lure", number).choice(names) if settings.lure else ""
    place_facts = _place_balanced if settings.profile == "balanced" else _place_classic
    placements = place_facts(names, range(settings.members))
    placements += [(name, name == lure, None) for name in names if lure]
    facts = _draw_facts(rng, language, scene, placements)
    options = rng.sample(names, 3)
    question = translate(f"{scene}.question", options=translate("shared.comma").join(options))
    sheets = []
    for seat in range(settings.members):
        holders = (None, seat) if settings.sharing == "hidden" else (None, *range(settings.members))
        notes = [fact.text for fact in rng.sample(facts, len(facts)) if fact.holder in holders]
        sheets.append(translate("hidden_profile.sheet", notes="\n".join(notes)))
    return TaskItem(
        id=f"hidden_profile-{number}",
        language=language,
        topic=translate(
            "hidden_profile.question",
            question=question,
            told=translate("hidden_profile.told") if settings.told else "",
        ),
        truth=names[0],
        options=tuple(options),
        private=tuple(sheets),
        informed=translate("hidden_profile.all", notes="\n".join(fact.text for fact in rng.sample(facts, len(facts)))),
        facts=tuple(facts),
        lure=lure,
    )


def _place_balanced(names: Sequence[str], seats: Sequence[int]) -> list[Placement]:
    best, decoy, filler = names
    return [
        *((best, True, seat) for seat in [*seats, *seats]),
        *[(best, False, None)] * 2,
        *[(decoy, True, None)] * 2,
        *((decoy, False, seat) for seat in [*seats, *seats]),
        *((filler, is_positive, seat) for seat in [None, *seats] for is_positive in (True, False)),
    ]


def _place_classic(names: Sequence[str], seats: Sequence[int]) -> list[Placement]:
    best, decoy, filler = names
    return [
        *((best, True, seat) for seat in [*seats, *seats]),
        *[(best, False, None)] * 4,
        *[(decoy, True, None)] * 4,
        *((decoy, False, seat) for seat in seats),
        *[(filler, True, None)] * 2,
        *[(filler, False, None)] * 2,
    ]


def _draw_facts(rng: Random, language: str, scene: str, placements: Sequence[Placement]) -> list[Fact]:
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
    number_statement: int | None
    phrase_statement: int | None


def find_mentions(facts: Sequence[Fact], statements: Sequence[str]) -> list[Mention]:
    """Return the first mention of each fact in the statements, by its number and by its key phrase."""
    texts = [fold_text(statement) for statement in statements]
    mentions = []
    for fact in facts:
        pattern, phrase = re.compile(rf"(?<!\d){fact.number}(?!\d)"), fold_text(fact.phrase)
        number_statement = next((index for index, text in enumerate(texts, 1) if pattern.search(text)), None)
        phrase_statement = next((index for index, text in enumerate(texts, 1) if phrase in text), None)
        mentions.append(Mention(fact, number_statement, phrase_statement))
    return mentions


def compute_mention_rate(mentions: Sequence[Mention], *, by_phrase: bool = False) -> float | None:
    """Compute the share of private facts that a deliberation mentions.

    `by_phrase`: whether a mention is the key phrase instead of the number. Returns `None` without private facts.
    """
    private_mentions = [mention for mention in mentions if mention.fact.holder is not None]
    hits = [mention.phrase_statement if by_phrase else mention.number_statement for mention in private_mentions]
    return sum(hit is not None for hit in hits) / len(hits) if hits else None


def compute_mean_first_mention(mentions: Sequence[Mention]) -> float | None:
    """Compute in which statement, on average, a private fact is first mentioned.

    Statements count from 1. A mention by number or by key phrase counts. Returns `None` if no private fact is
    mentioned.
    """
    first_numbers = []
    for mention in mentions:
        numbers = [number for number in (mention.number_statement, mention.phrase_statement) if number is not None]
        if mention.fact.holder is not None and numbers:
            first_numbers.append(min(numbers))
    return fmean(first_numbers) if first_numbers else None
