"""Look-ups wait for the run's owner: at the terminal, in the room, through MCP and from Python."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from command import document, listed, moot
from command.terminal import typed
from langgraph.types import Interrupt
from mcp import Client
from mcp_types import ElicitRequestFormParams, ElicitResult
from moot.app.people import NotAskedError, OpenQuestion, answer_question, list_open_questions, resume_waiting_run
from moot.app.people.terminal_form import parse_reply_to_agent
from moot.app.saved import SavedRun, load_saved_run, open_database
from moot.app.tools.mcp.arguments import map_tool_settings
from moot.app.tools.mcp.runs import ServerRuns
from moot.app.tools.mcp.server import build_server
from moot.models.chat_model import close_models
from moot.state.settings import Settings
from moot.state.statement import OWNER, find_name_fault
from moot.storage.clock import use_clock
from seats import begun
from servers.room import open_room, page_with

ASKING = ("--model", "rehearsal", "--set", "tools=[library]", "--set", "lookups.approve=always")
DEBATE = ("debate", "Tea?", "--max-turns", "4", *ASKING)


def stands(run: str) -> SavedRun:
    async def loaded() -> SavedRun:
        async with open_database(create=False) as store:
            return await load_saved_run(store, run)

    return asyncio.run(loaded())


def load_question(run: str) -> OpenQuestion:
    (question,) = list_open_questions(stands(run))
    return question


def decisions(run: str) -> list[tuple[str, str]]:
    return [(lookup["status"], lookup["approved_by"]) for lookup in document("show", run)["lookups"]]


@pytest.mark.long
def test_at_a_terminal_the_owner_is_asked_on_the_way_and_the_run_goes_on() -> None:
    asks = "Do you approve it? (1–2)"
    keys = [(asks, "1\r"), ("A note to the participant", "\r")]
    seen = typed(["debate", "Tea?", "--max-turns", "2", *ASKING, "--no-pacing"], keys)
    assert seen.code == 0, seen.text
    assert "PRO asks for your approval: library {" in seen.text
    assert decisions(str(listed()[0]["run"])) == [("ok", OWNER)]


@pytest.mark.long
def test_a_stopped_run_asks_its_owner_again_when_it_is_resumed_and_ctrl_c_leaves_it_waiting() -> None:
    run = begun("debate", "Tea?", "--max-turns", "2", *ASKING)
    left = typed(["resume", run], [("Do you approve it?", "\x03")])
    assert left.code == 130, left.text
    assert list_open_questions(stands(run))
    ended = typed(["resume", run, "--no-pacing"], [("Do you approve it?", "2\r"), ("A note", "Guess.\r")])
    assert ended.code == 0, ended.text
    assert decisions(run) == [("denied", OWNER)]


def test_without_a_terminal_the_run_waits_and_says_for_what() -> None:
    waits = moot(*DEBATE)
    assert waits.exit_code == 3
    run = str(listed()[0]["run"])
    assert "Waiting for your approval: PRO asks for your approval: library {" in waits.stderr
    assert f"resume {run}" in waits.stderr
    assert listed()[0]["state"] != "finished"


def test_the_owner_approves_or_denies_each_look_up_from_python() -> None:
    run = begun(*DEBATE)
    question = load_question(run)
    assert (question["who"], question["purpose"], question["turn"]) == (OWNER, "approval", 1)
    answer_question(run, question["id"], OWNER, {"approve": True})
    answer_question(run, load_question(run)["id"], OWNER, {"approve": False, "note": "Speak for yourself."})
    assert decisions(run) == [("ok", OWNER), ("denied", OWNER)]
    assert "Speak for yourself." in document("show", run)["lookups"][1]["text"]


def test_a_skipped_question_denies() -> None:
    run = begun("debate", "Tea?", "--max-turns", "2", *ASKING)
    answer_question(run, load_question(run)["id"], OWNER, {"pass": True})
    assert decisions(run) == [("denied", OWNER)]


@pytest.mark.long
@pytest.mark.parametrize(
    "value",
    [
        "yes",
        True,
        {"approve": "yes"},
        {"approve": 1},
        {"approved": True},
        {"decisions": [{"type": "approve"}]},
        {},
        None,
    ],
    ids=str,
)
def test_any_other_answer_is_asked_again_with_the_form(value: Any) -> None:
    run = begun("debate", "Tea?", "--max-turns", "2", *ASKING)
    assert load_question(run)["fault"] == ""
    answer_question(run, load_question(run)["id"], OWNER, value)
    assert load_question(run)["fault"] == 'answer {"approve": true} or {"approve": false}'
    answer_question(run, load_question(run)["id"], OWNER, {"approve": True})
    assert decisions(run) == [("ok", OWNER)]


def test_an_answer_sent_twice_approves_one_look_up() -> None:
    run = begun(*DEBATE)
    first = load_question(run)["id"]
    answer_question(run, first, OWNER, {"approve": True})
    with pytest.raises(NotAskedError):
        answer_question(run, first, OWNER, {"approve": True})
    assert load_question(run)["id"] != first


def test_nobody_at_a_seat_approves_and_nobody_is_called_owner() -> None:
    run = begun("debate", "Tea?", "--participant", "Ada", "--participant", "Yan=person", *ASKING)
    question = load_question(run)
    for name in ("Yan", "Ada"):
        with pytest.raises(NotAskedError):
            answer_question(run, question["id"], name, {"approve": True})
    assert find_name_fault(["Ada", "Owner"])


def test_after_the_deadline_for_people_a_look_up_is_denied() -> None:
    run = begun("debate", "Tea?", "--max-turns", "2", *ASKING, "--set", "person_deadline=60")
    assert load_question(run)["deadline"]
    with use_clock(lambda: datetime.now(UTC) + timedelta(seconds=61)):
        assert resume_waiting_run(run) == []
    assert [status for status, _ in decisions(run)] == ["denied"]


def test_members_who_look_up_side_by_side_are_approved_one_by_one() -> None:
    run = begun("council", "Tea?", *ASKING)
    while questions := list_open_questions(stands(run)):
        answer_question(run, questions[-1]["id"], OWNER, {"approve": len(questions) > 1})
    statuses = [status for status, _ in decisions(run)]
    assert statuses.count("denied") == 1
    assert set(statuses) == {"ok", "denied"} or statuses == ["denied"]


def test_in_a_session_too() -> None:
    run = begun("discussion", "Tea?", "--participant", "Ada", "--participant", "Ben", *ASKING, "--max-turns", "2")
    answer_question(run, load_question(run)["id"], OWNER, {"approve": True})
    assert decisions(run)[0] == ("ok", OWNER)


@pytest.mark.long
def test_the_room_asks_the_owner_on_the_page_of_the_run(tmp_path: Path) -> None:
    with open_room(tmp_path, "--rehearsal-delay", "0") as room, room.client() as inside:
        filled = {
            "topic": "Tea?",
            "max_turns": "4",
            "do": "rehearse",
            "tools": "[library]",
            "lookups.approve": "always",
        }
        response = inside.post("/new?protocol=debate", data=filled)
        path = response.headers["location"]
        for action, note in (("approve", ""), ("deny", "Guess.")):
            page = page_with(inside, path, 'name="id" value="')
            assert "asks for your approval: library {" in page
            assert "owner’s turn" in page
            id = page.partition('name="id" value="')[2].partition('"')[0]
            posted = {"id": id, "do": action, "note": note}
            assert inside.post(f"{path}/approvals", data=posted).status_code == 303
            assert inside.post(f"{path}/approvals", data=posted).status_code == 409
        page_with(inside, path, 'data-state="finished"')
        lookups = inside.get(f"{path}/data").json()["lookups"]
    assert [(lookup["status"], lookup["approved_by"]) for lookup in lookups] == [("ok", OWNER), ("denied", OWNER)]
    assert "Guess." in lookups[1]["text"]


Fill = Callable[[ElicitRequestFormParams], ElicitResult]


@pytest.mark.long
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_assistant_s_client_asks_its_user(mode: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = map_tool_settings() | {"debate": [*map_tool_settings()["debate"], "lookups"]}  # no client may choose it
    monkeypatch.setattr("moot.app.tools.mcp.arguments.map_tool_settings", lambda: settings)
    forms: list[ElicitRequestFormParams] = []
    replies = [ElicitResult(action="accept", content={"approve": True, "note": ""}), ElicitResult(action="decline")]

    async def fill(context: Any, params: Any) -> ElicitResult:
        forms.append(params)
        return replies[len(forms) - 1]

    async def within() -> Any:
        runs = ServerRuns("", "rehearsal")
        given = {"topic": "Tea?", "max_turns": 4, "tools": ["library"], "lookups": {"approve": "always"}}
        try:
            async with Client(build_server(runs), mode=mode, elicitation_callback=fill) as client:
                return await client.call_tool("debate", given)
        finally:
            await runs.close()
            await close_models()

    answer = asyncio.run(within())
    assert not answer.is_error, answer.content
    assert decisions(answer.structured_content["run"]) == [("ok", OWNER), ("denied", OWNER)]
    assert forms[0].message.startswith("Approvals\n\nPRO asks for your approval: library {")


def test_a_question_of_an_agent_is_answered_by_a_text_or_by_json() -> None:
    value = {"kind": "approval", "who": "Ada", "purpose": "statement", "turn": 2, "source": "agent", "value": ["rain?"]}

    state = {"settings": Settings(), "round": 1, "history": [], "participants": []}
    snapshot = replace(stands(begun(*DEBATE)), state=state, interrupts=(Interrupt(value, id="7"),))
    (question,) = list_open_questions(snapshot)
    assert (question["id"], question["who"], question["schema"]) == ("7", OWNER, None)
    assert question["words"] == 'Ada asks for your approval: ["rain?"]'
    assert parse_reply_to_agent('{"decisions": [{"type": "approve"}]}\n') == {"decisions": [{"type": "approve"}]}
    assert parse_reply_to_agent("Take an umbrella.\n") == "Take an umbrella."
    assert parse_reply_to_agent("Infinity") == "Infinity"
    assert parse_reply_to_agent('{"type": "reject", "type": "approve"}') == '{"type": "reject", "type": "approve"}'
