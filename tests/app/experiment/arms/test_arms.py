"""Arms: a talk beside what the same models answer without it, with answers planted so that every figure is known."""

import csv
import json
import math
import os
import re
import sqlite3
from collections import Counter
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import apart, document, killed, listed, moot
from fakeserver import FakeServer, Fault, echo_by_hash
from fakeserver.exchange import Request
from moot.app.experiment.forecast import list_checked_runs
from moot.app.experiment.plan import parse_plan
from moot.app.experiment.planned_runs import draw_donors, plan_runs
from moot.state.errors import InputError
from sampling import sample_cases

SEATS = ["Ada", "Ben", "Cleo"]
FIRST = {"Ada": "++--", "Ben": "+-+-", "Cleo": "--+-"}
"""Who is right on which item at first; yes is always right."""
LAST = {"Ada": "++-+", "Ben": "++-+", "Cleo": "+-++"}
"""And after the talk: five of seven wrong answers corrected, one of five right ones corrupted."""
ARMS = ["single", "vote", "samples", "alone", "noise", "informed"]
PLAN: dict[str, Any] = {
    "name": "asked",
    "protocol": "consensus",
    "settings": {"participants": SEATS, "max_rounds": 1, "dynamic_termination": False, "vote": "off"},
    "items": [{"topic": f"Is thing {place} so?", "options": ["yes", "no"], "truth": "yes"} for place in range(1, 5)],
    "arms": ARMS,
    "samples_max": 16,
    "spend": "calls",
}


def planted(request: Request) -> str:
    """Answers a question for a position as planted: alone as at first, with everything told as yes."""
    fields = (request.schema or {}).get("properties", {})
    if set(fields) != {"answer", "certainty"}:
        return echo_by_hash(request)
    who = re.search(r"You are (\w+)\.", request.text)
    item = re.search(r"Is thing (\d) so", request.text)
    assert who
    assert item
    alone = "on your own" in request.text
    held = FIRST if alone or "<statement turn" not in request.text else LAST
    right = held[who[1]][int(item[1]) - 1] == "+"
    return json.dumps({"answer": "A" if right else "B", "certainty": 70})


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(PLAN | changes, allow_unicode=True))
    return path


def on(server: FakeServer, **settings: Any) -> dict[str, Any]:
    return PLAN["settings"] | {"model": f"openai:fake@{server.url}", "retry_delays": [0]} | settings


def reported(folder: Path) -> str:
    assert moot("experiment", "report", "asked", "-o", folder / "page.html").exit_code == 0
    return unescape((folder / "page.html").read_text("utf-8"))


def accuracies(told: str) -> dict[str, float]:
    """The accuracy of each arm, as the end of a run shows it."""
    return {name: float(share) for name, share in re.findall(r"^  (\S[^█·]*?) +[█·]+ +([\d.]+) %", told, re.MULTILINE)}


