"""What installed packages bring: chosen by name on the command line and from Python, shown, saved, gone on with."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from brought import beside, called, files_of, installed
from moot.app.saved import open_database
from moot.app.web.application import build_application
from moot.app.web.login import COOKIE, Login
from moot.app.web.room import Room
from moot.app.web.run_driver import RunDriver

MORE = '''"""Endings that read more than everyone carries, and one that is none."""

from moot.state.consensus.channels import GroupState
from moot.state.ending import Ending

NOTHING = 5


def placed(state: GroupState) -> Ending | None:
    """Somebody has said where it stands."""
    return Ending(reason="placed", strategy="placed") if state["positions"] else None
'''


RULES = {
    "moot.endings": {"three_said": "house_rules:three_said"},
    "moot.orders": {"backwards": "house_rules:backwards"},
    "moot.counts": {"fewest": "house_rules:FEWEST", "most": "house_rules:fewest"},
}
SALON = {"moot.protocols": {"salon": "salon"}}
OTHERS = {"moot.endings": {"placed": "more:placed", "nothing": "more:NOTHING", "gone": "more:gone", "lost": "lost:it"}}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which packages are installed, and runs are saved."""
    place = tmp_path_factory.mktemp("shop")
    installed(place, "moot-house-rules", RULES, files_of("extending"))
    installed(place, "moot-salon", SALON, files_of("own-protocol"), "Everybody speaks once a round.")
    installed(place, "moot-more", OTHERS, {"more.py": MORE})
    return place


KINDS = ("ending", "order", "protocol")
REHEARSED = ["--model", "rehearsal", "--seed", "3", "--json"]
TALK = [
    "consensus",
    "Tea?",
    "--participant",
    "Ann",
    "--participant",
    "Ben",
    "--participant",
    "Cleo",
    "--set",
    "blind_first_round=false",
]


@pytest.fixture(scope="module")
def runs(shop: Path) -> dict[str, dict[str, Any]]:
    """A run with each of what they bring."""
    begun = {
        "ending": ["debate", "Tea?", "--stop-rule", "three_said"],
        "order": [
            *TALK,
            "--max-rounds",
            "2",
            "--turn-order",
            "backwards",
            "--vote",
            "fewest",
            "--set",
            "dynamic_termination=false",
        ],
        "protocol": ["salon", "What is a city for?", "--max-rounds", "1"],
        "more": [*TALK, "--set", "stop_rule=placed", "--set", "agreement_threshold=1"],
    }
    results, _ = called(*([*words, *REHEARSED] for words in begun.values()), at=shop)
    assert [errors for code, _, errors in results if code] == []
    return {name: json.loads(out) for name, (_, out, _) in zip(begun, results, strict=True)}


@pytest.mark.long
def test_each_is_chosen_by_its_name(runs: dict[str, dict[str, Any]]) -> None:
    assert (runs["ending"]["terminationReason"], len(runs["ending"]["turns"])) == ("three_said", 3)
    assert [turn["speakerId"] for turn in runs["order"]["turns"]] == ["Cleo", "Ben", "Ann"] * 2
    assert runs["order"]["terminationReason"] in ("vote_decided", "vote_undecided")
    assert runs["order"]["polls"][-1]["tally"]["rule"] == "fewest"
    assert "fewest" in runs["order"]["polls"][-1]["report"]["tallies"]
    assert (runs["protocol"]["protocol"], runs["protocol"]["terminationReason"]) == ("salon", "max_rounds_reached")


@pytest.mark.long
def test_an_ending_reads_what_the_protocol_carries_beyond_what_every_ending_is_given(
    runs: dict[str, dict[str, Any]],
) -> None:
    assert runs["more"]["terminationReason"] == "placed"


