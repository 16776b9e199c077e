"""Running an experiment: every run ends once, calls stay within the cap, a changed plan is refused."""

import csv
import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import apart, document, killed, listed, moot
from fakeserver import FakeServer, Fault, echo_by_hash
from fakeserver.record import EMBED
from sampling import sample_cases

PLAN: dict[str, Any] = {
    "name": "cars",
    "protocol": "debate",
    "settings": {"max_turns": 4, "dynamic_termination": False},
    "items": ["Ban cars?", "Tax sugar?"],
    "conditions": {"plain": {}, "short": {"max_turns": 2}},
}
CALLS = 2 * (5 + 3)
"""Statements and syntheses of the plan above."""


def written(folder: Path, **changes: Any) -> Path:
    """The plan in a file, with changes."""
    path = folder / f"{changes.get('name', PLAN['name'])}.yaml"
    path.write_text(yaml.safe_dump(PLAN | changes))
    return path


def on(server: FakeServer, **settings: Any) -> dict[str, Any]:
    """Settings of runs whose model is this server's."""
    return PLAN["settings"] | {"model": f"openai:fake@{server.url}", "retry_delays": [0]} | settings


def statuses(name: str = "cars", **place: str) -> dict[str, Any]:
    return document("experiment", "status", name, **place)


@pytest.mark.long
def test_an_experiment_runs_to_its_end_and_a_second_run_asks_nobody(tmp_path: Path) -> None:
    with FakeServer() as server:
        plan = written(tmp_path, settings=on(server), repeats=2)
        output = moot("experiment", "run", plan)
        assert output.exit_code == 0, output.stderr
        assert "8/8 cars-" in output.stdout
        assert len(server.chats) == 2 * CALLS
        again = moot("experiment", "run", "cars")
        assert again.exit_code == 0, again.stderr
        assert len(server.chats) == 2 * CALLS
    codes = statuses()
    assert [(condition["condition"], condition["planned"], condition["done"]) for condition in codes["conditions"]] == [
        ("plain", 4, 4),
        ("short", 4, 4),
    ]
    assert codes["calls"] == 2 * CALLS
    runs = {run["run"]: document("show", run["run"]) for run in listed()}
    assert sorted(runs) == sorted(f"cars-{c}-{i}-r{r}" for c in ("plain", "short") for i in (1, 2) for r in (1, 2))
    seeds = {(run["item"], run["repeat"], run["seed"]) for run in runs.values()}
    assert len(seeds) == 4, "an item's repeat has one seed under every condition"
    assert {run["experiment"] for run in runs.values()} == {"cars"}


@pytest.mark.long
def test_killed_in_its_midst_and_run_again_every_run_ends_exactly_once(tmp_path: Path) -> None:
    with FakeServer(reply=echo_by_hash) as server:
        whole = written(tmp_path, name="whole", settings=on(server))
        assert moot("experiment", "run", whole).exit_code == 0
        before = len(server.chats)
        plan = written(tmp_path, settings=on(server))
        process = apart(["experiment", "run", plan, "--jobs", "3"])
        server.wait_for(before + 6, within=60)
        server.hold()
        killed(process)
        server.release()
        paid = len(server.chats) - before
        output = moot("experiment", "run", plan, "--json")
        assert output.exit_code == 0, output.stderr
        assert [condition["done"] for condition in json.loads(output.stdout)["conditions"]] == [2, 2]
        assert len(server.chats) - before <= CALLS + 3, "no more is asked anew than was under way"
        assert paid >= 3
    for run in listed():
        if run["run"].startswith("cars"):
            first, second = document("show", run["run"]), document("show", run["run"].replace("cars", "whole", 1))
            assert [turn["content"] for turn in first["turns"]] == [turn["content"] for turn in second["turns"]]
            assert first["synthesis"] == second["synthesis"]


CAPS: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = [
    ({"calls": 12}, {"calls": 4}),
    ({"tokens": 20_000}, {"tokens": 9_000}),
    ({"cost": 0.02}, {"cost": 0.009}),
    ({"calls": 11, "tokens": 40_000}, {"calls": 3, "tokens": 12_000}),
]


