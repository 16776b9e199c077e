"""The plan of an experiment: what is refused, and what it comes to."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from moot.app.experiment.data import score_run
from moot.app.experiment.plan import list_additions, parse_plan, read_plan
from moot.app.experiment.planned_runs import build_talk_request, plan_runs
from moot.app.protocols.registry import get_protocol
from moot.nodes.debate.seats import seat_two_sides
from moot.state.errors import InputError

SMALL: dict[str, Any] = {"name": "cars", "protocol": "debate", "items": ["Ban cars?", "Tax sugar?", "Tax meat?"]}


def test_a_crossing_with_more_runs_than_max_runs_is_refused() -> None:
    crossing = {"factors": {"max_turns": list(range(2, 102)), "profile": ["a"] * 40}}
    with pytest.raises(InputError, match=r"max_runs = 10000: the plan has 12,000 runs; vary less, or raise max_runs"):
        parse_plan(SMALL | crossing)
    with pytest.raises(InputError, match=r"max_runs = 2: the plan has 3 runs"):
        parse_plan(SMALL | {"max_runs": 2})


def test_a_pipe_in_place_of_a_plan_or_of_items_is_refused_unread(tmp_path: Path) -> None:
    for name in ("plan.yaml", "items.csv"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="must be a regular file"):
        read_plan(tmp_path / "plan.yaml")
    with pytest.raises(InputError, match="must be a regular file"):
        parse_plan(SMALL | {"items": "items.csv"}, tmp_path)


HALF_CHARACTERS = {
    "name": r'"a\ud800"',
    "hypotheses": r'["\ud800"]',
    "items": r'"\ud800.csv"',
    "conditions": r'{"\ud800": {}}',
    "settings": r'{topic: "\udfff"}',
}


@pytest.mark.parametrize("key", HALF_CHARACTERS)
def test_half_a_character_anywhere_in_a_plan_is_refused(key: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(f"protocol: debate\n{key}: {HALF_CHARACTERS[key]}\n")
    with pytest.raises(InputError, match="half a character"):
        read_plan(path)


def test_a_plan_of_over_1_mb_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(b"#" * 1_000_001)
    with pytest.raises(InputError, match="give a file of at most 1,000,000 bytes"):
        read_plan(path)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("repeat", 3, "repeat = 3: unknown key; did you mean repeats?"),
        ("protocol", "debbate", "protocol = 'debbate': choose one of debate"),
        ("name", "My Plan", "name = 'My Plan'"),
        ("repeats", 0, "repeats = 0"),
        ("repeats", True, "repeats = True: must be a whole number"),
        ("repeats", "2", "repeats = '2': must be a whole number"),
        ("cap", {"cost": float("inf")}, "cap.cost = inf: must be a finite number"),
        ("arms", ["singel"], "arms.0 = 'singel'"),
        ("until", {"net": {}}, "give one of above, below, either"),
        ("items", {"task": "hiden_profile"}, "did you mean hidden_profile?"),
        ("items", [], "items = []: give at least one"),
        (
            "items",
            [{"id": "a", "topic": "x"}, {"id": "A", "topic": "y"}],
            "must differ from the other names by more than case",
        ),
        ("items", [{"topic": "x", "truht": "y"}], "did you mean truth?"),
        ("items", "nowhere.csv", "cannot be read"),
        ("conditions", {"a": {}, "A!": {}}, "must differ from the other names by more than case"),
        ("cap", {"call": 3}, "did you mean calls?"),
        ("registered", "here", "registered = 'here'"),
        ("settings", {"seed": 3}, "settings.seed = 3: each run gets its own seed"),
        ("factors", {"seed": [1, 2]}, "factors.seed = [1, 2]: each run gets its own seed"),
        (
            "items",
            [{"topic": "x", "options": {"A": "B", "B": "A"}, "truth": "A"}],
            "truth = 'A': fits several options (A, B)",
        ),
        (
            "items",
            [{"topic": "x", "truth": True}],
            "truth = True: an answer is an option or a number; put",
        ),
        ("items", [{"topic": "x", "options": ["p", "q"], "truth": "r"}], "truth = 'r': must be one of the options"),
        ("items", [{"topic": "x", "options": ["p"] * 27}], "options = 27: a list has at most 26 options (A to Z)"),
    ],
)
def test_what_a_plan_cannot_say_is_refused_with_key_value_and_remedy(key: str, value: Any, told: str) -> None:
    with pytest.raises(InputError) as error:
        parse_plan(SMALL | {key: value})
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert str(error.value).count(f"{key} = ") <= 1


@pytest.mark.parametrize(
    ("primary", "told"),
    [
        ("nett", "with arms it must be one of net, net_money, net_tokens, net_calls, talking"),
        ("talking", "this needs the arm vote"),
    ],
)
def test_what_decides_is_a_comparison_that_is_made(primary: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        parse_plan(SMALL | {"arms": ["single", "samples"], "primary": primary})
    assert parse_plan(SMALL | {"primary": primary}).primary == primary, "without arms it is a measure of the report"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"conditions": {"loud": {"max_turn": 2}}}, "max_turn = 2: unknown key; did you mean max_turns?"),
        ({"factors": {"max_turns": [2, 99]}}, "max_turns = 99"),
        ({"swap": "order"}, "swap = 'order': the seats of debate have a fixed order"),
        ({"swap": "options"}, "this debate has no options to reverse"),
        ({"items": [{"topic": "x", "options": ["a"]}]}, "answer: option needs two options or more"),
        (
            {"protocol": "justice", "items": [{"id": "x", "options": ["a", "b"]}]},
            "justice has no such input; leave it out",
        ),
    ],
)
def test_what_no_run_could_be_given_is_refused_before_any_is_begun(given: dict[str, Any], told: str) -> None:
    plan = parse_plan(SMALL | given)
    with pytest.raises(InputError) as error:
        [build_talk_request(plan, plan_run) for plan_run in plan_runs(plan)]
    assert told in str(error.value)


def test_items_come_from_a_list_a_jsonl_file_or_a_csv_file_alike(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text('{"id": "a", "topic": "x", "options": ["p", "q"], "truth": "p"}\n\n')
    (tmp_path / "items.csv").write_text("id,topic,options,truth\na,x,p; q,p\n")
    (tmp_path / "plan.yaml").write_text(
        "name: n\nprotocol: debate\nitems: [{id: a, topic: x, options: [p, q], truth: p}]\n"
    )
    plans = [read_plan(tmp_path / "plan.yaml")]
    plans += [
        parse_plan({"name": "n", "protocol": "debate", "items": f"items.{kind}"}, tmp_path) for kind in ("jsonl", "csv")
    ]
    assert len({plan.hash for plan in plans}) == 1


def test_ids_seats_and_answers_that_are_numbers_are_taken_as_texts() -> None:
    told = {"id": 0, "topic": "x", "options": {1: "ten", 2: "20"}, "truth": 20, "private": {2: "You know it."}}
    (item,) = parse_plan(SMALL | {"items": [told]}).items
    assert (item.id, item.right_options, item.private) == ("0", ["2"], {"2": "You know it."})


def test_conditions_share_the_seed_of_an_item_and_repeat_and_runs_are_named_by_place() -> None:
    plan = parse_plan(SMALL | {"factors": {"max_turns": [2, 4], "profile": ["classic", "ethical"]}, "repeats": 2})
    found = plan_runs(plan)
    assert len({one.run for one in found}) == len(found) == 2 * 2 * 3 * 2
    assert found[0].run == "cars-2-classic-1-r1"
    assert found[0].condition.label == "max_turns=2, profile=classic"
    by_unit = {(one.item.id, one.repeat): one.seed for one in found}
    assert len(set(by_unit.values())) == 6
    assert all(one.seed == by_unit[one.item.id, one.repeat] for one in found)
    assert {build_talk_request(plan, one).settings.seed for one in found} == set(by_unit.values())


def test_what_was_drawn_stays_where_items_and_repeats_are_added() -> None:
    given = {"conditions": {"a": {}, "b": {"max_turns": 2}}, "assignment": "random", "repeats": 2}
    few, more = (
        parse_plan(SMALL | given),
        parse_plan(SMALL | given | {"items": [*SMALL["items"], "Why?"], "repeats": 5}),
    )
    assert {(plan_run.run, plan_run.seed) for plan_run in plan_runs(few)} <= {
        (plan_run.run, plan_run.seed) for plan_run in plan_runs(more)
    }


@pytest.mark.parametrize(("items", "repeats"), [(9, 3), (1, 12), (6, 6), (4, 2)])
def test_random_assignment_puts_each_item_into_one_condition_a_repeat_and_is_balanced(items: int, repeats: int) -> None:
    cells = {"a": {}, "b": {"max_turns": 2}, "c": {"max_turns": 4}}
    given = {"items": [f"Topic {n}?" for n in range(items)], "repeats": repeats, "conditions": cells}
    found = plan_runs(parse_plan(SMALL | given | {"assignment": "random"}))
    assert len(found) == items * repeats
    for repeat in range(1, repeats + 1):
        counts = Counter(one.condition.label for one in found if one.repeat == repeat)
        assert max(counts.values()) - min(counts[cell] for cell in cells) <= 1
    if repeats % 3 == 0:
        assert set(Counter((one.item.id, one.condition.label) for one in found).values()) == {repeats // 3}


def test_swapped_sides_exchange_models_and_personas_and_nothing_else() -> None:
    seats = [{"name": "Ann", "model": "rehearsal"}, {"name": "Ben", "model": "openai:x@http://localhost:1/v1"}]
    plan = parse_plan(SMALL | {"items": ["Ban cars?"], "settings": {"participants": seats}, "swap": ["sides"]})
    plain, turned = (build_talk_request(plan, plan_run) for plan_run in plan_runs(plan))
    before, _ = seat_two_sides(plain.input["participants"], {}, plain.settings)
    after, _ = seat_two_sides(turned.input["participants"], {}, turned.settings)
    assert [one.name for one in after] == ["Ann", "Ben"]
    assert [(one.persona, one.model) for one in after] == [(one.persona, one.model) for one in before][::-1]
    assert "optimist" in after[1].role
    assert "for the motion" not in after[1].role
    assert turned.settings == plain.settings


def test_swapped_order_reverses_the_seats_each_with_its_own_persona() -> None:
    plan = parse_plan({"name": "n", "protocol": "consensus", "items": ["Why?"], "swap": ["order"]})
    plain, turned = (build_talk_request(plan, plan_run) for plan_run in plan_runs(plan))
    from moot.nodes.consensus.seats import seat_group

    before, _ = seat_group(plain.input.get("participants", []), {}, plain.settings)
    after, _ = seat_group(turned.input["participants"], {}, turned.settings)
    assert [(one.name, one.persona, one.role) for one in after] == [
        (one.name, one.persona, one.role) for one in reversed(before)
    ]


def test_a_changed_plan_is_refused_by_the_first_key_that_differs_but_may_grow() -> None:
    base = parse_plan(SMALL | {"cap": {"calls": 10}})
    more = parse_plan(SMALL | {"cap": {"calls": 20}, "items": [*SMALL["items"], "Why?"], "repeats": 2})
    assert [addition.partition(":")[0] for addition in list_additions(base, more)] == ["items", "repeats", "cap"]
    for change, key in [({"seed": 2}, "seed"), ({"items": ["Ban cars?"]}, "items"), ({"cap": {"calls": 5}}, "cap")]:
        with pytest.raises(InputError) as error:
            list_additions(base, parse_plan(SMALL | {"cap": {"calls": 10}} | change))
        assert error.value.key == key


def test_an_items_options_are_the_runs_and_swapped_they_are_shown_the_other_way_round() -> None:
    items = [{"topic": "Tea?", "options": ["tea", "coffee"], "truth": "tea"}]
    plan = parse_plan(SMALL | {"items": items, "swap": "options"})
    plain, turned = (build_talk_request(plan, plan_run).settings for plan_run in plan_runs(plan))
    assert list(plain.options.items()) == [("A", "tea"), ("B", "coffee")]
    assert list(turned.options.items()) == [("B", "coffee"), ("A", "tea")]


@pytest.mark.parametrize(
    ("answer", "truth", "right"),
    [
        ({"answer": "A", "text": "tea", "tied": []}, "Tea", 1),
        ({"answer": "A", "text": "tea", "tied": []}, "a", 1),
        ({"answer": "A", "text": "tea", "tied": []}, "coffee", 0),
        ({"answer": "", "text": "", "tied": ["A", "B"]}, "tea", 0.5),
        (None, "tea", 0),
    ],
)
def test_an_answer_is_right_by_id_or_text_and_a_tie_counts_by_its_share(answer: Any, truth: str, right: float) -> None:
    rules = {"protocol": "debate", "answer": "option", "options": {"A": "tea", "B": "coffee"}}
    assert score_run({"runAnswer": answer, "settings": rules}, truth) == right


def test_every_protocol_has_a_plan_that_can_be_drawn() -> None:
    for name in ("debate", "consensus", "discussion", "panel", "justice"):
        items = {"items": ["Why?"]} if get_protocol(name).topic_key else {}
        plan = parse_plan({"name": "n", "protocol": name, **items})
        assert [build_talk_request(plan, plan_run).settings.protocol for plan_run in plan_runs(plan)] == [name]
