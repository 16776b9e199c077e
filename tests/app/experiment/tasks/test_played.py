"""Tasks played from a plan: who is told what, who speaks by a script, and what the report scores."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import apart, document, killed, moot
from fakeserver import FakeServer, Fault, echo_by_hash
from fakeserver.exchange import Request
from moot.app.experiment.tasks import generate_items
from moot.prompts import load_phrases

SEATS = ["Ada", "Ben", "Cleo", "Dora"]


def written(folder: Path, task: dict[str, Any], **changes: Any) -> Path:
    path = folder / "plan.yaml"
    settings = {"model": "rehearsal", "participants": SEATS} | changes.pop("settings", {"max_rounds": 1})
    plan = {"name": "played", "protocol": "consensus", "settings": settings, "items": task, "arms": ["single", "vote"]}
    path.write_text(yaml.safe_dump(plan | changes))
    return path


def figures(folder: Path) -> dict[str, str]:
    """What the report says the talk did."""
    assert moot("experiment", "report", "played", "-o", folder / "page.html").exit_code == 0
    page = (folder / "page.html").read_text("utf-8")
    return dict(re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td></tr>', page))


def only_english(folder: Path, language: str) -> set[str]:
    """The words for which the language has others that the report nevertheless shows in English."""
    page = html.unescape((folder / "page.html").read_text("utf-8"))
    matches = set(re.findall(r">\s*([^<>]*[^<>\s])\s*<", page))
    return matches & {*load_phrases("findings").get_builtin_texts("en").values()} - {
        *load_phrases("findings").get_builtin_texts(language).values()
    }


PLAYED: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    (
        {"task": "ranking", "n": 1, "seed": 3},
        {"settings": {"language": "es", "max_rounds": 1}},
        ["τ de Kendall con el orden verdadero: deliberación", "W de Kendall de los últimos órdenes de los miembros"],
    ),
    (
        {"task": "pressure", "n": 2, "seed": 3, "confederates": [1, 3]},
        {"protocol": "discussion", "settings": {"language": "zh", "max_rounds": 1}},
        ["有1位同谋，发言之后给出错误线条，%", "有3位同谋，发言之后给出错误线条，%"],
    ),
    ({"task": "reasoning", "n": 1}, {}, ["score of the generator, 0 to 1: deliberation"]),
    ({"task": "private_signals", "n": 1}, {}, ["regret, |ln| distance from the weighted pool: deliberation"]),
]


@pytest.mark.long
@pytest.mark.parametrize(("task", "changes", "names"), PLAYED, ids=[one[0]["task"] for one in PLAYED])
def test_every_task_is_played_in_rehearsal_and_scored(
    task: dict[str, Any], changes: dict[str, Any], names: list[str], tmp_path: Path
) -> None:
    output = moot("experiment", "run", written(tmp_path, task, **changes))
    assert output.exit_code == 0, output.stderr
    (cell,) = document("experiment", "status", "played")["conditions"]
    assert cell["done"] == cell["planned"]
    assert names == [name for name in figures(tmp_path) if name in names]
    language = changes["settings"].get("language", "en") if "settings" in changes else "en"
    assert f'<html lang="{language}">' in (tmp_path / "page.html").read_text("utf-8")
    assert language == "en" or only_english(tmp_path, language) == set()


@pytest.mark.long
@pytest.mark.parametrize(("protocol", "language"), [("jury", "zh"), ("council", "es")])
def test_whoever_answers_blind_in_a_rehearsal_follows_the_notes_it_alone_was_told(
    protocol: str, language: str, tmp_path: Path
) -> None:
    made = {"n": 1, "seed": 3, "lure": True}
    task = {"task": "hidden_profile", **made}
    plan = {"protocol": protocol, "settings": {"participants": SEATS, "language": language}, "arms": ["single"]}
    assert moot("experiment", "run", written(tmp_path, task, **plan)).exit_code == 0
    talk = document("show", "played-all-hidden-profile-1-r1")
    (item,) = generate_items("hidden_profile", made, language)
    first = [position for position in talk["positions"] if position["round"] == talk["positions"][0]["round"]]
    assert [talk["settings"]["options"][one["answer"]] for one in first] == [item.lure] * len(SEATS)


def yields(request: Request) -> str:
    """Names the right line until three have named another."""
    fields = (request.schema or {}).get("properties", {})
    if set(fields) != {"answer", "certainty"}:
        return echo_by_hash(request)
    lengths = [int(match) for match in re.findall(r"(\d+) cm", request.text)[:4]]
    matches = re.findall(r'<statement turn="\d" speaker="(?:Ada|Ben|Cleo)">\n.*?([ABC])\b', request.text)
    right = "ABC"[lengths[1:].index(lengths[0])]
    return json.dumps({"answer": matches[0] if len(matches) == 3 else right, "certainty": 90})


@pytest.mark.long
def test_confederates_say_their_line_before_the_one_observed_who_alone_is_asked(tmp_path: Path) -> None:
    task = {"task": "pressure", "n": 2, "seed": 3, "confederates": [1, 3]}
    with FakeServer(reply=yields) as server:
        plan = written(
            tmp_path, task, protocol="discussion", settings={"model": f"openai:fake@{server.url}", "max_rounds": 1}
        )
        output = moot("experiment", "run", plan)
        assert output.exit_code == 0, output.stderr
        assert len(server.chats) == 2 * 3, "before, a statement, after; nobody asks a program"
    found = figures(tmp_path)
    assert {name: figure for name, figure in found.items() if name.startswith("gave the wrong line")} == {
        "gave the wrong line, with 1 confederates, before they spoke, %": "0.0",
        "gave the wrong line, with 3 confederates, before they spoke, %": "0.0",
        "gave the wrong line, with 1 confederates, after they spoke, %": "0.0",
        "gave the wrong line, with 3 confederates, after they spoke, %": "100.0",
    }
    assert found["published: people (Asch 1956, from summaries)"].startswith("36.8 % of answers wrong")
    talk = document("show", "played-all-pressure-2-r1")
    assert [turn["speakerId"] for turn in talk["turns"]] == SEATS
    assert [participant["kind"] for participant in talk["participants"]] == ["program"] * 3 + ["model"]
    assert {call["who"] for call in talk["calls"]} == {"Dora"}


@pytest.mark.long
def test_without_confederates_one_seat_is_asked_twice_without_a_talk_and_yielding_is_given_minus_its_share(
    tmp_path: Path,
) -> None:
    task = {"task": "pressure", "n": 4, "seed": 3, "confederates": [0, 3]}
    with FakeServer(reply=yields) as server:
        settings = {"model": f"openai:fake@{server.url}", "max_rounds": 1}
        plan = written(tmp_path, task, protocol="discussion", settings=settings)
        output = moot("experiment", "run", plan, "--jobs", "1")
        assert output.exit_code == 0, output.stderr
    control, talk = (document("show", f"played-all-pressure-{number}-r1") for number in (1, 2))
    assert (control["turns"], len(talk["turns"])) == ([], 4)
    assert [(call["who"], call["purpose"]) for call in control["calls"]] == [("Dora", "declaration")] * 2
    assert server.chats[0].text == server.chats[1].text, "neither question shows an answer"
    found = figures(tmp_path)
    assert {name: found[name] for name in found if "control" in name} == {
        "control without deliberation: gave the wrong line at first, %": "0.0 [0.0,\u00a065.8]",
        "control without deliberation: gave the wrong line when asked again, %": "0.0 [0.0,\u00a065.8]",
        "gave the wrong line, with 3 confederates, after they spoke, minus the control, points": "100.0",
    }
    assert moot("experiment", "export", "played", "-o", tmp_path / "out").exit_code == 0
    assert "pressure-1-" not in (tmp_path / "out" / "arms.csv").read_text("utf-8"), "a control has no arms"


@pytest.mark.long
def test_what_is_shared_and_told_are_factors_over_the_same_items_and_published_figures_stand_beside(
    tmp_path: Path,
) -> None:
    made = {"n": 3, "seed": 3, "lure": True}
    task = {"task": "hidden_profile", **made}
    factors = {"items.sharing": ["hidden", "all"], "items.told": [False, True]}
    output = moot("experiment", "run", written(tmp_path, task, factors=factors))
    assert output.exit_code == 0, output.stderr
    for sharing, told in (("hidden", False), ("hidden", True), ("all", False), ("all", True)):
        for item in generate_items("hidden_profile", {**made, "sharing": sharing, "told": told}):
            talk = document("show", f"played-{sharing}-{str(told).lower()}-{item.id.replace('_', '-')}-r1")
            assert talk["topic"] == item.topic
            assert [participant["private"] for participant in talk["participants"]] == list(item.private)
    found = figures(tmp_path)
    assert any(name.startswith("right where the lure is ") for name in found)
    source = "published: people in groups (Stasser &amp; Titus 1985, by their review of 2003)"
    assert found[source].startswith("with all notes 83 %")
    printed_text = moot("experiment", "check", written(tmp_path, task, factors={"items.members": [3, 4]}))
    assert "items.members = 3: conditions may set only sharing and told of this task" in printed_text.stderr


@pytest.mark.long
def test_killed_while_the_one_observed_speaks_the_confederates_say_nothing_twice(tmp_path: Path) -> None:
    task = {"task": "pressure", "n": 1, "seed": 3}
    with FakeServer(reply=yields, faults={2: Fault.hang(yields)}) as server:
        plan = written(
            tmp_path, task, protocol="discussion", settings={"model": f"openai:fake@{server.url}", "max_rounds": 1}
        )
        process = apart(["experiment", "run", plan])
        server.wait_for(2, within=60)
        killed(process)
        output = moot("experiment", "run", plan)
        assert output.exit_code == 0, output.stderr
        assert len(server.chats) == 3 + 1, "the one under way is asked anew"
    assert [turn["speakerId"] for turn in document("show", "played-all-pressure-1-r1")["turns"]] == SEATS
