"""Arms: a talk beside what the same models answer without it, with answers planted so that every figure is known."""

import csv
import json
import re
from collections import Counter
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import apart, document, killed, listed, moot
from fakeserver import FakeServer, Fault, echo_by_hash
from fakeserver.exchange import Request
from moot.app.experiment.forecast import check_runs
from moot.app.experiment.plan import parse_plan
from moot.app.experiment.planned_runs import draw_donors, plan_runs
from moot.state.errors import InputError

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
    "samples_max": 6,
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


def accuracies(told: str) -> dict[str, float]:
    """The accuracy of each arm, as the end of a run shows it."""
    return {name: float(share) for name, share in re.findall(r"^  (\S[^█·]*?) +[█·]+ +([\d.]+) %", told, re.MULTILINE)}


@pytest.mark.long
def test_planted_answers_come_out_as_accuracy_gain_and_flips_and_first_answers_are_asked_once(tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        plan = written(tmp_path, settings=on(server))
        forecast = document("experiment", "check", plan)
        done = moot("experiment", "run", plan)
        assert done.exit_code == 0, done.stderr
        asked = [one for one in server.chats if "certainty" in json.dumps(one.body)]
        spent = server.spent["prompt"] + server.spent["completion"]
    shares = accuracies(done.stdout)
    assert shares.pop("samples, same calls") == shares.pop("samples, same tokens")
    assert shares == {
        "first alone": 50.0,
        "vote": 50.0,
        "deliberation": 75.0,
        "thinking again alone": 50.0,
        "other statements": 50.0,
        "one who knows all": 50.0,
    }
    assert "corrected 71 % of wrong first answers and corrupted 20 % of right ones" in done.stdout
    assert "With 4 items the interval is rough" in done.stdout
    assert len(server.chats) <= forecast["highest"]["calls"]
    assert spent <= forecast["highest"]["input_tokens"] + forecast["highest"]["output_tokens"]
    first = [one for one in asked if "Is thing 1 so" in one.text and "<statement turn" not in one.text]
    assert len([one for one in first if "on your own" not in one.text]) == len(SEATS)
    assert [one["run"] for one in listed() if one["run"].endswith(("single", "vote"))] == []
    assert moot("experiment", "report", "asked", "-o", tmp_path / "page.html").exit_code == 0
    opening = unescape((tmp_path / "page.html").read_text("utf-8").partition("<main>")[0])
    talk, others = (
        re.escape(one) for one in ("right in 75.0 % of the items, at", "on independent answers in 50.0 %, at")
    )
    assert re.search(rf"{talk} \d+ calls and [\d,]+ tokens a run; .*{others} \d+ calls and [\d,]+ tokens\.", opening)
    assert "What was asked: 4 items, such as “Is thing 1 so" in opening
    assert ", ".join(SEATS) in opening
    row = (tmp_path / "page.html").read_text("utf-8").partition(">net (deliberation − samples, same calls)</th>")[2]
    assert re.findall(r"\[.*?\]", row.partition("</tr>")[0]) == ["[−100.0, +100.0]"] * 2 + ["[−50.0, +100.0]"]


OWN = {
    "jury": ({"max_rounds": 1, "verdict_rule": "2-1"}, ARMS, 75.0),
    "delphi": ({"max_rounds": 2}, ARMS, 75.0),
    "council": ({}, [one for one in ARMS if one != "vote"], 50.0),
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


@pytest.mark.parametrize("name", [pytest.param(one, marks=[] if one == "delphi" else pytest.mark.long) for one in OWN])
def test_where_the_talk_asks_everyone_blind_these_answers_are_the_first_and_are_paid_once(
    name: str, tmp_path: Path
) -> None:
    more, arms, right = OWN[name]
    people = [{"name": one, "persona": f"You are {one}."} for one in SEATS]
    with FakeServer(reply=voted) as server:
        settings = {"model": f"openai:fake@{server.url}", "retry_delays": [0], "participants": people}
        settings |= {} if name == "council" else {"dynamic_termination": False}
        plan = written(tmp_path, protocol=name, settings=settings | more, arms=arms)
        forecast = document("experiment", "check", plan)
        done = moot("experiment", "run", plan)
        assert done.exit_code == 0, done.stderr
        assert len(server.chats) <= forecast["highest"]["calls"]
    shares = accuracies(done.stdout)
    assert shares.pop("samples, same calls") == shares.pop("samples, same tokens")
    expected = {"first alone": 50.0, "vote": 50.0, "deliberation": right, "thinking again alone": 50.0}
    expected |= {"other statements": 50.0, "one who knows all": 50.0}
    assert shares == {key: share for key, share in expected.items() if key != "vote" or "vote" in arms}
    again = document("show", "asked-all-1-r1-alone")
    assert (again["totalCalls"], [one["who"] for one in again["positions"][:3]]) == (3, SEATS)
    told = "corrected 71 % of wrong first answers and corrupted 20 % of right ones"
    assert (told in done.stdout) == ("corrected" in done.stdout) == (name != "council"), "nobody is asked twice there"
    report = moot("experiment", "report", "asked", "-o", tmp_path / "report.html")
    assert report.exit_code == 0, report.stderr


def test_samples_have_a_seed_each_and_the_talk_none(tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        items = PLAN["items"][:1]
        assert (
            moot("experiment", "run", written(tmp_path, settings=on(server), arms=["samples"], items=items)).exit_code
            == 0
        )
        seeds = [one.body.get("seed") for one in server.chats]
    sampled = document("show", "asked-all-1-r1-samples")
    talk = document("show", "asked-all-1-r1")
    drawn = [seed for seed in seeds if seed is not None]
    assert len(drawn) == len(set(drawn)) == 6 == sampled["totalCalls"]
    assert len(seeds) - len(drawn) == talk["totalCalls"]
    assert (sampled["settings"]["talk_calls"], sampled["settings"]["talk_tokens"]) == (
        talk["totalCalls"],
        talk["totalTokens"],
    )


def test_an_arm_whose_talk_failed_is_not_run_and_counts_as_wrong(tmp_path: Path) -> None:
    def failing(request: Request) -> Any:
        lost = "Is thing 2 so" in request.text and "on your own" not in request.text
        return Fault.drop() if lost else planted(request)

    with FakeServer(reply=failing) as server:
        settings = on(server, max_attempts=1, on_outage="skip")
        done = moot("experiment", "run", written(tmp_path, settings=settings, items=PLAN["items"][:2], arms=ARMS[:5]))
    states = {one["run"]: one["what"] for one in document("experiment", "status", "asked")["remarks"]}
    assert states["asked-all-2-r1-samples"].startswith("not run: asked-all-2-r1 came to no result")
    assert states["asked-all-1-r1-noise"].startswith("not run: asked-all-2-r1"), "its statements were to be shown"
    assert accuracies(done.stdout)["deliberation"] == 50.0


def test_arms_of_a_talk_that_could_not_be_begun_say_so(tmp_path: Path) -> None:
    settings = PLAN["settings"] | {"model": "nobody:knows"}
    plan = written(tmp_path, settings=settings, items=PLAN["items"][:1], arms=["samples", "informed"])
    assert moot("experiment", "run", plan).exit_code == 3
    states = {one["run"]: one["what"] for one in document("experiment", "status", "asked")["remarks"]}
    assert states["asked-all-1-r1-samples"].startswith("not run: asked-all-1-r1 came to no result (model")
    assert states["asked-all-1-r1-informed"] == "not run: nothing of asked-all-1-r1 is on record"


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
        assert len(server.chats) - 2 * calls <= 3 * 6, "no more is asked anew than was under way"
    assert accuracies(again.stdout) == accuracies(moot("experiment", "run", "whole").stdout)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"protocol": "justice", "items": [""], "settings": {}}, "justice has no arms"),
    ({"protocol": "council", "settings": {}}, "the vote is the talk itself"),
    ({"protocol": "delphi", "settings": {"participants": SEATS}, "influence": {"forks": 5}}, "nobody to silence"),
    ({"protocol": "jury", "settings": {}, "items": ["Ban cars?"] * 2}, "give the item options"),
    ({"items": ["Ban cars?"]}, "give the item options, or the settings answer"),
    ({"settings": {"positions": "off"}}, "arms rest on positions"),
    ({"items": PLAN["items"][:1]}, "arms = 'noise': it shows the talk on another item"),
    (
        {"items": [{"topic": "x", "options": ["yes", "no"], "truth": "si"}] * 1, "arms": ["vote"]},
        "is none of the options",
    ),
    ({"arms": ["single", "single"]}, "name each once"),
    ({"arms": ["vote"], "until": {"net": {"above": 0}}}, "it needs arms: samples"),
    ({"until": {"net": {"above": 0, "below": 0}}}, "give one of above, below, either"),
    ({"until": {"net": {"above": 0}}, "conditions": {"a": {}, "b": {}}}, "it stops one condition"),
    ({"items": {"task": "pressure"}}, "scripted participants take turns in a session; write discussion"),
    ({"items": {"task": "pressure"}, "protocol": "discussion"}, "3 scripted ones, and one is observed; name 4 or more"),
    ({"items": {"task": "pressure", "confederates": [2, 0]}}, "one alone has no talk; give 1 or more"),
    ({"items": {"task": "reasoning", "dataset": "letter_counting"}, "protocol": "justice"}, "justice has no arms"),
    ({"items": {"task": "reasoning", "dataset": "spell_backward"}}, "its answers are words"),
    ({"items": {"task": "hiden_profile"}}, "did you mean hidden_profile?"),
    ({"certificate": {"of": "talk"}}, "these are no independent draws"),
    ({"certificate": {"alpha": 0.05}}, "a certificate takes 7 samples after the first; give 8 or more"),
    ({"certificate": {"alpha": 0.05}, "arms": ["vote"], "samples_max": 9}, "add samples to arms"),
    (
        {
            "settings": {"answer": {"number": "kg", "tolerance": "2 absolute"}},
            "items": ["How heavy?"],
            "arms": ["vote"],
        },
        "arms compare numbers by a share of them",
    ),
]


