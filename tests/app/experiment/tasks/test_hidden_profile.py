"""A hidden profile: alone everybody prefers the decoy, together the best is the only best."""

import re
from collections import Counter
from itertools import combinations

import pytest
from moot.app.experiment.tasks import Fact, TaskItem, compute_mention_rate, find_mentions, generate_items
from moot.app.experiment.tasks.hidden_profile import SCENES
from moot.app.experiment.tasks.item import load_wordings
from moot.prompts import LANGUAGES

every_size = pytest.mark.parametrize("members", [3, 4, 5, 6])
every_language = pytest.mark.parametrize("language", LANGUAGES)


def items(members: int, language: str = "en") -> list[TaskItem]:
    return generate_items("hidden_profile", {"n": 6, "seed": 3, "members": members}, language)


def nets(facts: list[Fact], options: tuple[str, ...]) -> dict[str, int]:
    return {name: sum((1 if one.is_positive else -1) for one in facts if one.option == name) for name in options}


def read(item: TaskItem, text: str) -> list[Fact]:
    """The facts a text holds, by the numbers of its notes."""
    held = {int(number) for number in re.findall(r"\d+", text)}
    return [one for one in item.facts if one.number in held]


@every_language
@every_size
def test_what_each_is_told_prefers_the_decoy_and_what_all_are_told_the_best(members: int, language: str) -> None:
    for item in items(members, language):
        best = item.truth
        for sheet in item.private:
            assert len(read(item, sheet)) == len(re.findall(r"\d+", sheet)) == 15
            alone = nets(read(item, sheet), item.options)
            assert alone[best] == -2  # type: ignore[index]
            assert sorted(alone.values()) == [-2, 0, 3]
        together = nets(read(item, item.informed), item.options)
        assert together[best] == 2 * members - 4  # type: ignore[index]
        assert sorted(together.values()) == sorted([2 * members - 4, 4 - members, 0])
        assert [name for name, net in together.items() if net == max(together.values())] == [best]
        assert set(read(item, "\n".join(item.private))) == set(item.facts) == set(read(item, item.informed))


@every_size
def test_the_notes_are_as_many_as_in_the_design(members: int) -> None:
    for item in items(members):
        kinds = Counter(
            (("best" if one.option == item.truth else "other"), one.is_positive, one.holder is None)
            for one in item.facts
        )
        assert kinds["best", True, False] == 2 * members
        assert kinds["best", True, True] == kinds["best", False, False] == 0
        assert kinds["best", False, True] == 4
        assert kinds["other", True, True] == 4 + 2  # the decoy's and the filler's
        assert kinds["other", False, False] == members
        assert kinds["other", False, True] == 2
        assert Counter(one.holder for one in item.facts if one.holder is not None) == dict.fromkeys(range(members), 3)


@every_language
def test_a_note_s_number_has_three_digits_and_stands_nowhere_else(language: str) -> None:
    for item in items(6, language):
        numbers = [one.number for one in item.facts]
        assert len(set(numbers)) == len(numbers) == 30
        assert all(100 <= number <= 999 for number in numbers)
        assert re.findall(r"\d", item.topic) == []
        assert sorted(map(int, re.findall(r"\d+", item.informed))) == sorted(numbers)


@every_language
@pytest.mark.parametrize("scene", SCENES)
def test_every_fact_is_worded_alike_and_no_key_phrase_is_part_of_another(scene: str, language: str) -> None:
    facts = [*load_wordings(language, scene, "pros"), *load_wordings(language, scene, "cons")]
    assert (len(load_wordings(language, scene, "pros")), len(load_wordings(language, scene, "cons"))) == (18, 12)
    assert [fact for fact in facts if re.search(r"[\d.!:(]", fact)] == []
    assert [(one, other) for one, other in combinations(facts, 2) if one in other or other in one] == []


def test_a_fact_is_mentioned_by_its_note_or_by_its_key_phrase() -> None:
    item = items(3)[0]
    first, second, third = item.facts[:3]
    found = find_mentions(
        item.facts[:4],
        [
            f"Note {first.number}1 is not meant.",
            f"I hold note {first.number}, and  {second.phrase.upper()} too.",
            f"(note {second.number}); {first.phrase}; {third.phrase}",
        ],
    )
    assert [(one.by_number, one.by_phrase) for one in found] == [(2, 3), (3, 2), (None, 3), (None, None)]
    assert (compute_mention_rate(found), compute_mention_rate(found, by_phrase=True)) == (2 / 4, 3 / 4)
    assert compute_mention_rate(find_mentions([one for one in item.facts if one.holder is None], ["…"])) is None


@every_language
def test_whoever_reads_a_sheet_aloud_mentions_all_of_it(language: str) -> None:
    for item in items(4, language):
        found = find_mentions(item.facts, item.private)
        assert all(one.by_number == one.by_phrase is not None for one in found)
        assert compute_mention_rate(found) == compute_mention_rate(found, by_phrase=True) == 1
