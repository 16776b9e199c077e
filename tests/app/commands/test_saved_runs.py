"""What can be done with saved runs: list them within a terminal's width, delete, look back, open the report."""

import asyncio
import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from command import apart, document, ended, listed, moot
from command.terminal import typed
from fakeserver import FakeServer
from moot.app.commands.runs import parse_since
from moot.app.saved import Run, get_run_state, open_database
from moot.state import PARTICIPANTS_UNAVAILABLE
from moot.storage import get_default_database
from moot.storage.clock import get_time

TALK = ("Should cities ban cars from downtown areas, and from when?", "--model", "rehearsal", "--max-turns", "2")


def begun(*words: str) -> str:
    return str(document("debate", *TALK, *words)["run"])


def bare(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", text)


@pytest.mark.long
def test_runs_say_when_and_how_they_stand_and_fit_sixty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun()
    monkeypatch.setenv("COLUMNS", "60")
    lines = bare(typed(["runs"]).text).splitlines()
    assert re.fullmatch(rf"{run} +20\d\d-\d\d-\d\d \d\d:\d\d  finished", lines[0])
    assert re.fullmatch(r"  Should cities ban.*… · 2 turns · max turns reached", lines[1])
    assert max(map(len, lines)) <= 60


RUN = {"protocol": "debate", "topic": "Tea?", "started": "2026-01-01T10:00:00.000Z"}
STATES = [
    ({"is_finished": True, "ending": "concession"}, False, "finished"),
    ({"is_finished": True, "ending": PARTICIPANTS_UNAVAILABLE}, False, "incomplete"),
    ({"is_finished": True, "ending": PARTICIPANTS_UNAVAILABLE}, True, "live"),
    ({"waiting_for": "openai:x"}, False, "parked"),
    ({"has_questions": True}, False, "waiting"),
    ({"fault": "the key was refused"}, False, "failed"),
    ({"fault": "the key was refused", "turns": 2}, False, "stopped"),
    ({"has_questions": True}, True, "live"),
]


@pytest.mark.parametrize(("about", "is_held", "state"), STATES, ids=str)
def test_the_list_of_the_terminal_and_the_room_s_tell_the_same_states_apart(
    about: dict[str, Any], is_held: bool, state: str
) -> None:
    assert get_run_state(Run.model_validate(RUN | {"run": "tea"} | about), is_held) == state


def test_runs_that_failed_before_a_statement_are_found_by_their_state() -> None:
    begun()

    async def fail() -> None:
        async with open_database(get_default_database()) as store:
            await store.runs.add_run(Run.model_validate(RUN | {"run": "failed", "fault": "the key was refused"}))

    asyncio.run(fail())
    assert [(run["run"], run["state"]) for run in listed("--state", "failed")] == [("failed", "failed")]


def test_runs_are_chosen_by_protocol_state_and_time() -> None:
    run = begun()
    for chosen in (["--protocol", "debate"], ["--state", "finished"], ["--since", "yesterday"], ["--since", "1h"]):
        assert [run["run"] for run in listed(*chosen)] == [run]
    tomorrow = (get_time().astimezone() + timedelta(days=1)).date().isoformat()
    for other in (["--protocol", "discussion"], ["--state", "stopped"], ["--since", tomorrow]):
        assert listed(*other) == []
        assert "No saved run matches." in moot("runs", *other).stdout
    for wrong in (["--protocol", "duel"], ["--state", "done"], ["--since", "lately"]):
        assert (moot("runs", *wrong).exit_code, wrong[1] in moot("runs", *wrong).stderr) == (2, True)


@pytest.mark.parametrize(("said", "hours"), [("3h", 3), ("2d", 48), ("1w", 168)])
def test_so_long_ago_is_counted_back_from_now(said: str, hours: int) -> None:
    assert abs(get_time() - timedelta(hours=hours) - parse_since(said)) < timedelta(minutes=1)


def test_days_begin_at_midnight_here() -> None:
    today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    assert parse_since("today") - parse_since("yesterday") == timedelta(days=1)
    assert parse_since(today.date().isoformat()) == parse_since("Today")


@pytest.mark.long
def test_a_deleted_run_is_gone_with_its_checkpoints_and_the_others_stay() -> None:
    gone, kept = begun(), begun()
    assert "--yes" in moot("delete", gone).stderr
    assert len(listed()) == 2
    no = typed(["delete", gone], [("cannot undo this", "n\n")])
    assert (no.code, len(listed())) == (130, 2)
    assert typed(["delete", gone], [("cannot undo this", "y\n")]).code == 0
    assert [run["run"] for run in listed()] == [kept]
    assert "no such run" in moot("show", gone).stderr
    assert moot("show", kept).exit_code == 0
    assert moot("delete", gone, "--yes").exit_code == 2


@pytest.mark.long
def test_a_run_that_is_being_driven_is_not_deleted() -> None:
    refused: list[tuple[int, str]] = []

    def reply(_: Any) -> str:
        if not refused:
            (run,) = json.loads(ended(apart(["runs", "--json"]))[1])
            code, _, errors = ended(apart(["delete", run["run"], "--yes"]))
            refused.append((code, errors))
        return "I have an argument of my own for you."

    with FakeServer(reply=reply) as server:
        driven = moot("debate", "Tea?", "--model", f"openai:fake@{server.url}", "--max-turns", "2")
    assert (refused[0][0], "the run is in progress; stop it first" in refused[0][1]) == (2, True)
    assert (driven.exit_code, len(listed())) == (0, 1)


def test_each_moment_of_a_run_says_who_spoke_there_and_how_it_began() -> None:
    run = begun()
    first = document("show", run)["turns"][0]
    rows = json.loads(moot("checkpoints", run, "--json").stdout)
    (said,) = next(row["said"] for row in rows if row["turn"] == 1)
    assert said["speaker"] == "PRO"
    assert first["content"].startswith(said["words"].removesuffix("..."))
    assert f"PRO: {said['words']}" in moot("checkpoints", run).stdout


def test_the_report_is_opened_in_the_browser_unless_it_goes_to_a_file_of_the_user_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    run = begun()
    place = tmp_path / "data" / "moot" / "reports" / f"{run}.html"
    assert moot("report", run, "--no-browser").stdout == f"{place}\n"
    assert (opened, place.stat().st_mode & 0o777) == ([], 0o600)
    assert moot("report", run, "-o", tmp_path / "talk.html").exit_code == 0
    assert opened == []
    assert "<!doctype html>" in (tmp_path / "talk.html").read_text("utf-8")[:200]
    refused = moot("report", run, "-o", tmp_path / "talk.pdf")
    assert (refused.exit_code, "talk.pdf': must end in .html or .htm" in refused.stderr) == (2, True)
    assert not (tmp_path / "talk.pdf").exists()
    assert moot("report", run).exit_code == 0
    assert opened == [place.as_uri()]
