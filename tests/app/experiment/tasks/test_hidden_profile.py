"""A hidden profile: no count on a sheet tells the best, together it is the only best."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from moot.app.experiment.tasks import Fact, TaskItem, compute_mention_rate, find_mentions, generate_items
from moot.app.experiment.tasks.hidden_profile import SCENES, _place_balanced
from moot.app.experiment.tasks.item import load_wordings
from moot.prompts import LANGUAGES, load_phrases
from moot.state.errors import InputError

every_size = pytest.mark.parametrize("members", [3, 4, 5, 6])
every_language = pytest.mark.parametrize("language", LANGUAGES)


def items(members: int, language: str = "en", **changes: Any) -> list[TaskItem]:
    return generate_items("hidden_profile", {"n": 6, "seed": 3, "members": members} | changes, language)


def nets(facts: list[Fact], options: tuple[str, ...]) -> dict[str, int]:
    return {name: sum((1 if fact.is_positive else -1) for fact in facts if fact.option == name) for name in options}


def read(item: TaskItem, text: str) -> list[Fact]:
    """The facts a text holds, by the numbers of its notes."""
    ints = {int(number) for number in re.findall(r"\d+", text)}
    return [fact for fact in item.facts if fact.number in ints]


def counts(item: TaskItem, sheet: str) -> dict[str, tuple[int, int]]:
    """Notes for and against each choice on a sheet."""
    facts = read(item, sheet)
    assert len(facts) == len(re.findall(r"\d+", sheet))
    kinds = Counter((fact.option, fact.is_positive) for fact in facts)
    return {name: (kinds[name, True], kinds[name, False]) for name in item.options}


@every_language
@every_size
def test_every_sheet_shows_two_notes_for_and_two_against_every_choice_and_the_pool_as_many_of_each(
    members: int, language: str
) -> None:
    for item in items(members, language):
        assert [counts(item, sheet) for sheet in item.private] == [dict.fromkeys(item.options, (2, 2))] * members
        pool = counts(item, item.informed)
        assert {sum(pair) for pair in pool.values()} == {2 * members + 2}
        together = nets(list(item.facts), item.options)
        assert together.pop(str(item.truth)) == 2 * members - 2
        assert sorted(together.values()) == [2 - 2 * members, 0]
        assert set(read(item, "\n".join(item.private))) == set(item.facts) == set(read(item, item.informed))


@every_size
def test_alone_all_prefer_the_lure_and_together_the_best_whether_or_not_it_is_the_lure(members: int) -> None:
    made = items(members, n=60, lure=True)
    for item in made:
        expected = {name: (3, 2) if name == item.lure else (2, 3) for name in item.options}
        assert [counts(item, sheet) for sheet in item.private] == [expected] * members
        together = sorted(nets(list(item.facts), item.options).items(), key=lambda pair: pair[1])
        assert together[-1][0] == item.truth
        assert together[-1][1] - together[-2][1] >= 2
    right = sum(item.lure == item.truth for item in made)
    assert abs(right / 60 - 1 / 3) < 2.6 * math.sqrt(2 / 9 / 60)
    assert [one.truth for one in made] == [one.truth for one in items(members, n=60)]


@every_size
@pytest.mark.parametrize("has_lure", [False, True])
def test_the_best_is_unique_and_the_counts_on_a_sheet_leave_each_choice_a_chance_of_exactly_one_third(
    members: int, has_lure: bool
) -> None:
    names = ("A", "B", "C")
    truths: dict[tuple[int, object], Counter[str]] = {}
    for roles in permutations(names):
        for lure in names if has_lure else ("",):
            placements = _place_balanced(roles, range(members)) + [(name, name == lure, None) for name in names if lure]
            together = {
                name: sum(1 if sign else -1 for option, sign, _ in placements if option == name) for name in names
            }
            best, second, _ = sorted(together.values(), reverse=True)
            assert best - second >= 2
            assert together[roles[0]] == best
            for seat in range(members):
                kinds = Counter((option, sign) for option, sign, holder in placements if holder in (None, seat))
                sheet = tuple((kinds[name, True], kinds[name, False]) for name in names)
                truths.setdefault((seat, sheet), Counter())[roles[0]] += 1
    shares = {Fraction(truth[name], truth.total()) for truth in truths.values() for name in names}
    assert shares == {Fraction(1, 3)}


@every_size
def test_the_classic_profile_keeps_its_notes_and_its_shortcut(members: int) -> None:
    for item in items(members, profile="classic"):
        for sheet in item.private:
            alone = nets(read(item, sheet), item.options)
            assert sorted(alone.values()) == [-2, 0, 3]
            assert alone[str(item.truth)] == -2
            assert max(item.options, key=lambda name: sum(counts(item, sheet)[name])) == item.truth
        together = nets(list(item.facts), item.options)
        assert sorted(together.values()) == sorted([2 * members - 4, 4 - members, 0])
        assert max(together, key=lambda name: together[name]) == item.truth
    with pytest.raises(InputError, match="lure = True: profile: classic has a lure of its own; leave lure out"):
        items(members, profile="classic", lure=True)


def describe_choices(item: TaskItem, sheet: str) -> list[tuple[float, ...]]:
    """What a shortcut could go by, for each choice on the sheet of one member."""
    lines = [(line, fact) for line in sheet.splitlines() for fact in read(item, line)]
    rows = []
    for position, name in enumerate(item.options):
        own = [(place, line, fact) for place, (line, fact) in enumerate(lines) if fact.option == name]
        pros = [place for place, _, fact in own if fact.is_positive]
        cons = [place for place, _, fact in own if not fact.is_positive]
        numbers = [fact.number for _, _, fact in own]
        rows.append(
            (
                len(own),
                len(pros),
                len(pros) - len(cons),
                position,
                own[0][0],
                own[-1][0],
                sum(pros) / len(pros) - sum(cons) / len(cons),
                sum(len(line) for _, line, _ in own),
                sum(numbers),
            )
        )
    return rows


def accuracy(scores: np.ndarray[Any, Any], truths: Sequence[int]) -> float:
    """Credit of the highest score of each item; ties share it."""
    tops = scores == scores.max(axis=1, keepdims=True)
    return float(np.mean([top[truth] / top.sum() for top, truth in zip(tops, truths, strict=True)]))


def fit_logistic(features: np.ndarray[Any, Any], truths: Sequence[int]) -> np.ndarray[Any, Any]:
    """Weights of a conditional logistic rule, by gradient ascent."""
    weights, chosen = np.zeros(features.shape[2]), features[np.arange(len(truths)), truths]
    for _ in range(500):
        shares = np.exp(features @ weights)
        shares /= shares.sum(axis=1, keepdims=True)
        weights += 0.5 * (chosen - (shares[:, :, None] * features).sum(axis=1)).mean(axis=0)
    return weights


def measure_shortcuts(members: int, profile: str) -> tuple[float, float]:
    """Share right of the best of 18 rules with one feature, and of a logistic rule on the other half of the items."""
    made = generate_items("hidden_profile", {"n": 1500, "seed": 11 * members, "members": members, "profile": profile})
    truths = [item.options.index(str(item.truth)) for item in made]
    table = np.array([describe_choices(item, item.private[0]) for item in made], dtype=float)
    rules = [accuracy(sign * table[:, :, feature], truths) for feature in range(9) for sign in (1, -1)]
    assert len(rules) == 18
    centred = table - table.mean(axis=1, keepdims=True)
    centred /= np.maximum(centred.std(axis=(0, 1)), 1e-9)
    weights = fit_logistic(centred[:750], truths[:750])
    return max(rules), accuracy(centred[750:] @ weights, truths[750:])


@pytest.mark.long
@pytest.mark.parametrize("members", [3, 4, 6])
def test_no_rule_over_a_sheet_finds_the_best_more_often_than_by_chance_and_in_the_classic_profile_one_always_does(
    members: int,
) -> None:
    rule, logistic = measure_shortcuts(members, "balanced")
    assert rule < 1 / 3 + 2.6 * math.sqrt(2 / 9 / 1500)
    assert logistic < 1 / 3 + 2.6 * math.sqrt(2 / 9 / 750)
    assert measure_shortcuts(members, "classic") == (1.0, 1.0)


@every_language
def test_what_is_shared_and_what_is_told_change_neither_notes_nor_draws(language: str) -> None:
    base = items(4, language)
    shared, told = items(4, language, sharing="all"), items(4, language, told=True)
    for item, all_notes, warned in zip(base, shared, told, strict=True):
        assert item.facts == all_notes.facts == warned.facts
        assert (item.truth, item.options, item.informed) == (all_notes.truth, all_notes.options, all_notes.informed)
        assert [set(read(item, sheet)) for sheet in all_notes.private] == [set(item.facts)] * 4
        for sheet, whole in zip(item.private, all_notes.private, strict=True):
            assert [line for line in whole.splitlines() if line in sheet.splitlines()] == sheet.splitlines()
        assert (item.topic, item.private) == (all_notes.topic, warned.private)
        sentence = load_phrases("tasks").translate_phrase(language, "hidden_profile.told")
        assert warned.topic.replace(sentence, "") == item.topic != warned.topic


@every_language
def test_a_note_s_number_has_three_digits_and_stands_nowhere_else(language: str) -> None:
    for item in items(6, language):
        numbers = [fact.number for fact in item.facts]
        assert len(set(numbers)) == len(numbers) == 42
        assert all(100 <= number <= 999 for number in numbers)
        assert re.findall(r"\d", item.topic) == []
        assert sorted(map(int, re.findall(r"\d+", item.informed))) == sorted(numbers)


@every_language
@pytest.mark.parametrize("scene", SCENES)
def test_every_fact_is_worded_alike_and_no_key_phrase_is_part_of_another(scene: str, language: str) -> None:
    facts = [*load_wordings(language, scene, "pros"), *load_wordings(language, scene, "cons")]
    assert (len(load_wordings(language, scene, "pros")), len(load_wordings(language, scene, "cons"))) == (22, 23)
    assert [fact for fact in facts if re.search(r"[\d.!:(]", fact)] == []
    assert [(one, other) for one, other in combinations(facts, 2) if one in other or other in one] == []


def test_a_fact_is_mentioned_by_its_note_or_by_its_key_phrase() -> None:
    item = items(3)[0]
    first, second, third = item.facts[:3]
    mentions = find_mentions(
        item.facts[:4],
        [
            f"Note {first.number}1 is not meant.",
            f"I hold note {first.number}, and  {second.phrase.upper()} too.",
            f"(note {second.number}); {first.phrase}; {third.phrase}",
        ],
    )
    assert [(mention.number_statement, mention.phrase_statement) for mention in mentions] == [
        (2, 3),
        (3, 2),
        (None, 3),
        (None, None),
    ]
    assert (compute_mention_rate(mentions), compute_mention_rate(mentions, by_phrase=True)) == (2 / 4, 3 / 4)
    assert compute_mention_rate(find_mentions([fact for fact in item.facts if fact.holder is None], ["…"])) is None


@every_language
def test_whoever_reads_a_sheet_aloud_mentions_all_of_it(language: str) -> None:
    for item in items(4, language):
        mentions = find_mentions(item.facts, item.private)
        assert all(mention.number_statement == mention.phrase_statement is not None for mention in mentions)
        assert compute_mention_rate(mentions) == compute_mention_rate(mentions, by_phrase=True) == 1