@pytest.mark.long
@pytest.mark.parametrize(("cap", "own"), sample_cases(CAPS, kinds=0, share=2), ids=str)
@pytest.mark.parametrize("faulty", [False, True], ids=["answering", "timing out"])
def test_a_cap_over_all_runs_is_never_passed(
    cap: Mapping[str, Any], own: Mapping[str, Any], faulty: bool, tmp_path: Path
) -> None:
    faults = {number: Fault.drop() for number in (2, 5)} if faulty else {}
    with FakeServer(faults=faults) as server:
        prices = {"input": 1, "output": 1}
        plan = written(tmp_path, settings=on(server, budget=dict(own), prices=prices), cap=dict(cap), repeats=3)
        first = moot("experiment", "run", plan)
        assert first.exit_code == 3, first.stdout
        assert "what is left is too little for another run" in first.stderr
        moot("experiment", "run", plan)
        spent = server.spent["prompt"] + server.spent["completion"]
        assert len(server.chats) <= cap.get("calls", 10**9)
        assert spent <= cap.get("tokens", 10**9)
        assert spent / 1e6 <= cap.get("cost", 10**9)
        codes = statuses()
        assert codes["calls"] >= len(server.chats)
        assert codes["tokens"] >= spent
        assert sum(condition["done"] + condition["failed"] for condition in codes["conditions"])


def test_a_run_that_does_not_fit_waits_for_those_under_way_to_give_back_what_they_did_not_need(tmp_path: Path) -> None:
    with FakeServer() as server:
        plan = written(tmp_path, settings=on(server, budget={"calls": 8}), cap={"calls": 24})
        output = moot("experiment", "run", plan, "--jobs", "4")
        assert output.exit_code == 0, output.stderr
        assert len(server.chats) <= 24
    assert [(condition["done"], condition["waiting"]) for condition in statuses()["conditions"]] == [(2, 0), (2, 0)]


@pytest.mark.long
def test_what_a_killed_process_was_about_to_spend_counts_as_spent(tmp_path: Path) -> None:
    with FakeServer() as server:
        plan = written(tmp_path, settings=on(server, budget={"calls": 6}), cap={"calls": 60}, items=["Why?"])
        server.hold()
        process = apart(["experiment", "run", plan, "--jobs", "2"])
        server.wait_for(2, within=60)
        killed(process)
        server.release()
        assert statuses()["calls"] == 2
        assert moot("experiment", "run", plan).exit_code == 0
        assert statuses()["calls"] == len(server.chats) == 2 + 5 + 3


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"cap": {"calls": 40}}, "settings.budget.calls = None: with cap.calls, each run needs its own cap"),
        ({"cap": {"calls": 40}}, "10 would do for 4 runs"),
        ({"cap": {"calls": 3}}, "raise cap.calls to at least 4"),
        ({"cap": {"calls": 4}, "settings": {"budget": {"calls": 5}}}, "one run alone may exceed cap.calls = 4"),
        ({"cap": {"lookups": 4}}, "cap.lookups"),
    ],
)
def test_runs_without_a_cap_of_their_own_beside_one_on_all_are_refused(
    changes: dict[str, Any], told: str, tmp_path: Path
) -> None:
    output = moot("experiment", "check", written(tmp_path, **changes))
    assert (output.exit_code, output.stdout) == (2, "")
    assert told in output.stderr


@pytest.mark.parametrize("measure", ["rihgt", "right"], ids=["mistyped", "without a right answer"])
def test_a_comparison_in_a_measure_that_no_run_has_is_refused(measure: str, tmp_path: Path) -> None:
    output = moot("experiment", "check", written(tmp_path, compare={"measure": measure, "pairs": "all"}))
    assert output.exit_code == 2
    text = (
        f"compare.measure = '{measure}': no run has this measure; choose one of right, agreement, statements, calls, "
    )
    assert text in output.stderr