@pytest.mark.long
def test_planted_answers_come_out_as_accuracy_gain_and_flips_and_first_answers_are_asked_once(tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        plan = written(tmp_path, settings=on(server))
        forecast = document("experiment", "check", plan)
        output = moot("experiment", "run", plan)
        assert output.exit_code == 0, output.stderr
        chats = [chat for chat in server.chats if "certainty" in json.dumps(chat.body)]
        spent = server.spent["prompt"] + server.spent["completion"]
    shares = accuracies(output.stdout)
    assert shares.pop("samples (up to as many calls)") == shares.pop("samples (up to as many tokens)")
    assert shares == {
        "one alone": 41.7,
        "vote": 50.0,
        "deliberation": 75.0,
        "thinking again alone": 50.0,
        "other statements": 50.0,
        "one who knows all": 50.0,
    }
    assert "corrected 71.4 % of wrong first answers and corrupted 20 % of right ones" in output.stdout
    assert "4 items are too few: even 4 of 4 can be chance (p = .12)" in output.stdout
    assert len(server.chats) <= forecast["highest"]["calls"]
    assert spent <= forecast["highest"]["input_tokens"] + forecast["highest"]["output_tokens"]
    first = [chat for chat in chats if "Is thing 1 so" in chat.text and "<statement turn" not in chat.text]
    assert len([one for one in first if "on your own" not in one.text]) == len(SEATS)
    assert [run["run"] for run in listed() if run["run"].endswith(("single", "vote"))] == []
    assert moot("experiment", "report", "asked", "-o", tmp_path / "page.html").exit_code == 0
    opening = unescape((tmp_path / "page.html").read_text("utf-8").partition("<main>")[0])
    assert '<dt>What was asked</dt><dd dir="auto">4 items, such as “Is thing 1 so' in opening
    assert "4 items × 7 ways to find the answer · " in opening
    assert [key for key in ("failed", "What it cost", "Who", "Cost") if f"{key}</dt>" not in opening] == []
    assert re.search(r'<g class="estimate marked">\s*<text[^>]*><tspan[^>]*>deliberation</tspan></text>', opening)
    assert "Exploratory: 4 items are too few" in opening
    assert ", ".join(SEATS) in opening
    row = (
        (tmp_path / "page.html")
        .read_text("utf-8")
        .partition(">net_calls (deliberation − samples (up to as many calls))</th>")[2]
    )
    assert re.findall(r"\[.*?\]", row.partition("</tr>")[0]) == ["[−100.0,\u00a0+100.0]", "[−50.0,\u00a0+100.0]"]


OWN = {
    "jury": ({"max_rounds": 1, "verdict_rule": "2-1"}, ARMS, 75.0),
    "delphi": ({"max_rounds": 2}, ARMS, 75.0),
    "council": ({}, [ARM for ARM in ARMS if ARM != "vote"], 50.0),
}
"""Where the talk itself asks everyone blind: the settings, the arms, and how often the talk is right."""


def voted(request: Request) -> str:
    """The planted answers, in the form of whatever protocol: the first ones wherever nothing was told of others."""
    fields = set((request.schema or {}).get("properties", {}))
    if not fields & {"choice", "answer"}:
        return echo_by_hash(request)
    who, item = re.search(r"You are (\w+)\.", request.text), re.search(r"Is thing (\d) so", request.text)
    assert who
    assert item
    told = "<statement turn" in request.text or "<notice>" in request.human
    held = LAST if told and "on your own" not in request.text else FIRST
    sign = "A" if held[who[1]][int(item[1]) - 1] == "+" else "B"
    said = {"choice": sign, "answer": sign, "certainty": 70, "reason": "So.", "statement": "Long enough to be one."}
    return json.dumps({key: said[key] for key in fields})


@pytest.mark.parametrize(
    "name",
    sample_cases([pytest.param(one, marks=[] if one == "delphi" else pytest.mark.long) for one in OWN], kinds=0),
)
def test_where_the_talk_asks_everyone_blind_these_answers_are_the_first_and_are_paid_once(
    name: str, tmp_path: Path
) -> None:
    more, arms, right = OWN[name]
    people = [{"name": SEAT, "persona": f"You are {SEAT}."} for SEAT in SEATS]
    with FakeServer(reply=voted) as server:
        settings = {"model": f"openai:fake@{server.url}", "retry_delays": [0], "participants": people}
        settings |= {} if name == "council" else {"dynamic_termination": False}
        plan = written(tmp_path, protocol=name, settings=settings | more, arms=arms)
        forecast = document("experiment", "check", plan)
        output = moot("experiment", "run", plan)
        assert output.exit_code == 0, output.stderr
        assert len(server.chats) <= forecast["highest"]["calls"]
    shares = accuracies(output.stdout)
    assert shares.pop("samples (up to as many calls)") == shares.pop("samples (up to as many tokens)")
    expected = {"one alone": 41.7, "vote": 50.0, "deliberation": right, "thinking again alone": 50.0}
    expected |= {"other statements": 50.0, "one who knows all": 50.0}
    assert shares == {key: share for key, share in expected.items() if key != "vote" or "vote" in arms}
    again = document("show", "asked-all-1-r1-alone")
    assert (again["totalCalls"], [position["who"] for position in again["positions"][:3]]) == (3, SEATS)
    content = "corrected 71.4 % of wrong first answers and corrupted 20 % of right ones"
    text = " ".join(output.stdout.split())
    assert (content in text) == ("wrong first answers" in text) == (name != "council"), "nobody is asked twice there"
    report = moot("experiment", "report", "asked", "-o", tmp_path / "report.html")
    assert report.exit_code == 0, report.stderr


def temperatures_sent(run: str) -> dict[str, set[float | None]]:
    """The temperatures that a run's calls were sent with, by purpose."""
    sent: dict[str, set[float | None]] = {}
    for call in document("show", run)["calls"]:
        sent.setdefault(call["purpose"], set()).add(call["temperature_sent"])
    return sent


@pytest.mark.long
def test_one_temperature_for_all_answers_leaves_that_of_statements_and_a_refused_one_is_empty(tmp_path: Path) -> None:
    changes = {"arms": ["samples"], "items": PLAN["items"][:1], "samples_max": 4}
    with FakeServer(reply=planted) as server:
        plan = written(tmp_path, settings=on(server, answer_temperature=0.2), **changes)
        assert moot("experiment", "run", plan).exit_code == 0
    sent = temperatures_sent("asked-all-1-r1")
    assert (sent["declaration"], sent["statement"]) == ({0.2}, {0.7})
    assert set().union(*temperatures_sent("asked-all-1-r1-samples").values()) == {0.2}
    with FakeServer(reply=planted, faults={1: Fault.unsupported("temperature")}) as server:
        plan = written(tmp_path, settings=on(server, answer_temperature=0.2), name="refused", **changes)
        assert moot("experiment", "run", plan, "--jobs", "1").exit_code == 0
    assert moot("experiment", "export", "refused", "-o", tmp_path / "data").exit_code == 0
    with (tmp_path / "data" / "calls.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["outcome"] == "ok"]
    assert {row["temperature_sent"] for row in rows} == {""}
    assert len(rows) > 8


def test_every_compared_answer_has_a_seed_of_its_own_and_the_temperature_of_its_participant(tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        plan = written(tmp_path, settings=on(server), arms=["samples"], items=PLAN["items"][:1], samples_max=6)
        assert moot("experiment", "run", plan).exit_code == 0
        seeds = [chat.body.get("seed") for chat in server.chats]
    sampled = document("show", "asked-all-1-r1-samples")
    talk = document("show", "asked-all-1-r1")
    drawn = [seed for seed in seeds if seed is not None]
    calls = [call for call in talk["calls"] if call["purpose"] == "declaration"]
    assert len(drawn) == len(set(drawn)) == 6 + len(calls)
    assert sampled["totalCalls"] == 6
    sent = {call["temperature_sent"] for run in (talk, sampled) for call in run["calls"] if call["who"] in SEATS}
    assert sent == {0.7}
    assert (sampled["settings"]["talk_calls"], sampled["settings"]["talk_tokens"]) == (
        talk["totalCalls"],
        talk["totalTokens"],
    )


@pytest.mark.long
def test_arms_of_a_failed_talk_run_and_its_samples_match_what_the_other_talks_spent(tmp_path: Path) -> None:
    def failing(request: Request) -> Any:
        lost = "Is thing 1 so" in request.text and "on your own" not in request.text
        return Fault.drop() if lost else planted(request)

    with FakeServer(reply=failing) as server:
        settings = on(server, max_attempts=1, on_outage="skip")
        plan = written(tmp_path, settings=settings, items=PLAN["items"][:3], arms=[*ARMS[:3], *ARMS[4:]], samples_max=9)
        output = moot("experiment", "run", plan, "--jobs", "1")
        assert output.exit_code == 0, output.stderr
    remarks = {remark["run"] for remark in document("experiment", "status", "asked")["remarks"]}
    assert remarks == {"asked-all-1-r1"}, "only the talk failed; noise showed the next talk of its cycle"
    assert accuracies(output.stdout)["deliberation"] == 33.3
    assert "1 of 3 deliberations failed (unreachable 1)." in output.stdout
    assert "Failed runs of samples (up to as many calls): 0. The difference includes their effect." in output.stdout
    others = [document("show", f"asked-all-{item}-r1") for item in (2, 3)]
    sampled = document("show", "asked-all-1-r1-samples")["settings"]
    assert sampled["talk_calls"] == sum(one["totalCalls"] for one in others) / 2
    assert sampled["talk_tokens"] == sum(one["totalTokens"] for one in others) / 2
    with sqlite3.connect(os.environ["MOOT_DB"]) as database:
        order = [run for (run,) in database.execute("SELECT run FROM moot_trials ORDER BY rowid")]
    place = order.index("asked-all-1-r1-samples")
    assert place > max(order.index(f"asked-all-{item}-r1") for item in (2, 3)), "they are drawn after all talks"
    assert moot("experiment", "export", "asked", "-o", tmp_path / "data").exit_code == 0
    rows = list(csv.DictReader((tmp_path / "data" / "arms.csv").read_text("utf-8").splitlines()))
    assert {row["arm"]: row["failed"] for row in rows if row["run"] == "asked-all-1-r1" and row["failed"]} == {
        **dict.fromkeys(("single", "vote", "talk"), "unreachable"),
    }


def test_the_first_answer_within_the_tries_counts_and_a_later_retry_changes_only_left_out(tmp_path: Path) -> None:
    asked = Counter[str]()
    lost = {"1": 3, "2": 1000}

    def failing(request: Request) -> Any:
        item = re.search(r"Is thing (\d) so", request.text)
        assert item
        asked[item[1]] += "certainty" in json.dumps(request.body)
        return Fault.status(500) if asked[item[1]] <= lost[item[1]] else planted(request)

    with FakeServer(reply=failing) as server:
        settings = on(server, max_attempts=1, on_outage="skip")
        plan = written(tmp_path, settings=settings, items=PLAN["items"][:2], arms=["vote"], attempts=2)
        output = moot("experiment", "run", plan, "--jobs", "1")
        assert accuracies(output.stdout)["deliberation"] == 50.0
        lost["2"] = 0
        output = moot("experiment", "run", plan, "--retry-failed", "--jobs", "1")
        assert output.exit_code == 0, output.stderr
    assert accuracies(output.stdout)["deliberation"] == 50.0, "it failed within its tries"
    assert {remark["state"] for remark in document("experiment", "status", "asked")["remarks"]} == set()


def test_arms_of_a_talk_that_could_not_be_begun_say_so(tmp_path: Path) -> None:
    settings = PLAN["settings"] | {"model": "nobody:knows"}
    plan = written(tmp_path, settings=settings, items=PLAN["items"][:1], arms=["samples", "informed"])
    assert moot("experiment", "run", plan).exit_code == 3
    states = {remark["run"]: remark["what"] for remark in document("experiment", "status", "asked")["remarks"]}
    text = "not run: the deliberation asked-all-1-r1 has no saved step"
    assert (states["asked-all-1-r1-samples"], states["asked-all-1-r1-informed"]) == (text, text)


def test_a_closed_experiment_counts_what_has_not_ended_as_failed_and_runs_no_more(tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        plan = written(tmp_path, settings=on(server, budget={"calls": 30}), arms=["vote"], cap={"calls": 30})
        assert moot("experiment", "run", plan, "--jobs", "1").exit_code == 3
        assert "Interim: 1 of 4 items" in reported(tmp_path)
        closed = moot("experiment", "close", "asked", "--reason", "money is spent")
        assert closed.exit_code == 0, closed.stderr
        again = moot("experiment", "run", plan)
        assert (again.exit_code, "(money is spent)" in again.stderr) == (2, True)
    page = reported(tmp_path)
    assert "Interim" not in page
    assert re.search(r"\d of them never began\. Where no arm of a deliberation began, ", page)
    assert re.search(r"A deliberation cost 1\d\.\d calls", page), "a run that did not begin has no cost to average"
    assert {remark["what"] for remark in document("experiment", "status", "asked")["remarks"]} == {"money is spent"}
    assert moot("experiment", "close", "asked").exit_code == 2


def test_with_more_samples_allowed_only_the_rest_is_drawn(tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        plan = {"settings": on(server), "arms": ["samples"], "items": PLAN["items"][:1]}
        output = moot("experiment", "run", written(tmp_path, **plan, samples_max=2))
        text = " ".join(output.stdout.split())
        assert re.search(
            r"In 1 of 1 deliberations, all samples together took only 2 calls, the deliberation \d+ calls: "
            r"[^;]+ points; no difference shown\. "
            r"For a verdict at equal calls, seal a plan with samples_max = \d+ and new items",
            text,
        )
        before = len(server.chats)
        output = moot("experiment", "run", written(tmp_path, **plan, samples_max=6))
        assert output.exit_code == 0, output.stderr
        assert len(server.chats) - before == 4
    assert document("show", "asked-all-1-r1-samples")["totalCalls"] == 6


def test_the_calls_of_arms_stay_where_those_of_their_talk_do(tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        arms = ["samples", "alone"]
        plan = written(tmp_path, settings=on(server, stay="local"), items=PLAN["items"][:1], arms=arms)
        output = moot("experiment", "run", plan)
        assert output.exit_code == 0, output.stderr
    for arm in arms:
        assert document("show", f"asked-all-1-r1-{arm}")["settings"]["stay"] == ["local"]


@pytest.mark.long
def test_each_rung_of_the_ladder_adds_one_thing_and_statements_are_asked_once(tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        settings = on(server) | {"max_rounds": 3}
        plan = written(tmp_path, settings=settings, items=PLAN["items"][:2], arms="mechanisms", samples_max=2)
        output = moot("experiment", "run", plan, "--jobs", "1")
        assert output.exit_code == 0, output.stderr
        chats = [chat for chat in server.chats if "Is thing 1 so" in chat.text and "on your own" in chat.text]
    runs = {arm: document("show", f"asked-all-1-r1-{arm}") for arm in ("written", "notes", "rethought")}
    assert {arm: len(run["turns"]) for arm, run in runs.items()} == {"written": 3, "notes": 0, "rethought": 6}
    assert {arm: len(run["positions"]) for arm, run in runs.items()} == dict.fromkeys(runs, 3)
    read = Counter(chat.text.count("<statement turn") for chat in chats)
    # statements read: none before writing, one's own before its ballot, all in notes, own later ones upon these
    assert read == {0: 3, 1: 3, 3: 3 + 3, 4: 3, 5: 3}
    assert (
        re.search(r"The \+\d+\.\d points consist of: voting \+8\.3, writing \+0\.0, exchange", output.stdout) is None
    ), "4 items only"
    page = reported(tmp_path)
    assert all(f'<th scope="row">{name} (' in page for name in ("writing", "exchange", "rethinking", "talking back"))


def test_a_sample_that_thinks_writes_before_its_answer_and_reads_only_itself(tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        plan = written(tmp_path, settings=on(server), items=PLAN["items"][:1], arms="worth", samples_max=4)
        output = moot("experiment", "run", plan)
        assert output.exit_code == 0, output.stderr
    run = document("show", "asked-all-1-r1-think")
    assert (len(run["turns"]), len(run["positions"]), run["totalCalls"]) == (4, 4, 8)
    assert [call["purpose"] for call in run["calls"][:2]] == ["statement"] * 2
    assert "thinking in writing (up to as many calls)" in accuracies(output.stdout)


@pytest.mark.long
def test_killed_among_its_arms_and_run_again_no_call_is_made_twice(tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        whole = written(tmp_path, settings=on(server), name="whole", items=PLAN["items"][:2])
        assert moot("experiment", "run", whole).exit_code == 0
        calls = len(server.chats)
        plan = written(tmp_path, settings=on(server), items=PLAN["items"][:2])
        process = apart(["experiment", "run", plan, "--jobs", "3"])
        server.wait_for(calls + calls * 3 // 4, within=60)
        server.hold()
        killed(process)
        server.release()
        again = moot("experiment", "run", plan)
        assert again.exit_code == 0, again.stderr
        assert len(server.chats) - 2 * calls <= 3 * 16, "no more is asked anew than was under way"
    assert accuracies(again.stdout) == accuracies(moot("experiment", "run", "whole").stdout)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"protocol": "justice", "items": [""], "settings": {}}, "justice has no arms"),
    ({"protocol": "council", "settings": {}}, "a council has no deliberation to compare with its first answers"),
    (
        {"protocol": "delphi", "settings": {"participants": SEATS}, "influence": {"forks": 5}},
        "participants do not see one another",
    ),
    ({"protocol": "jury", "settings": {}, "items": ["Ban cars?"] * 2}, "give the item options"),
    ({"items": ["Ban cars?"]}, "give the item options, or the settings answer"),
    ({"settings": {"positions": "off"}}, "arms need positions"),
    ({"items": PLAN["items"][:1]}, "arms = 'noise': this arm shows statements of another item"),
    (
        {"items": [{"topic": "x", "options": ["yes", "no"], "truth": "si"}] * 1, "arms": ["vote"]},
        "must be one of the options",
    ),
    ({"arms": ["single", "single"]}, "name each once"),
    ({"arms": ["vote"], "until": {"net": {"above": 0}}}, "this needs arms: samples"),
    ({"until": {"net": {"above": 0, "below": 0}}}, "give one of above, below, either"),
    ({"until": {"net": {"above": 0}}, "conditions": {"a": {}, "b": {}}}, "an early stop works with only one condition"),
    ({"items": {"task": "pressure"}}, "scripted participants need protocol: discussion"),
    (
        {"items": {"task": "pressure"}, "protocol": "discussion"},
        "3 scripted participants and one observed; name 4 or more",
    ),
    ({"items": {"task": "reasoning", "dataset": "letter_counting"}, "protocol": "justice"}, "justice has no arms"),
    ({"items": {"task": "reasoning", "dataset": "spell_backward"}}, "the answers of this data set are words"),
    ({"items": {"task": "hiden_profile"}}, "did you mean hidden_profile?"),
    ({"certificate": {"of": "talk"}}, "these answers are not independent"),
    (
        {"certificate": {"alpha": 0.05}, "samples_max": 7},
        "a certificate takes 7 samples after the first; give 8 or more",
    ),
    ({"certificate": {"alpha": 0.05}, "arms": ["vote"], "samples_max": 9}, "add samples to arms"),
    (
        {
            "settings": {"answer": {"number": "kg", "tolerance": "2 absolute"}},
            "items": ["How heavy?"],
            "arms": ["vote"],
        },
        "arms need a relative tolerance",
    ),
]


@pytest.mark.long
@pytest.mark.parametrize(("changes", "told"), REFUSED, ids=[told for _, told in REFUSED])
def test_what_has_nothing_to_compare_is_refused_by_name(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        list_checked_runs(parse_plan(PLAN | changes))


def test_the_statements_of_noise_come_from_another_item_and_adding_items_moves_no_more_than_it_must() -> None:
    plan = parse_plan(PLAN)
    cell = plan_runs(plan)[0].condition
    given = {item: donor.id for item, donor in draw_donors(plan, cell, 1).items()}
    assert sorted(given) == sorted(given.values())
    assert all(item != other for item, other in given.items())
    more = draw_donors(parse_plan(PLAN | {"items": [*PLAN["items"], PLAN["items"][0] | {"id": "more"}]}), cell, 1)
    assert sum(more[item].id != other for item, other in given.items()) == 1


def test_a_debate_takes_a_third_ballot_from_no_side(tmp_path: Path) -> None:
    def debated(request: Request) -> str:
        fields = (request.schema or {}).get("properties", {})
        if set(fields) not in ({"answer", "certainty"}, {"answer"}):
            return echo_by_hash(request)
        side = "A" if "You are Ada" in request.text or set(fields) == {"answer"} else "B"
        return json.dumps({"answer": side, "certainty": 60} if len(fields) > 1 else {"answer": side})

    with FakeServer(reply=debated) as server:
        settings = {
            "model": f"openai:fake@{server.url}",
            "retry_delays": [0],
            "participants": ["Ada", "Ben"],
            "max_turns": 2,
        }
        plan = written(tmp_path, protocol="debate", settings=settings, arms=["single", "vote"], items=PLAN["items"][:1])
        output = moot("experiment", "run", plan)
        assert output.exit_code == 0, output.stderr
    ballot = document("show", "asked-all-1-r1-vote")
    assert [(position["who"], position["answer"]) for position in ballot["positions"]] == [("Third", "B")]
    assert accuracies(output.stdout) == {"one alone": 50.0, "vote": 0.0, "deliberation": 100.0}


@pytest.mark.long
def test_a_plan_stops_once_its_gain_is_plain_and_begins_nothing_more(tmp_path: Path) -> None:
    settings = {"model": "rehearsal", "participants": [*SEATS, "Dora"], "max_rounds": 3}
    items = {"task": "hidden_profile", "n": 12, "seed": 3}
    until = {"net": {"above": 0, "alpha": 0.5}}
    plan = written(tmp_path, settings=settings, items=items, arms=["samples"], until=until, samples_max=2)
    output = moot("experiment", "run", plan, "--jobs", "1")
    assert output.exit_code == 0, output.stderr
    assert re.search(
        r"Stopped after \d items: the evidence that net is more than 0 points reached 1/α = 2", output.stdout
    )
    assert "Intervals are confidence sequences: they are valid whenever you stop" in " ".join(output.stdout.split())
    name = yaml.safe_load(plan.read_text())["name"]
    assert "Stopped after" in moot("experiment", "status", name).stdout
    assert moot("experiment", "status", name, "--watch").exit_code == 0, "nothing is waited for that will not come"
    before = len(listed())
    assert before < 24
    again = moot("experiment", "run", plan)
    assert (again.exit_code, "was closed" in again.stderr) == (2, True)
    assert len(listed()) == before
    page = reported(tmp_path)
    assert "In brackets the confidence sequence" in page
    assert "bootstrap draws" not in page
    row = page.partition(">net_tokens (")[2].partition("</tr>")[0]
    assert re.findall(r"<td>(.*?)</td>", row)[1:] == ["exploratory"], "no resampling, p or odds"
    folder = tmp_path / "data"
    assert moot("experiment", "export", name, "-o", folder).exit_code == 0
    texts = {table: (folder / f"{table}.csv").read_text("utf-8") for table in ("items", "evidence")}
    items, evidence = (list(csv.DictReader(text.splitlines())) for text in texts.values())
    assert [row["order"] for row in items] == [str(number) for number in range(1, 13)]
    numbers = [int(row["item"].rpartition("-")[2]) for row in items]
    assert numbers != sorted(numbers), "the order is drawn"
    assert [row["item"] for row in evidence] == [row["item"] for row in items[: len(evidence)]]
    assert float(evidence[-1]["log_e"]) >= math.log(2)
    assert -1 <= float(evidence[-1]["low"]) < float(evidence[-1]["d"]) <= 1
    with (tmp_path / "data" / "flow.csv").open() as file:
        (talk, *_) = csv.DictReader(file)
    assert int(talk["counted"]) == len(evidence), "what ended after the stop is excluded"
    assert sum(int(talk[key]) for key in ("counted", "excluded", "not_needed")) == int(talk["planned"])


@pytest.mark.long
def test_the_report_begins_with_the_sentence_and_shows_what_it_rests_on(tmp_path: Path) -> None:
    settings = {"model": "rehearsal", "participants": [*SEATS, "Dora"], "max_rounds": 2, "positions": "rounds"}
    items = {"task": "hidden_profile", "n": 2, "seed": 3}
    assert moot("experiment", "run", written(tmp_path, settings=settings, items=items, samples_max=3)).exit_code == 0
    assert moot("experiment", "report", "asked", "-o", tmp_path / "page.html").exit_code == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    first = re.sub(r"<[^>]+>", "", page[page.index("<body>") :]).strip().split("\n")[0]
    assert first == "No model took part: this was a rehearsal, and nothing follows from it.", "no verdict stands there"
    assert "samples, at most 3 (cheaper in tokens than the deliberation in 2 of 2)" in page
    assert {"planned", "begun", "ended", "counted"} <= set(re.findall(r'<th scope="col">(\w+)</th>', page))
    counts = Counter(re.findall(r'id="talk-1-(\w+)', page))
    assert {"spend", "flips", "rounds"} <= counts.keys()
    for chart in re.findall(r'id="talk-1-spend-\d">(.*?)</svg>', page, re.DOTALL):
        places = [float(place) for place in re.findall(r'<circle cx="([\d.]+)"', chart)]
        assert min(right - left for left, right in pairwise(places)) >= 9, "no interval hides another"
        ticks = [text.replace(",", "") for text in re.findall(r'y="188"[^>]*>([\d,]+)<', chart)]
        assert ticks[1].rstrip("0") in ("1", "2", "5"), "the axis has ticks at round values"
    assert "unshared facts mentioned by note number" in page
    assert "integration: (deliberation − vote)/(one who knows all − vote)" in page
    assert "<script" not in page


@pytest.mark.long
def test_conditions_are_compared_with_tests_in_the_family_that_the_plan_declares(tmp_path: Path) -> None:
    conditions = {"brief": {"max_rounds": 1}, "long": {"max_rounds": 2}, "longer": {"max_rounds": 3}}
    with FakeServer(reply=planted) as server:
        settings = on(server, positions="ends") | {"max_rounds": 1}
        for assignment in ("crossed", "random"):
            changes = {"settings": settings, "arms": [], "conditions": conditions, "name": assignment}
            compare = {"measure": "right", "pairs": "all"}
            plan = written(tmp_path, **changes, compare=compare, assignment=assignment, repeats=3)
            assert moot("experiment", "run", plan).exit_code == 0
    pages = []
    for name in ("crossed", "random"):
        assert moot("experiment", "report", name, "-o", tmp_path / "page.html").exit_code == 0
        pages.append(unescape((tmp_path / "page.html").read_text("utf-8")))
        rows = re.findall(r'<tr><th scope="row">(\w+ − \w+)</th><td>', pages[-1])
        assert rows == ["long − brief", "longer − brief", "longer − long"]
        assert "Holm-corrected over 3 comparisons." in pages[-1]
        trust = pages[-1].partition('<section id="trust">')[2].partition("</section>")[0]
        for flaw in (
            "did not cost the same",
            "In all 4 items the right answer is “yes”",
            "has no arms",
            "One model made every call",
        ):
            assert flaw in trust, "the report names the flaws of its design"
        assert re.search(
            r"right: long .* %, brief .* %. \d comparisons are too few: even (\d) of \1 can be chance", pages[-1]
        )
    assert pages[0].count("Exploratory.") == 0


FLAWS = {
    r"80 % \(4 items, .*α = 0\.05 / 2 conditions; .*none of any size, if 15 % of pairs differ by a whole answer": "a",
    r"80 % \(4 items, .*as the plan assumes \(detect\.discordance\); none of any size, with the mean square of ": "ab",
    r"; none of any size, with the mean square of the differences observed, 0\.\d+ \(max_rounds=1\); ": "a",
    r"Equal calls are not equal tokens: a deliberation took [\d.]+ \(.+\), [\d.]+ \(.+\) times the tokens": "a",
    r"^- Samples of equal tokens would need samples_max = \d\d, more than equal calls\.$": "a",
    r"Ties .* occur in \d of 8 .* decided against .*, or for it, the gain would be \S+ – \S+ \(max_rounds=1\), ": "a",
    r"different prompts, .*: net_tokens, net_calls, over self-correction\. ": "a",
    r"paid once, .*: one alone, vote, thinking again alone\. ": "a",
    r"paid once, .*: one alone\. ": "b",
    r"^- Tests made: 13\. Of these, 11 are neither primary nor corrected; about one in 20 of these ": "a",
    r"^- The samples compared were even in number in \d of 8 deliberations": "a",
    r"equality could be shown only within a margin of .* points or more; the plan's margin is 5\.": "a",
    r"The 95 % intervals are not corrected; at 97\.5 %, for all conditions together: \S+ \[.*\]; \S+": "a",
    r"^- A dependence of last answers on earlier ones is not shown; a large one is not excluded: on the others' ": "ab",
    r"^- Not shown to be above chance \(50 %\): one alone": "ab",
    r"^- In \d of \d deliberations the last answers were not unanimous": "ab",
    r"^- Of the deliberations' prompt tokens \d+ % came from the provider's cache": "ab",
    r"^- Of the statements 100 % share no content word with their question, all have about one length \(": "ab",
    r"^- The items vary one template \(wordings without their numbers: 1; \d+ % of an item's content words": "ab",
    r"^- Every deliberation had the same team, which first spoke in the order Ada, Ben, Cleo: ": "ab",
    r"All conditions share items .*: 100 % of first answers, 100 % of samples\. They are one control, not 2\. ": "a",
    r"Only some conditions have these questions or steps: agreement \(max_rounds=2\)\. ": "a",
    r"Each participant spoke once, before it could read another \(max_rounds=1\): nobody replied": "a",
    r"Each participant spoke once, before it could read another: nobody replied": "b",
    r"\d+ % of the deliberations' calls and \d+ % of their tokens .*\(first answers, synthesis, agreement\)": "a",
    r"Early stopping was off: each of the 8 deliberations ran to its limit of length": "a",
    r"Early stopping was off: each of the 4 deliberations ran to its limit of length": "b",
    r"ended at its limit of length, none by itself": "",
    r"^- What failed: None of \d deliberations failed\. Faults recorded in \d+ runs: \S+: .* \(\w+\) \d": "ab",
    r"In all 4 items the right answer is “yes”, option 1, never swapped: a tendency": "ab",
    r"^- No item has material or private notes: beyond its question, none gives a fact from": "ab",
    r"^- Running these items again after seeing this result is no test": "b",
    r"\| primary; [\d.]+, Holm over 2 \|": "a",
    r"Of the \d+ calls of the deliberations, \d+ repeated an attempt \(synthesis \d+\)": "a",
    r"The plan has no arm alone: some of the corrected": "b",
    r"^- No arm wrote reasons without reading others \(arm written\): a gain may come from writing alone\.$": "ab",
    r"Thinking again alone corrected [\d.]+ % and corrupted [\d.]+ %\.": "a",
    r"wrong first answers corrected, thinking again alone, % \| [\d.]+ \[": "a",
    r"^\*\*Exploratory: Under max_rounds=1: ": "a",
    r"^\*\*Exploratory: 4 items are too few": "b",
    r"^- one alone: [^;]*; 1 call$": "ab",
    r"\| samples, at most 12 \(cheaper in tokens than the deliberation in 4 of 4\) \|": "a",
    r"\| equality not shown; p [\d.]+; 90 % interval \[": "a",
    r"^\| max_rounds=2 − max_rounds=1 \| \S+ points \| [\d.]+ \| equality not shown; p [\d.]+( \||; 90 % i)": "a",
    r"90 % interval \|": "",
    r"^\| arm \| accuracy \| failed \| calls a run \| tokens a run \| meaning \|$": "ab",
    r"^\| condition \| figure \|$": "b",
    r"\[[^\]]*\d, [−+\d]": "",
    r"^- temperatures: (agreement \(position\) 0\.7; )?positions \(declaration\) 0\.7; statements \(stat": "ab",
    r"^- Moot asked for first answers before the deliberation, only for these figures": "ab",
    r"^- What was asked: .* Guessing gets 50 % right\. Always choosing the same option gets .* 100 % right\.$": "ab",
    r"^## Conditions compared: right$": "a",
    r"gained–lost; odds \|": "a",
    r"^First answers and last ones\. Of 12 pairs of answers \(members × items\): ": "ab",
    r"^Samples: \d of 4 answers certified": "a",
    r"^Voice: share of the completion tokens of statements$": "ab",
}
"""Lines of a report, and the plans whose reports have them: `a` compares all arms at equal calls, `b` only one."""


def tossed(request: Request) -> str:
    """The planted answers; alone, which of the two is drawn with the request's seed."""
    if "on your own" not in request.text:
        return planted(request)
    return json.dumps({"answer": "AB"[request.body["seed"] // 11 % 2], "certainty": 70})


@pytest.mark.long
def test_a_report_names_the_flaws_of_its_design_where_it_has_them(tmp_path: Path) -> None:
    conditions = {"factors": {"max_rounds": [1, 2]}, "samples_max": 12, "margin": 0.05, "primary": "net"}
    plans = {"a": conditions | {"arms": ["single", "vote", "samples", "alone"]}, "b": {"arms": ["single"]}}
    pages = {}
    with FakeServer(reply=tossed) as server:
        for name, changes in plans.items():
            settings = on(server)
            assert moot("experiment", "run", written(tmp_path, settings=settings, name=name, **changes)).exit_code == 0
            assert moot("experiment", "report", name, "-o", tmp_path / "page.md").exit_code == 0
            pages[name] = (tmp_path / "page.md").read_text("utf-8")
    lines = {
        pattern: "".join(name for name, page in pages.items() if re.search(pattern, page, re.MULTILINE))
        for pattern in FLAWS
    }
    assert lines == FLAWS
    for page in pages.values():
        places = [
            page.index(part) for part in ("share no content word", "right answer is “yes”", "smallest difference")
        ]
        assert places == sorted(places), "what rules out a conclusion comes first"
    assert "Compared at equal calls" not in pages["a"], "calls are what the plan itself holds equal"
    assert "corrected minus corrupted" in pages["a"]
    assert "drift" not in pages["a"], "the same figure has one name"
    folder = tmp_path / "data"
    assert moot("experiment", "export", "a", "-o", folder).exit_code == 0
    assert json.loads((folder / "findings.json").read_text("utf-8"))["comparisons"][0]["measure"] == "right"
    readme = (folder / "README.md").read_text("utf-8")
    assert [name for name in ("words/", "evidence") if name in readme] == [], "only what is there is named"
    with (folder / "codebook.csv").open(encoding="utf-8") as file:
        columns = {(row["table"], row["column"]): row for row in csv.DictReader(file)}
    assert columns["runs", "turns"]["meaning"] == "Number of rows in the table statements."
    assert "A|B" in columns["runs", "answer"]["meaning"]
    assert "A|A|B" in columns["arms", "answer"]["values"].split("; "), "single lists the answers of all participants"
    assert "differs between runs" not in columns["runs", "setting.settings.vote"]["meaning"]
    assert "number of the sample" in columns["positions", "turn"]["meaning"]


OUTSIDE = ("debate", "discussion")


@pytest.mark.long
@pytest.mark.parametrize("truth", ["", "yes"], ids=["without a truth", "with one"])
def test_the_worth_of_one_talk_is_told_without_claiming_more_than_one_question_shows(truth: str) -> None:
    held = {"Pragmatic analyst": "BA", "Critical evaluator": "BB"}

    def changing(request: Request) -> str:
        fields = (request.schema or {}).get("properties", {})
        if set(fields) != {"answer", "certainty"}:
            return echo_by_hash(request)
        who = re.search(r"You are ([\w -]+)\.", request.text)
        before, after = held.get(who[1] if who else "", "AA")
        talked = "<statement turn" in request.text
        return json.dumps({"answer": after if talked else before, "certainty": 50})

    with FakeServer(reply=changing) as server:
        texts = ["--options", "yes, no", "--model", f"openai:fake@{server.url}", *(["--truth", truth] if truth else [])]
        output = moot("compare-talk", "Is it so?", *texts)
    assert output.exit_code == 0, output.stderr
    assert "Pragmatic analyst changed the answer, 1 of 5." in output.stdout
    assert "The answer stayed yes; samples (up to as many tokens) answered " in output.stdout
    assert re.search(
        r"Spent: one alone 1 call, .*; deliberation \d+ calls, .*; samples \(up to as many tokens\) \d+ calls",
        output.stdout,
    )
    assert ("On this one question, right: " in output.stdout) is bool(truth)
    assert not re.search("gained|lost|no difference|\\[", output.stdout.split("\n")[1])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--options", "tea, Tea"], "--options = 'tea, Tea': give two or more different answers"),
        (
            ["--options", "tea,coffee", "--protocol", "panel"],
            "choose one of consensus, debate, discussion, jury, delphi",
        ),
    ],
)
def test_what_the_worth_of_a_talk_cannot_be_asked_of_is_refused(given: list[str], said: str) -> None:
    output = moot("compare-talk", "Which drink?", "--model", "rehearsal", *given)
    assert (output.exit_code, said in output.stderr) == (2, True)
    assert listed() == []


@pytest.mark.long
def test_in_a_debate_and_a_discussion_too_the_worth_of_a_talk_is_told() -> None:
    texts = ["--options", "tea,coffee", "--model", "rehearsal"]
    debate, discussion = (moot("compare-talk", "Which drink?", *texts, "--protocol", one) for one in OUTSIDE)
    assert "which the synthesizer named" in debate.stdout
    assert re.search(r"The answer (stayed|changed).*; samples \(up to as many tokens\) answered", discussion.stdout)


@pytest.mark.long
def test_the_votes_of_samples_are_certified_as_the_mode_and_never_as_the_truth(tmp_path: Path) -> None:
    def sampled(request: Request) -> str:
        if "on your own" not in request.text:
            return planted(request)
        return json.dumps({"answer": "A" if "Is thing 1 so" in request.text else "AB"[request.n % 2], "certainty": 9})

    with FakeServer(reply=sampled) as server:
        changes = {"arms": ["samples"], "items": PLAN["items"][:2], "samples_max": 8}
        assert moot("experiment", "run", written(tmp_path, settings=on(server), **changes)).exit_code == 0
    assert moot("experiment", "report", "asked", "-o", tmp_path / "page.html").exit_code == 0
    folds = (tmp_path / "page.html").read_text("utf-8").split("<details>")
    page = next(fold.partition("</details>")[0] for fold in folds if "certified as the most common" in fold)
    rows = re.findall("<tr>(.*?)</tr>", page)[1:]
    first, second = ([part for part in re.split("<.*?>", row) if part] for row in rows)
    assert "Samples: 1 of 2 answers certified as the most common" in page
    assert "A certificate does not say that the answer is right." in page
    assert first == ["asked-all-1-r1", "yes", "8", "7–0", "31.9", "certified after 8 samples"]
    assert second[-1] == "not certified"


ENDED = ("done", "failed")
NAMED = {
    "talk": "deliberation",
    "samples": "samples",
    "alone": "thinking again alone",
    "noise": "other statements",
    "influence": "forks",
}


@pytest.mark.long
@pytest.mark.parametrize("cap", [10, 40], ids=["too small for an arm", "enough for some"])
def test_a_cap_holds_over_talks_and_arms_and_what_was_not_run_is_told(cap: int, tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        arms = {"arms": ["samples", "alone", "noise"], "influence": {"forks": 5}, "cap": {"calls": cap}}
        plan = written(tmp_path, settings=on(server, budget={"calls": 10}), items=PLAN["items"][:2], **arms)
        output = moot("experiment", "run", plan, "--jobs", "2")
        assert output.exit_code == 3
        output = moot("experiment", "run", plan, "--retry-failed")
        assert len(server.chats) <= cap
    assert moot("experiment", "report", "asked", "-o", tmp_path / "page.html").exit_code == 0
    assert moot("experiment", "export", "asked", "-o", tmp_path / "data").exit_code == 0
    rows = list(csv.DictReader((tmp_path / "data" / "runs.csv").read_text("utf-8").splitlines()))
    every, left = (
        Counter(row["arm"] or "talk" for row in rows if not ended or row["state"] not in ENDED)
        for ended in (False, True)
    )
    text = ", ".join(f"{left[arm]} of {count} {NAMED.get(arm, arm)}" for arm, count in every.items() if left[arm])
    assert left["influence"] > 0
    assert f"{sum(left.values())} of {len(rows)} runs have not ended: {text}" in output.stderr
    assert f"Not run, or not to the end: {text}." in (tmp_path / "page.html").read_text("utf-8")
