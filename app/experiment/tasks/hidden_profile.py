"""A choice whose best option shows only when members pool what each knows alone (Stasser & Titus 1985).

Best: 2 positives for each member alone, 4 shared negatives. Decoy: 4 shared positives, 1 negative for each member
alone. Filler: 2 shared positives, 2 shared negatives. So each alone sees −2, +3 and 0; all N together 2N − 4, 4 − N
and 0.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from ....prompts import phrases
from ....state.draw import stream
from .item import Fact, Item, Members, lines, pool

SCENES = ("building", "caterer", "town")


def hidden_profile(settings: Members, number: int, language: str) -> Item:
    """Item `number` (from 1) of a seed."""
    draw = stream(settings.seed, "hidden profile", number)
    scene = SCENES[(number - 1) % len(SCENES)]
    best, decoy, filler = draw.sample(pool(language, "shared", "names"), 3)
    facts = _facts(draw, language, scene, settings.members, (best, decoy, filler))
    options = draw.sample([best, decoy, filler], 3)
    say = phrases("tasks").say
    asked = say(language, f"{scene}.question", options=say(language, "shared.comma").join(options))
    sheets = [
        say(language, "hidden_profile.sheet", notes=_listed(draw, [one for one in facts if one.holder in (None, seat)]))
        for seat in range(settings.members)
    ]
    return Item(
        id=f"hidden_profile-{number}",
        task="hidden_profile",
        language=language,
        topic=say(language, "hidden_profile.question", question=asked),
        truth=best,
        options=tuple(options),
        private=tuple(sheets),
        informed=say(language, "hidden_profile.all", notes=_listed(draw, facts)),
        facts=tuple(facts),
    )


def _facts(draw: Random, language: str, scene: str, members: int, names: tuple[str, str, str]) -> list[Fact]:
    best, decoy, filler = names
    each = list(range(members))
    placed: list[tuple[str, bool, int | None]] = [
        *((best, True, seat) for seat in [*each, *each]),
        *[(best, False, None)] * 4,
        *[(decoy, True, None)] * 4,
        *((decoy, False, seat) for seat in each),
        *[(filler, True, None)] * 2,
        *[(filler, False, None)] * 2,
    ]
    wordings = {favours: pool(language, scene, "pros" if favours else "cons") for favours in (True, False)}
    order = {favours: draw.sample(range(len(words)), len(words)) for favours, words in wordings.items()}
    numbers = draw.sample(range(100, 1000), len(placed))
    facts = []
    for number, (option, favours, holder) in zip(numbers, placed, strict=True):
        phrase = wordings[favours][order[favours].pop()]
        key = "hidden_profile.for" if favours else "hidden_profile.against"
        text = phrases("tasks").say(language, key, name=option, fact=phrase, number=number)
        facts.append(Fact(number, phrase, option, favours, holder, text))
    return facts


def _listed(draw: Random, facts: Sequence[Fact]) -> str:
    return lines([one.text for one in draw.sample(list(facts), len(facts))])


@dataclass(frozen=True)
class Mention:
    """When a fact was first mentioned, in a statement counted from 1; missing where it never was."""

    fact: Fact
    by_number: int | None
    by_phrase: int | None


def mentions(facts: Sequence[Fact], statements: Sequence[str]) -> list[Mention]:
    """When each fact was first mentioned, by its note's number and by its key phrase, in a talk's statements."""
    plain = [_plain(one) for one in statements]
    return [
        Mention(
            fact,
            _first([re.search(rf"(?<!\d){fact.number}(?!\d)", one) is not None for one in plain]),
            _first([_plain(fact.phrase) in one for one in plain]),
        )
        for fact in facts
    ]


def mention_rate(found: Sequence[Mention], *, phrase: bool = False) -> float | None:
    """The share of unshared facts that were mentioned, by number or by phrase; missing where all were shared."""
    alone = [one for one in found if one.fact.holder is not None]
    said = [one for one in alone if (one.by_phrase if phrase else one.by_number) is not None]
    return len(said) / len(alone) if alone else None


def mention_time(found: Sequence[Mention]) -> float | None:
    """In which statement unshared facts were first mentioned, on average; of those that were, by number or phrase."""
    places = [[one.by_number, one.by_phrase] for one in found if one.fact.holder is not None]
    first = [min(known) for both in places if (known := [one for one in both if one is not None])]
    return fmean(first) if first else None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _first(hits: Sequence[bool]) -> int | None:
    return next((place for place, hit in enumerate(hits, 1) if hit), None)