@pytest.mark.parametrize("lookups", [200, None])
def test_a_cap_on_all_runs_leaves_the_look_ups_of_each_run_to_its_own_cap(lookups: int | None, tmp_path: Path) -> None:
    settings = PLAN["settings"] | {"model": "rehearsal", "budget": {"calls": 8, "lookups": lookups}}
    checked = moot("experiment", "check", written(tmp_path, settings=settings, cap={"calls": 40}))
    assert checked.exit_code == 0, checked.stderr


@pytest.mark.parametrize(
    ("protocol", "settings", "item"),
    [
        ("debate", {"positions": "ends"}, {"topic": "Tea?"}),
        ("consensus", {}, {"topic": "Tea?", "options": ["for", "none"]}),
        ("justice", {}, {}),
    ],
)
def test_a_truth_is_refused_where_no_run_would_answer(
    protocol: str, settings: dict[str, Any], item: dict[str, Any], tmp_path: Path
) -> None:
    items = [{"id": "a", "truth": "for", **item}]
    plan = written(tmp_path, protocol=protocol, settings=settings, items=items, conditions={})
    output = moot("experiment", "check", plan)
    assert output.exit_code == 2
    assert "items.a.truth = 'for': these runs give no answer that could be right; give the item" in output.stderr


SEATS = [{"name": one} for one in ("Ada", "Bo", "Cy")]
NO_OPENING = [
    ("debate", {"participants": SEATS}, {}, "must be two names: the first argues for, the second against"),
    ("consensus", {"participants": SEATS[:2]}, {}, "participants = ['Ada', 'Bo']"),
    ("discussion", {"max_turns": None}, {}, "a session without people never ends by itself"),
    ("debate", {}, {"private": {"Nobody": "It was I."}}, "private.Nobody = 'It was I.': no participant has this name"),
]


@pytest.mark.long
@pytest.mark.parametrize(("protocol", "settings", "item", "told"), NO_OPENING, ids=str)
@pytest.mark.parametrize("command", ["check", "run"])
def test_a_plan_with_a_talk_that_could_not_begin_is_refused_whole_and_not_entered(
    command: str, protocol: str, settings: dict[str, Any], item: dict[str, Any], told: str, tmp_path: Path
) -> None:
    moot("debate", "Tea?", "--max-turns", "2", "--model", "rehearsal")
    cells = {"plain": {}, "not so": settings}
    plan = {"protocol": protocol, "settings": {"model": "rehearsal", "max_turns": 4}, "conditions": cells}
    output = moot("experiment", command, written(tmp_path, **plan, items=["Why?", {"topic": "Who?", **item}]))
    assert (output.exit_code, output.stdout) == (2, "")
    assert told in output.stderr
    assert "has no such experiment" in moot("experiment", "status", "cars").stderr
    assert len(listed()) == 1


def test_a_plan_that_grows_by_an_item_that_could_not_begin_is_refused_and_stays_as_it_was(tmp_path: Path) -> None:
    settings = {"model": "rehearsal", "max_turns": 2}
    assert moot("experiment", "run", written(tmp_path, settings=settings)).exit_code == 0
    before = statuses()
    more = [*PLAN["items"], {"topic": "Who?", "private": {"Nobody": "It was I."}}]
    output = moot("experiment", "run", written(tmp_path, settings=settings, items=more))
    assert output.exit_code == 2
    assert "no participant has this name; choose one of CON, PRO" in output.stderr
    assert statuses() == before


def test_the_last_row_of_a_check_is_no_condition_and_no_label_is_cut(tmp_path: Path) -> None:
    settings = {"model": "rehearsal", "max_turns": 2}
    plan = written(tmp_path, settings=settings, items=["Why?"], conditions={}, repeats=3)
    rows = [line.split() for line in moot("experiment", "check", plan).stdout.splitlines()]
    assert [row[:3] for row in rows[-4:-2]] == [["all", "3", "1"], ["total", "3", "1"]]
    assert rows[-2][:2] == ["at", "most"]
    cells = {"x" * 45: {}, f"{'x' * 45}y": {"max_turns": 4}}
    output = moot("experiment", "check", written(tmp_path, settings=settings, items=["Why?"], conditions=cells)).stdout
    assert ("…" in output, "y" in output.partition("money")[2].partition("Ranges")[0]) == (False, True)