@pytest.mark.long
@pytest.mark.parametrize(("changes", "told"), REFUSED, ids=[told for _, told in REFUSED])
def test_what_has_nothing_to_compare_is_refused_by_name(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        check_runs(parse_plan(PLAN | changes))


def test_the_statements_of_noise_come_from_another_item_and_adding_items_moves_no_more_than_it_must() -> None:
    plan = parse_plan(PLAN)
    cell = plan_runs(plan)[0].condition
    given = {item: other.id for item, other in draw_donors(plan, cell, 1).items()}
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
        done = moot("experiment", "run", plan)
        assert done.exit_code == 0, done.stderr
    ballot = document("show", "asked-all-1-r1-vote")
    assert [(one["who"], one["answer"]) for one in ballot["positions"]] == [("Third", "B")]
    assert accuracies(done.stdout) == {"first alone": 100.0, "vote": 0.0, "deliberation": 100.0}


@pytest.mark.long
def test_a_plan_stops_once_its_gain_is_plain_and_begins_nothing_more(tmp_path: Path) -> None:
    settings = {"model": "rehearsal", "participants": [*SEATS, "Dora"], "max_rounds": 3}
    items = {"task": "hidden_profile", "n": 12, "seed": 3}
    until = {"net": {"above": 0, "alpha": 0.5}}
    plan = written(tmp_path, settings=settings, items=items, arms=["samples"], until=until, samples_max=2)
    done = moot("experiment", "run", plan, "--jobs", "1")
    assert done.exit_code == 0, done.stderr
    assert re.search(
        r"Stopped after \d items: the evidence that net is more than 0 points reached 1/α = 2", done.stdout
    )
    assert "after an early stop they claim too much" in " ".join(done.stdout.split())
    name = yaml.safe_load(plan.read_text())["name"]
    assert "Stopped after" in moot("experiment", "status", name).stdout
    assert moot("experiment", "status", name, "--watch").exit_code == 0, "nothing is waited for that will not come"
    before = len(listed())
    assert before < 24
    assert moot("experiment", "run", plan).exit_code == 0
    assert len(listed()) == before


@pytest.mark.long
def test_the_report_begins_with_the_sentence_and_shows_what_it_rests_on(tmp_path: Path) -> None:
    settings = {"model": "rehearsal", "participants": [*SEATS, "Dora"], "max_rounds": 2, "positions": "rounds"}
    items = {"task": "hidden_profile", "n": 2, "seed": 3}
    assert moot("experiment", "run", written(tmp_path, settings=settings, items=items, samples_max=3)).exit_code == 0
    assert moot("experiment", "report", "asked", "-o", tmp_path / "page.html").exit_code == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    first = re.sub(r"<[^>]+>", "", page[page.index("<body>") :]).strip().split("\n")[0]
    assert first.startswith("No model took part: this was a rehearsal, and nothing follows from it. ")
    assert "the same calls spent on independent answers" in first
    assert "In 2 of 2 deliberations the samples did not reach the deliberation's calls: their limit was 3." in unescape(
        first
    )
    drawn = Counter(re.findall(r'id="talk-1-(\w+)', page))
    assert {"spend", "flips", "rounds"} <= drawn.keys()
    assert "unshared facts mentioned by note number" in page
    assert "integration: (deliberation − vote)/(one who knows all − vote)" in page
    assert "<script" not in page


@pytest.mark.long
def test_several_conditions_stand_side_by_side_in_one_table(tmp_path: Path) -> None:
    settings = {"model": "rehearsal", "participants": SEATS, "positions": "ends"}
    conditions = {"brief": {"max_rounds": 1}, "long": {"max_rounds": 2}}
    changes = {"settings": settings, "items": PLAN["items"][:1], "arms": ["single"], "conditions": conditions}
    assert moot("experiment", "run", written(tmp_path, **changes)).exit_code == 0
    assert moot("experiment", "report", "asked", "-o", tmp_path / "page.html").exit_code == 0
    table = (tmp_path / "page.html").read_text("utf-8").partition("Conditions side by side")[2].partition("</table>")[0]
    assert re.findall(r'<th scope="col">(.*?)</th>', table) == ["condition", "first alone", "deliberation"]
    rows = re.findall(r"<th scope=\"row\"[^>]*>(.*?)</th><td>([\d.]+) %</td><td>([\d.]+) %</td></tr>", table)
    assert [name for name, *_ in rows] == ["brief", "long"]


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
        given = ["--options", "yes, no", "--model", f"openai:fake@{server.url}", *(["--truth", truth] if truth else [])]
        done = moot("compare-talk", "Is it so?", *given)
    assert done.exit_code == 0, done.stderr
    assert "Pragmatic analyst changed the answer, 1 of 5." in done.stdout
    assert "The answer stayed yes." in done.stdout
    assert re.search(
        r"Spent: first alone 1 calls, .*; deliberation \d+ calls, .*; samples, same calls \d+ calls", done.stdout
    )
    assert ("On this one question, right: " in done.stdout) is bool(truth)
    assert not re.search("gained|lost|no difference|\\[", done.stdout.split("\n")[1])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--options", "tea, Tea"], "--options = 'tea, Tea': give two or more that differ"),
        (
            ["--options", "tea,coffee", "--protocol", "panel"],
            "choose one of consensus, debate, discussion, jury, delphi",
        ),
    ],
)
def test_what_the_worth_of_a_talk_cannot_be_asked_of_is_refused(given: list[str], said: str) -> None:
    done = moot("compare-talk", "Which drink?", "--model", "rehearsal", *given)
    assert (done.exit_code, said in done.stderr) == (2, True)
    assert listed() == []