@pytest.mark.long
def test_a_protocol_s_own_chart_and_section_are_in_its_report(shop: Path, runs: dict[str, dict[str, Any]]) -> None:
    run = runs["protocol"]
    words = {turn["speakerId"]: len(turn["content"].split()) for turn in run["turns"]}
    saved = shop / "report.html"
    (shown, written), _ = called(["show", run["run"]], ["report", run["run"], "--output", str(saved)], at=shop)
    assert (shown[0], written[0]) == (0, 0)
    _, _, section = shown[1].partition("\nGuest words\n")
    assert all(re.search(rf"^{name} +{count}$", section, re.MULTILINE) for name, count in words.items())
    html = saved.read_text("utf-8")
    assert '<h2 id="guest_words-title">Guest words</h2>' in html
    chart = html.partition('id="glance-1"')[2].partition("</figure>")[0]
    assert all(name in chart and str(count) in chart for name, count in words.items())


HELP = [["--help"], ["debate", "--help"], ["consensus", "--help"], ["diagram", "--help"], ["diagram", "salon"]]


@pytest.mark.long
def test_they_stand_in_the_help_and_in_the_drawings(shop: Path) -> None:
    (whole, debate, consensus, graph, drawing), imported = called(*HELP, at=shop)
    assert re.search(r"salon +Everybody speaks once a round\.", whole[1])
    for name, (_, helped, _) in {
        "three_said": debate,
        "backwards": consensus,
        "fewest": consensus,
        "salon": graph,
    }.items():
        assert name in helped
    assert "next speaker" in drawing[1]
    assert imported == ["salon"]  # for its drawing; nothing else was chosen


@pytest.mark.long
def test_they_stand_in_the_schemas_of_studio(shop: Path) -> None:
    code = "import json; from moot.graphs import consensus; print(json.dumps(consensus.graph.get_context_jsonschema()))"
    env = os.environ | {"PYTHONPATH": str(shop)}
    process = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    settings = json.loads(process.stdout)["properties"]
    assert {"asked", "three_said"} <= set(settings["stop_rule"]["enum"])
    assert {"round_robin", "backwards"} <= set(settings["turn_order"]["enum"])
    assert {"off", "borda", "fewest"} <= set(settings["vote"]["enum"])


@pytest.mark.long
def test_such_a_run_is_listed_shown_forked_and_gone_on_with(shop: Path, runs: dict[str, dict[str, Any]]) -> None:
    commands = [["runs", "--json"]]
    for name in [runs[kind]["run"] for kind in KINDS]:
        commands += [["resume", name, "--json"], ["fork", name, "--turn", "1", "--json"]]
        commands += [["show", name, "--format", one] for one in ("transcript", "md", "html", "csv")]
    (listed, *done), _ = called(*commands, at=shop)
    assert [errors for code, _, errors in done if code] == []
    for place, kind in enumerate(KINDS):
        report, document = (json.loads(out) for _, out, _ in done[6 * place : 6 * place + 2])
        assert runs[kind]["run"] in [one["run"] for one in json.loads(listed[1])]
        assert report == runs[kind]
        assert document["terminationReason"] == runs[kind]["terminationReason"]


@pytest.mark.long
def test_a_run_is_estimated_and_ballots_in_a_file_are_counted(shop: Path) -> None:
    (shop / "ballots.csv").write_text("voter,choice\nAnn,tea\nBen,tea\nCleo,coffee\n", "utf-8")
    estimate = ["estimate", "salon", "Tea?", "--set", "max_rounds=1", "--json"]
    counting = ["count", str(shop / "ballots.csv"), "--json"]
    (estimated, one, every), _ = called(estimate, [*counting, "--rule", "fewest"], counting, at=shop)
    assert json.loads(estimated[1])["expected"]["calls"] == 4
    assert json.loads(one[1])["winner"] == "coffee"
    assert json.loads(every[1])["tallies"]["fewest"]["winner"] == "coffee"
    assert "has a function as this plugin; it must be a VotingRule" in json.loads(every[1])["not_counted"]["most"]