@pytest.mark.long
def test_a_check_of_arms_names_each_row_and_column_at_80_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    settings = {"model": "rehearsal", "max_rounds": 1, "prices": {"input": 1, "output": 2}}
    items = [{"topic": f"Is it {number}?", "options": ["yes", "no"], "truth": "yes"} for number in range(40)]
    plan = {"protocol": "consensus", "conditions": {}, "arms": ["written", "notes", "rethought", "samples", "think"]}
    output = moot("experiment", "check", written(tmp_path, settings=settings, items=items, **plan)).stdout
    assert ["condition", "runs", "items", "calls", "tokens", "money"] in [line.split() for line in output.splitlines()]
    for arm in plan["arms"]:
        assert f" all, {arm} " in output


def test_a_report_has_what_a_methods_section_needs(tmp_path: Path) -> None:
    settings = {"model": "rehearsal", "temperature": 0.4}
    plan = written(
        tmp_path, settings=settings, items=["Why?"], conditions={}, factors={"max_turns": [2, 4]}, margin=0.1
    )
    assert moot("experiment", "run", plan).exit_code == 0
    assert moot("experiment", "report", "cars", "-o", tmp_path / "cars.md").exit_code == 0
    page = (tmp_path / "cars.md").read_text("utf-8")
    for fact in (
        "- last statement: 20",
        "- temperatures: statements (statement) 0.4; synthesis (synthesis) 0.3",
        "- level of tests, α: 0.05",
        "- margin, points: 10",
    ):
        assert fact in page
    assert "- conditions: max_turns=2 (max_turns: 2); max_turns=4 (max_turns: 4)" in page
    assert "The plan declares no primary measure or comparison" in page


@pytest.mark.long
def test_a_changed_plan_is_refused_by_its_first_key_that_differs_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    rehearsed = PLAN["settings"] | {"model": "rehearsal"}
    assert moot("experiment", "run", written(tmp_path, settings=rehearsed)).exit_code == 0
    output = moot("experiment", "run", written(tmp_path, settings=rehearsed, seed=3))
    assert output.exit_code == 2
    assert "seed = 3: differs from the plan cars that has started" in output.stderr
    report = json.loads(moot("experiment", "run", written(tmp_path, settings=rehearsed, seed=3), "--json").stdout)
    assert report["error"].startswith("seed = 3: differs from the plan")
    assert report["name"] == "cars"
    unread = moot("experiment", "run", tmp_path / "none.yaml", "--json")
    assert list(json.loads(unread.stdout)) == ["error"]
    more = written(tmp_path, settings=rehearsed, repeats=2, items=[*PLAN["items"], "Why?"])
    assert moot("experiment", "run", more).exit_code == 0
    assert [condition["done"] for condition in statuses()["conditions"]] == [6, 6]


def test_a_failed_run_stays_and_is_tried_again_only_when_asked(tmp_path: Path) -> None:
    with FakeServer(faults={number: Fault.status(500) for number in range(1, 40)}) as server:
        plan = written(tmp_path, settings=on(server, max_attempts=1, on_outage="skip"), items=["Why?"], conditions={})
        lost = moot("experiment", "run", plan, "--json")
        assert lost.exit_code == 3
        assert "every run failed" in lost.stderr
        report = json.loads(lost.stdout)
        assert "every run failed" in report["error"]
        assert [condition["failed"] for condition in report["conditions"]] == [1]
        chat_count = len(server.chats)
    codes = statuses()
    assert [condition["failed"] for condition in codes["conditions"]] == [1]
    assert codes["remarks"][0]["what"]
    with FakeServer(port=server.port) as mended:
        assert moot("experiment", "run", plan).exit_code == 0
        assert not mended.chats
        assert moot("experiment", "run", plan, "--retry-failed").exit_code == 0
        assert mended.chats
    assert [condition["done"] for condition in statuses()["conditions"]] == [1]
    assert statuses()["calls"] == chat_count + len(mended.chats)