def test_in_a_debate_and_a_discussion_too_the_worth_of_a_talk_is_told() -> None:
    given = ["--options", "tea,coffee", "--model", "rehearsal"]
    debate, discussion = (moot("compare-talk", "Which drink?", *given, "--protocol", one) for one in OUTSIDE)
    assert "which the synthesizer named" in debate.stdout
    assert re.search(r"The answer (stayed|changed).* Independent samples, \d+ calls, answered", discussion.stdout)


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
    page = (tmp_path / "page.html").read_text("utf-8").partition("<details>")[2].partition("</details>")[0]
    rows = re.findall("<tr>(.*?)</tr>", page)[1:]
    first, second = ([one for one in re.split("<.*?>", row) if one] for row in rows)
    assert "Votes of the samples: 1 of 2 certified as the mode" in page
    assert "It does not say that the answer is right." in page
    assert first == ["asked-all-1-r1", "yes", "8", "7–0", "31.9", "certified after 8 samples"]
    assert second[-1] == "not certified"


ENDED = ("done", "failed")
NAMED = {
    "talk": "deliberation",
    "samples": "independent samples",
    "alone": "thinking again alone",
    "noise": "other statements",
    "influence": "forks",
}


@pytest.mark.long
@pytest.mark.parametrize("cap", [7, 30], ids=["too small for an arm", "enough for some"])
def test_a_cap_holds_over_talks_and_arms_and_what_was_not_run_is_told(cap: int, tmp_path: Path) -> None:
    with FakeServer(reply=planted) as server:
        arms = {"arms": ["samples", "alone", "noise"], "influence": {"forks": 5}, "cap": {"calls": cap}}
        plan = written(tmp_path, settings=on(server, budget={"calls": 7}), items=PLAN["items"][:2], **arms)
        done = moot("experiment", "run", plan, "--jobs", "2")
        assert done.exit_code == 3
        done = moot("experiment", "run", plan, "--retry-failed")
        assert len(server.chats) <= cap
    assert moot("experiment", "report", "asked", "-o", tmp_path / "page.html").exit_code == 0
    assert moot("experiment", "export", "asked", "-o", tmp_path / "data").exit_code == 0
    rows = list(csv.DictReader((tmp_path / "data" / "runs.csv").read_text("utf-8").splitlines()))
    every, left = (
        Counter(one["arm"] or "talk" for one in rows if not ended or one["state"] not in ENDED)
        for ended in (False, True)
    )
    told = ", ".join(f"{left[arm]} of {count} {NAMED.get(arm, arm)}" for arm, count in every.items() if left[arm])
    assert left["influence"] > 0
    assert f"{sum(left.values())} of {len(rows)} runs were not begun, or not ended: {told}" in done.stderr
    assert f"Not run, or not to the end: {told}." in (tmp_path / "page.html").read_text("utf-8")