REFUSED = {
    "an unknown name": (
        ["debate", "Tea?", "--stop-rule", "three_sad"],
        "stop_rule = 'three_sad': did you mean three_said? Choose one of asked, lexical, judge, declared,",
    ),
    "what reads more than the protocol carries": (
        ["debate", "Tea?", "--stop-rule", "placed"],
        "state = 'DebateGraphState': must have the channel agreements, which more.placed reads",
    ),
    "what is no function": (
        ["debate", "Tea?", "--stop-rule", "nothing"],
        "stop_rule = 'nothing': the package moot-more has a int as this plugin; it must be a Callable",
    ),
    "what is no counting rule": (
        [*TALK, "--vote", "most"],
        "vote = 'most': the package moot-house-rules has a function as this plugin; it must be a VotingRule",
    ),
    "what is not in its module": (
        ["debate", "Tea?", "--stop-rule", "gone"],
        "stop_rule = 'gone': the package moot-more names more:gone as this plugin, and its import fails",
    ),
    "what has no module": (
        ["debate", "Tea?", "--stop-rule", "lost"],
        "stop_rule = 'lost': the package moot-more names lost:it as this plugin, and its import fails: No module",
    ),
}


@pytest.mark.long
def test_what_cannot_be_used_is_refused_in_one_line_before_any_call(shop: Path) -> None:
    results, _ = called(*([*words, *REHEARSED] for words, _ in REFUSED.values()), at=shop)
    for (code, out, errors), (_, said) in zip(results, REFUSED.values(), strict=True):
        assert (code, out, errors.count("\n")) == (2, "", 1)
        assert errors.startswith(f"moot: {said}"), errors


SAME_COMMANDS = {"moot.protocols": {"debate": "clash", "show": "clash", "salon": "clash"}}
CLASHING = {
    "moot.endings": {"asked": "clash:it", "three_said": "clash:it"},
    "moot.orders": {"shuffled": "clash:it"},
    "moot.counts": {"borda": "clash:it"},
}


STOPPED = ["debate", "Tea?", "--stop-rule"]
BOTH, TWO = (
    "two packages have a plugin of this name: Moot itself and moot-clash",
    "two packages have a plugin of this name: moot-clash and moot",
)
TAKEN: list[tuple[dict[str, dict[str, str]], dict[str, list[str]]]] = [
    (
        CLASHING,
        {
            f"stop_rule = 'asked': {BOTH}; uninstall moot-clash": [*STOPPED, "asked"],
            f"stop_rule = 'three_said': {TWO}-house-rules; uninstall": [*STOPPED, "three_said"],
            f"turn_order = 'shuffled': {BOTH}": [*TALK, "--turn-order", "shuffled"],
            f"vote = 'borda': {BOTH}": [*TALK, "--vote", "borda"],
        },
    ),
    (
        SAME_COMMANDS,
        {
            f"protocol = 'debate': {BOTH}": ["debate", "Tea?"],
            f"protocol = 'show': {BOTH}": ["show", "some-run"],
            f"protocol = 'salon': {TWO}-salon; uninstall": ["salon", "Tea?"],
        },
    ),
]


@pytest.mark.long
@pytest.mark.parametrize(("declared", "commands"), TAKEN, ids=["rules", "protocols"])
def test_a_name_that_is_taken_is_refused_with_who_brings_it(
    declared: dict[str, dict[str, str]], commands: dict[str, list[str]], tmp_path: Path
) -> None:
    installed(tmp_path, "moot-clash", declared, {"clash.py": ""})
    installed(tmp_path, "moot-house-rules", RULES, files_of("extending"))
    installed(tmp_path, "moot-salon", SALON, files_of("own-protocol"))
    results, imported = called(["--help"], *commands.values(), at=tmp_path)
    assert results[0][0] == 0
    for (code, _, errors), command in zip(results[1:], commands, strict=True):
        assert (code, errors.startswith(f"moot: {command}")) == (2, True), errors
    assert imported == []


