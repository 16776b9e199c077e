"""Tasks made by rule: the same from the same seed, with their truth, in every language."""

import math
import re

import pytest
from moot.app.experiment.items import Item as PlannedItem
from moot.app.experiment.measures import (
    compute_footrule,
    compute_kendall_tau,
    format_full_number,
    is_same_answer,
)
from moot.app.experiment.tasks import (
    TASKS,
    collect_yielding,
    compute_pooled_estimate,
    generate_items,
    measure_regret,
    parse_order,
    score_reasoning,
    split_crowd_error,
)
from moot.app.experiment.tasks.item import load_wordings
from moot.prompts import LANGUAGES, load_phrases, load_table
from moot.state.errors import InputError

every_language = pytest.mark.parametrize("language", LANGUAGES)
MADE = [name for name in TASKS if name != "reasoning"]


@pytest.mark.long
@pytest.mark.parametrize("task", TASKS)
def test_an_item_is_the_same_from_the_same_seed_however_many_there_are(task: str) -> None:
    few, many, other = (generate_items(task, given) for given in ({"n": 3}, {"n": 5}, {"n": 3, "seed": 2}))
    assert few == many[:3] != other
    assert len({one.id for one in many}) == len({(one.topic, one.private) for one in many}) == 5


@pytest.mark.long
@every_language
@pytest.mark.parametrize("task", TASKS)
def test_every_language_asks_the_same_in_its_own_words(task: str, language: str) -> None:
    english, own = generate_items(task, {"n": 4}), generate_items(task, {"n": 4}, language)
    for one, other in zip(english, own, strict=True):
        assert (one.id, len(one.private), len(one.options), one.signals) == (
            other.id,
            len(other.private),
            len(other.options),
            other.signals,
        )
        assert (one.topic == other.topic) is (language == "en")
        assert re.findall(r"[{}]", other.topic + other.informed + "".join(other.scripted)) == []
        if one.options:
            assert one.truth in one.options


@every_language
def test_pools_are_as_long_in_every_language_and_every_phrase_is_there(language: str) -> None:
    assert load_phrases("tasks").list_keys("ranking") == ["question", "sheet", "all", "pair"]
    lengths = {
        f"{section}.{key}": (len(found), len(set(load_wordings(language, section, key))))
        for section, keys in load_table("tasks", "en").items()
        for key, found in keys.items()
        if isinstance(found, list)
    }
    assert {key: pair for key, pair in lengths.items() if pair[0] != pair[1]} == {}


@pytest.mark.parametrize("task", TASKS)
def test_an_item_can_stand_in_a_plan(task: str) -> None:
    for item in generate_items(task, {"n": 2}):
        planned = PlannedItem.model_validate(item.dump_for_plan())
        assert (planned.id, planned.topic, tuple(planned.private.values())) == (item.id, item.topic, item.private)
        assert (planned.truth, tuple(planned.scripted)) == (item.truth, item.scripted)