@pytest.mark.parametrize("record", ["{half", "words", "[1]", "{}"])
def test_a_damaged_experiment_is_told_in_one_line(record: str, tmp_path: Path) -> None:
    plan = written(tmp_path, items=["Why?"], conditions={})
    assert moot("experiment", "run", plan).exit_code == 0
    with closing(sqlite3.connect(tmp_path / "moot.db")) as connection, connection:
        connection.execute("UPDATE moot_experiments SET about = ?", [record])
    for words in (["run", plan], ["status", "cars"], ["export", "cars", "-o", tmp_path / "data"]):
        output = moot("experiment", *words)
        assert output.exit_code == 2, words
        assert output.stderr.startswith("moot: experiment = 'cars': the saved record of this run cannot be read (")
        assert output.stderr.count("\n") == 1


def test_a_run_that_is_tried_again_and_ends_earlier_verifies(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with FakeServer(reply=lambda _: "no") as server:
        settings = on(server, max_turns=4, budget={"calls": 9})
        plan = written(tmp_path, settings=settings, items=["Why?"], conditions={}, cap={"calls": 90})
        assert moot("experiment", "run", plan).exit_code == 3
        server.reply = echo_by_hash
        assert moot("experiment", "run", plan, "--retry-failed").exit_code == 0
    (run,) = [row["run"] for row in listed()]
    retried = document("show", run)
    assert retried["turns"] == []
    assert {call["turn"] for call in retried["calls"]} == {1, 2, 3}, "the first attempt got further"
    assert moot("experiment", "export", "cars", "-o", folder).exit_code == 0
    verified = moot("experiment", "verify", folder)
    assert verified.exit_code == 0, verified.output


def test_a_run_that_was_deleted_is_no_result_and_is_made_anew_when_asked_and_both_are_paid(tmp_path: Path) -> None:
    with FakeServer() as server:
        plan = written(tmp_path, settings=on(server, budget={"calls": 5}), items=["Why?"], cap={"calls": 20})
        assert moot("experiment", "run", plan).exit_code == 0
        assert moot("delete", "cars-short-1-r1", "--yes").exit_code == 0
        assert moot("experiment", "report", "cars", "-o", tmp_path / "cars.html").exit_code == 0
        page = (tmp_path / "cars.html").read_text("utf-8")
        assert "1 of 2 deliberations failed (stopped 1). They are left out." in page
        codes = statuses()
        assert [(condition["done"], condition["failed"]) for condition in codes["conditions"]] == [(1, 0), (0, 1)]
        assert {"run": "cars-short-1-r1", "state": "failed", "what": "it was deleted"} in codes["remarks"]
        assert moot("experiment", "run", plan, "--retry-failed").exit_code == 0
        assert document("show", "cars-short-1-r1")["terminationReason"] == "max_turns_reached", "with its whole budget"
        (remark,) = statuses()["remarks"]
        assert (remark["state"], remark["what"]) == ("deleted", "its spending stays counted")
        assert statuses()["calls"] == len(server.chats) == 5 + 3 + 3


def test_a_key_that_is_refused_stops_the_experiment_resumable_and_says_how_to_go_on(tmp_path: Path) -> None:
    with FakeServer(faults={number: Fault.status(401) for number in range(1, 9)}) as server:
        output = moot("experiment", "run", written(tmp_path, settings=on(server), repeats=4))
        assert output.exit_code == 3
        assert "Continue: " in output.stderr
        assert "experiment run cars" in output.stderr
        assert len(server.chats) <= 8, "what every run would meet is not tried with every run"


def test_what_a_run_that_stopped_had_spent_is_counted_without_a_cap_too(tmp_path: Path) -> None:
    with FakeServer(faults={3: Fault.status(401)}) as server:
        plan = written(tmp_path, settings=on(server), items=["Why?"], conditions={})
        assert moot("experiment", "run", plan).exit_code == 3
    codes = statuses()
    assert (codes["conditions"][0]["stopped"], codes["calls"]) == (1, 2)


def test_an_endpoint_is_used_no_harder_than_the_plan_says(tmp_path: Path) -> None:
    with FakeServer(latency=0.02) as server:
        settings = on(server)
        limits = {settings["model"]: {"concurrent": 2}}
        assert moot("experiment", "run", written(tmp_path, settings=settings, limits=limits), "-j", "4").exit_code == 0
        assert server.peak <= 2
        assert len(server.chats) == CALLS


def test_what_one_is_told_alone_stands_in_no_other_prompt(tmp_path: Path) -> None:
    with FakeServer() as server:
        items = [{"topic": "Who did it?", "private": {"CON": "Note 417: it was the butler."}}]
        plan = written(tmp_path, settings=on(server), items=items, conditions={})
        assert moot("experiment", "run", plan).exit_code == 0
        counts = Counter("You are CON" in one.text or "CON," in one.text for one in server.seen("Note 417"))
        assert len(server.seen("Note 417")) == 2, "each of its two turns, and nobody else's"
        assert counts
        for one in server.seen("Note 417"):
            shared, _, own = one.text.partition("<private>")
            assert "Note 417" not in shared
            assert "Known to you alone:\nNote 417: it was the butler.\n</private>" in own
    assert document("show", "cars-all-1-r1")["participants"][1]["private"] == "Note 417: it was the butler."


@pytest.mark.long
def test_requests_for_vectors_keep_to_the_limits_of_their_endpoint_and_count_before_they_are_made(
    tmp_path: Path,
) -> None:
    with FakeServer(latency=0.05) as server:
        spec = f"openai:any@{server.url}"
        settings = {"model": "rehearsal", "convergence": "embedding", "embeddings": spec, "max_rounds": 2}
        own = {"protocol": "consensus", "conditions": {}, "limits": {spec: {"concurrent": 1}}, "repeats": 2}
        assert moot("experiment", "run", written(tmp_path, settings=settings, **own)).exit_code == 0
        assert len(server.embeds) > 2
        assert server.peak == 1
        server.hold()
        capped = {"settings": settings | {"budget": {"calls": 90}}, "cap": {"calls": 100}, "items": ["Why?"]}
        plan = written(tmp_path, name="held", **(own | capped | {"repeats": 1}))
        before = len(server.embeds)
        process = apart(["experiment", "run", plan])
        server.wait_for(before + 1, EMBED, within=60)
        killed(process)
        server.release()
    report = document("show", "held-all-1-r1")
    assert statuses("held")["calls"] == len(report["calls"]) + 1, "the one under way, of which the record knows nothing"


@pytest.mark.long
def test_a_run_that_is_resumed_by_itself_spends_of_the_cap_of_its_experiment(tmp_path: Path) -> None:
    with FakeServer() as server:
        given = {"settings": on(server, budget={"calls": 6}), "items": ["Why?"], "conditions": {}}
        plan = written(tmp_path, cap={"calls": 12}, **given)
        server.hold()
        process = apart(["experiment", "run", plan])
        server.wait_for(1, within=60)
        killed(process)
        server.release()
        assert moot("resume", "cars-all-1-r1").exit_code == 0
        codes = statuses()
        assert [(condition["done"], condition["stopped"]) for condition in codes["conditions"]] == [(1, 0)]
        assert codes["calls"] == len(server.chats) == 1 + 5
    with FakeServer(port=server.port, faults={1: Fault.status(401)}) as again:
        assert (
            moot("experiment", "run", written(tmp_path, cap={"calls": 13}, **given, repeats=3), "-j", "1").exit_code
            == 3
        )
        assert [(condition["done"], condition["stopped"]) for condition in statuses()["conditions"]] == [(2, 1)]
        (remark,) = statuses()["remarks"]
        chat_count = len(again.chats)
        output = moot("resume", remark["run"])
        assert output.exit_code == 3
        assert "cap = {'calls': 13} of cars: what is left is too little for this run" in output.stderr
        assert len(again.chats) == chat_count


def test_a_run_that_is_refused_midway_or_before_has_stopped_keeps_what_it_spent_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = dict.fromkeys((2, 3, 4), Fault.status(401))  # three stops in a row, so the fourth run does not begin
    with FakeServer(faults=refusals) as server, FakeServer() as fake_server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        given = {"settings": on(server) | {"model": "openai:any"}, "items": list("ABCD"), "conditions": {}}
        plan = written(tmp_path, **given)
        assert moot("experiment", "run", plan, "--jobs", "1").exit_code == 3
        assert len(listed()) == 3
        spent, done = statuses()["calls"], statuses()["conditions"][0]["done"]
        monkeypatch.setenv("OPENAI_BASE_URL", fake_server.url)
        output = moot("experiment", "run", plan)
        said = f"must be {server.url}, as at the start of the experiment; set it as before"
        assert (output.exit_code, said in output.stdout + output.stderr) == (3, True)
        assert (statuses()["calls"], len(fake_server.chats)) == (spent, 0)
        assert (statuses()["conditions"][0]["failed"], statuses()["conditions"][0]["done"]) == (0, done)
        assert len(listed()) == 3
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert moot("experiment", "run", plan).exit_code == 0
        assert statuses()["conditions"][0]["done"] == 4


@pytest.mark.long
def test_lost_calls_do_not_use_up_a_run_s_cap_on_calls_and_the_cap_on_all_runs_holds(tmp_path: Path) -> None:
    with FakeServer(faults={2: Fault.stall(after=2)}) as server:
        given = {"settings": on(server, budget={"calls": 5}), "items": ["Why?"], "conditions": {}}
        process = apart(["experiment", "run", written(tmp_path, cap={"calls": 5}, **given)])
        server.wait_for(2, within=60)
        killed(process)
        assert moot("experiment", "run", written(tmp_path, cap={"calls": 5}, **given)).exit_code == 3
        assert len(server.chats) == 2, "one lost call and five more would exceed the cap on all runs"
        assert moot("experiment", "run", written(tmp_path, cap={"calls": 6}, **given)).exit_code == 0
        codes = statuses()
        assert (codes["conditions"][0]["done"], codes["calls"]) == (1, len(server.chats)) == (1, 6)
        report = document("show", listed()[0]["run"])
        assert (report["lostRequests"], len(report["turns"])) == (1, 4)
        assert moot("experiment", "export", "cars", "-o", tmp_path / "data").exit_code == 0
        (row,) = csv.DictReader((tmp_path / "data" / "runs.csv").read_text("utf-8").splitlines())
        assert int(row["input_tokens"]) + int(row["output_tokens"]) == report["totalTokens"]
        calls = list(csv.DictReader((tmp_path / "data" / "calls.csv").read_text("utf-8").splitlines()))
        assert (len(calls), [call["outcome"] for call in calls].count("lost")) == (6, 1)


@pytest.mark.long
def test_a_run_cut_short_by_the_tokens_of_lost_calls_has_failed_and_is_made_anew_when_asked_and_both_are_paid(
    tmp_path: Path,
) -> None:
    with FakeServer(faults={2: Fault.stall(after=2)}) as server:
        settings = on(server, budget={"tokens": 15_000})
        plan = written(tmp_path, settings=settings, items=["Why?"], conditions={}, cap={"tokens": 60_000})
        process = apart(["experiment", "run", plan])
        server.wait_for(2, within=60)
        killed(process)
        failed = moot("experiment", "run", plan)
        assert "budget spent by lost calls" in failed.stderr
        codes = statuses()
        assert (codes["conditions"][0]["failed"], codes["calls"]) == (1, len(server.chats))
        assert moot("experiment", "run", plan, "--retry-failed").exit_code == 0
        codes = statuses()
        assert (codes["conditions"][0]["done"], codes["calls"]) == (1, len(server.chats))
        report = document("show", listed()[0]["run"])
        assert (report["lostRequests"], len(report["turns"])) == (0, 4)