@pytest.mark.long
def test_where_its_package_is_missing_a_run_is_not_gone_on_with_and_says_what_is_missing(
    shop: Path, runs: dict[str, dict[str, Any]]
) -> None:
    names = [runs[kind]["run"] for kind in KINDS]
    again = [["fork", name, "--turn", "1", "--json"] for name in names]
    results, _ = called(*again, ["resume", names[2]], ["show", names[0]], ["runs", "--json"], at=shop, here=False)
    lacking = {
        "stop_rule = 'three_said': the package moot-house-rules": results[0],
        "turn_order = 'backwards': the package moot-house-rules": results[1],
        "protocol = 'salon': the package moot-salon": results[2],
        "protocol = 'salon': the package moot-salon ": results[3],
    }
    for said, (code, _, errors) in lacking.items():
        assert (code, errors.count("\n")) == (2, 1), errors
        assert errors.startswith(f"moot: {said.strip()} has this plugin and is not installed here"), errors
    assert (results[4][0], "three said" in results[4][1]) == (0, True), results[4][2]
    assert set(names) <= {one["run"] for one in json.loads(results[5][1])}


@pytest.mark.long
def test_a_run_whose_package_is_missing_is_marked_in_the_room_and_the_site_which_go_on(
    shop: Path, runs: dict[str, dict[str, Any]]
) -> None:
    salon, debate = runs["protocol"]["run"], runs["ending"]["run"]

    async def fetch_list() -> httpx.Response:
        async with open_database(str(shop / "runs.db")) as store:
            room = Room(store, RunDriver(store, 0), Login())
            transport = httpx.ASGITransport(build_application(room, ["room"]))
            async with httpx.AsyncClient(transport=transport, base_url="http://room") as browser:
                browser.cookies.set(COOKIE, room.login.make_cookie())
                return await browser.get("/")

    listed = asyncio.run(fetch_list())
    assert (listed.status_code, "needs moot-salon" in listed.text) == (200, True)
    assert f'href="/runs/{debate}"' in listed.text
    (site, *_), _ = called(["site", str(shop / "site")], at=shop, here=False)
    assert (site[0], site[2]) == (0, ""), site
    index = (shop / "site" / "index.html").read_text("utf-8")
    assert "needs moot-salon" in index
    assert (f"runs/{debate}.html" in index, f"runs/{salon}.html" in index) == (True, False)
    assert "three said" in (shop / "site" / "runs" / f"{debate}.html").read_text("utf-8")


ALONE = [sys.executable, "-W", "ignore", "-c"]
GOING_ON = """
import sys
from langgraph.checkpoint.sqlite import SqliteSaver
from moot import InputError
from moot.graphs import debate

with SqliteSaver.from_conn_string("week.db") as saver:
    graph, week = debate.build().compile(checkpointer=saver), {"configurable": {"thread_id": "week"}}
    if not graph.get_state(week).values:
        given, knobs = {"topic": "Tea?"}, {"model": "rehearsal", "seed": 3, "stop_rule": "three_said"}
        graph.invoke(given, week, context=knobs, interrupt_after=["speak"])
    try:
        print(graph.invoke(None, week)["outcome"].reason)
    except InputError as refused:
        print(refused)
"""


@pytest.mark.long
def test_from_python_a_run_goes_on_with_its_package_and_not_without(shop: Path) -> None:
    def ran(*places: Path) -> str:
        env = os.environ | beside(*places)
        process = subprocess.run(
            [*ALONE, GOING_ON], cwd=shop.parent, env=env, capture_output=True, text=True, check=True
        )
        return process.stdout.strip()

    part = GOING_ON.partition("    try:")[0]
    subprocess.run([*ALONE, part], cwd=shop.parent, env=os.environ | beside(shop), check=True)
    lacking = "stop_rule = 'three_said': the package moot-house-rules has this plugin and is not installed here"
    assert ran().startswith(lacking)
    assert ran(shop) == "three_said"