@pytest.mark.parametrize(
    ("task", "given", "said"),
    [
        ("hidden_profiles", {}, "task = 'hidden_profiles': unknown task; did you mean hidden_profile?"),
        ("hidden_profile", {"member": 4}, "member = 4: unknown key; did you mean members?"),
        ("hidden_profile", {"members": 7}, "members = 7: must be at most 6"),
        (
            "pressure",
            {"claims": "one_dissents", "confederates": [0, 1]},
            "this needs 2 confederates or more, or a control",
        ),
        ("pressure", {"confederates": -1}, "confederates.0 = -1: must be at least 0"),
        ("reasoning", {"dataset": "nothing"}, "dataset = 'nothing': Dataset 'nothing' not registered"),
    ],
)
def test_what_a_task_does_not_know_is_refused(task: str, given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        generate_items(task, given)


@pytest.mark.parametrize("length", [1, 3])
def test_a_sum_s_truth_is_what_it_comes_to(length: int) -> None:
    for item in generate_items("arithmetic", {"n": 20, "length": length}):
        match = re.fullmatch(r"What is (.+)\? Multi.*", item.topic)
        assert match is not None
        total = 0
        for sign, term in re.findall(r"(^|[+−])\s*(\d+(?: [×÷] \d+)?)", match[1]):
            first, _, rest = term.partition(" ")
            value = int(first)
            if rest:
                value = value * int(rest[2:]) if rest[0] == "×" else value // int(rest[2:])
                assert rest[0] == "×" or int(first) % int(rest[2:]) == 0
            total += -value if sign == "−" else value
        assert item.truth == total
        assert len(re.findall(r"\d+", match[1])) == 6 * length


@pytest.mark.parametrize(("members", "things"), [(3, 6), (6, 4), (4, 10)])
def test_all_pairs_together_leave_one_order_of_those_to_choose_from_and_no_member_s_own_do(
    members: int, things: int
) -> None:
    for item in generate_items("ranking", {"n": 4, "members": members, "things": things}):
        matches = [re.findall(r"- (\w+) is taller than (\w+)\.", text) for text in (*item.private, item.informed)]
        orders = [parse_order(option, "en") for option in item.options]
        left = [[o for o in orders if all(o.index(a) < o.index(b) for a, b in match)] for match in matches]
        assert set(matches[-1]) == {pair for match in matches[:-1] for pair in match}
        assert [sorted(order) for order in orders] == [sorted(item.order)] * things
        assert left[-1] == [list(item.order)] == [parse_order(str(item.truth), "en")]
        assert all(item.order in map(tuple, one) for one in left)
        assert all(len(one) > 1 for one in left[:-1])
        assert (compute_kendall_tau(item.order, item.order), compute_footrule(item.order, item.order)) == (
            pytest.approx(1),
            0,
        )


@pytest.mark.parametrize("bias", [0.0, 0.7])
def test_private_estimates_scatter_around_the_truth_and_a_bias_shifts_all(bias: float) -> None:
    items = generate_items("private_signals", {"n": 400, "bias": bias, "members": 5})
    scaled = [
        (math.log(signal.value / item.truth) - bias) / signal.sigma  # type: ignore[operator]
        for item in items
        for signal in item.signals
    ]
    n = len(scaled)
    assert sum(scaled) / n == pytest.approx(0, abs=4 / math.sqrt(n))
    assert sum(one * one for one in scaled) / n == pytest.approx(1, abs=4 * math.sqrt(2 / n))
    for item in items[:5]:
        for signal, sheet in zip(item.signals, item.private, strict=True):
            assert f"is {signal.value:g} {item.unit}. " in sheet
            assert f"deviation of {signal.sigma:g} in" in sheet


def test_an_answer_is_held_against_the_precision_weighted_pool() -> None:
    item = generate_items("private_signals", {"n": 1})[0]
    best = compute_pooled_estimate(item.signals)
    weights = [1 / signal.sigma**2 for signal in item.signals]
    assert math.log(best) == pytest.approx(
        sum(w * math.log(signal.value) for w, signal in zip(weights, item.signals, strict=True)) / sum(weights)
    )
    assert measure_regret(item, best) == 0
    assert isinstance(item.truth, float)
    assert measure_regret(item, item.truth) == -abs(math.log(best / item.truth))
    assert measure_regret(item, 0) is None


def test_the_crowd_s_error_is_its_members_minus_their_diversity() -> None:
    crowd_error = split_crowd_error([50.0, 200.0, 400.0, -1.0], 100.0)
    logs = [math.log(0.5), math.log(2), math.log(4)]
    assert crowd_error["crowd"] == pytest.approx((sum(logs) / 3) ** 2)
    assert crowd_error["crowd"] == pytest.approx(crowd_error["members"] - crowd_error["diversity"])
    assert split_crowd_error([0.0], 100.0) == {}


@every_language
def test_confederates_all_name_the_same_wrong_line(language: str) -> None:
    for confederates in (0, 1, 6, 8):
        for item in generate_items("pressure", {"n": 5, "confederates": confederates}, language):
            assert len(item.scripted) == confederates
            assert all(re.findall("[ABC]", text) == [item.wrong_option] for text in item.scripted)
            lengths = [int(match) for match in re.findall(r"\d+", item.topic)]
            assert item.truth == "ABC"[lengths[1:].index(lengths[0])] != item.wrong_option
            assert lengths.count(lengths[0]) == 2


@every_language
def test_confederates_name_the_right_line_or_one_of_them_does(language: str) -> None:
    task = {"n": 12, "confederates": [0, 2, 5]}
    wrong, right, dissent = (
        generate_items("pressure", task | {"claims": claims}, language) for claims in ("wrong", "right", "one_dissents")
    )
    for base, item, split in zip(wrong, right, dissent, strict=True):
        count = len(base.scripted)
        assert (base.topic, base.truth, base.wrong_option) == (item.topic, item.truth, item.wrong_option)
        assert base.is_control == item.is_control == split.is_control == (count == 0)
        assert [re.findall("[ABC]", text) for text in item.scripted] == [[item.truth]] * count
        named = [re.findall("[ABC]", text) for text in split.scripted]
        assert named.count([split.wrong_option]) == max(0, count - 1)
        assert named.count([split.truth]) == min(1, count)
        assert named[:1] == [[split.wrong_option]] * min(1, count)


def test_yielding_is_the_share_that_gives_their_answer_by_how_many_they_are() -> None:
    items = [one for many in (1, 3) for one in generate_items("pressure", {"n": 2, "confederates": many})]
    answers = [items[0].truth, items[1].wrong_option, items[2].wrong_option, items[3].wrong_option]
    assert collect_yielding(items, answers) == {  # type: ignore[arg-type]
        1: {"pressure-1": [0], "pressure-2": [1]},
        3: {"pressure-1": [1], "pressure-2": [1]},
    }


@every_language
@pytest.mark.parametrize("dataset", load_phrases("tasks").list_keys("reasoning"))
def test_reasoning_gym_s_items_are_asked_in_every_language_and_scored_by_its_own_scorer(
    dataset: str, language: str
) -> None:
    for item in generate_items("reasoning", {"n": 3, "dataset": dataset}, language):
        assert isinstance(item.truth, float)
        assert re.findall(r"[{}]", item.topic) == []
        assert score_reasoning(item, format_full_number(item.truth)) == 1
        assert score_reasoning(item, format_full_number(item.truth + 1)) < 1
        assert item.tolerance == 0, "these have one exact answer"


def test_an_answer_may_be_rounded_as_far_as_the_generator_s_own_scorer_lets_it() -> None:
    tiny, *_, item = generate_items("reasoning", {"n": 3, "dataset": "power_function"})
    assert (tiny.truth, item.truth) == (8.0385580478694755e-22, 163090.21864248998)
    assert [is_same_answer(one, 163090.21864248998, item.tolerance) for one in (163_000.0, 165_000.0)] == [True, False]


def test_a_generator_without_words_in_the_language_is_refused_with_those_that_have_some() -> None:
    with pytest.raises(
        InputError,
        match="the questions of this generator are in English; write language: en, or take one of basic_arith",
    ):
        generate_items("reasoning", {"n": 1, "dataset": "power_function"}, "zh")


def test_without_the_extra_reasoning_gym_is_refused_and_the_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "reasoning_gym", None)
    assert [len(generate_items(task, {"n": 1})) for task in MADE] == [1] * 5
    with pytest.raises(InputError, match=r'needs: pip install "moot\[reasoning-gym\]"'):
        generate_items("reasoning", {"n": 1})
