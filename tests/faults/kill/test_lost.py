"""Kill -9 between a request and its record: the request is on record as lost, once, and counts once."""

import asyncio
import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from a2a.helpers import get_data_parts
from command import document, listed, moot
from fakeserver import FakeServer, Fault
from moot.app.saved import SavedRun, load_saved_run, open_database
from moot.app.tools.mcp.runs import build_tool_result
from moot.app.web.a2a_tasks import make_task
from runs.five import ALL, lasting, load_document
from runs.killing import forked
from runs.undisturbed import reconciled, undisturbed
from servers import postgres


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.long])])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "runs.db")
    running: postgres.Cluster = request.getfixturevalue("cluster")
    return running.fresh()


@pytest.mark.long
def test_a_run_killed_with_open_branches_lists_one_lost_call_for_each_and_a_fork_of_it_none(
    db: str, tmp_path: Path
) -> None:
    called = ALL["consensus"]
    with FakeServer(called.reply, faults={call: Fault.stall(after=2) for call in (1, 2, 3)}) as server:
        with forked([*called.on(server), "--db", db], tmp_path / "journal"):
            server.wait_for(3, within=30)
            run = listed("--db", db)[0]["run"]
        report = load_document(run, "--db", db)
        assert (report["sentRequests"], report["lostRequests"], report["openRequests"], report["calls"]) == (
            3,
            3,
            0,
            [],
        )
        record = document("resume", run, "--db", db)
        reconciled(record, sent=3 + called.calls, lost=3)
        assert lasting(record) == undisturbed("consensus").document
        assert sorted(call["who"] for call in record["calls"][:3]) == ["Ada", "Ben", "Cleo"]
        reconciled(document("resume", run, "--db", db), sent=3 + called.calls, lost=3)
        before = len(server.chats)
        fork = document("fork", run, "--turn", "3", "--db", db)
        assert fork["sentRequests"] == fork["recordedRequests"] == len(server.chats) - before
        assert fork["lostRequests"] == 0
        line = "Requests to models: 14 sent = 11 recorded + 3 lost. A lost request was sent, but its process stopped"
        assert line in moot("show", run, "--db", db).stdout
        assert "14 sent = 11 recorded + 3 lost" in moot("show", run, "--format", "md", "--db", db).stdout


@pytest.mark.long
def test_a_call_lost_twice_counts_twice_and_a_request_that_ended_in_a_living_process_is_not_lost(
    db: str, tmp_path: Path
) -> None:
    called = ALL["debate"]
    faults = {2: Fault.stall(after=2), 3: Fault.stall(after=2), 4: Fault.status(401)}
    with FakeServer(called.reply, faults=faults) as server:
        with forked([*called.on(server), "--db", db], tmp_path / "first"):
            server.wait_for(2, within=30)
        run = listed("--db", db)[0]["run"]
        with forked(["resume", run, "--db", db], tmp_path / "second"):
            server.wait_for(3, within=30)
        assert moot("resume", run, "--db", db).exit_code == 3
        report = document("resume", run, "--db", db)
        reconciled(report, sent=len(server.chats), lost=2)
        assert [call["outcome"] for call in report["calls"]][:4] == ["ok", "lost", "lost", "refused"]
        assert lasting(report)["turns"] == undisturbed("debate").document["turns"]


def test_every_export_and_document_of_a_run_counts_a_lost_call_once(db: str, tmp_path: Path) -> None:
    called = ALL["debate"]
    with FakeServer(called.reply, faults={2: Fault.stall(after=2)}) as server:
        with forked([*called.on(server), "--db", db], tmp_path / "journal"):
            server.wait_for(2, within=30)
        run = listed("--db", db)[0]["run"]
        report = document("resume", run, "--db", db)
    sent, tokens = called.calls + 1, report["totalTokens"]
    reconciled(report, sent=sent, lost=1)
    assert sum(call["input_tokens"] + call["output_tokens"] for call in report["calls"]) == tokens
    reconciled(document("show", run, "--db", db), sent=sent, lost=1)
    assert f"{sent} sent = {sent - 1} recorded + 1 lost" in moot("show", run, "--format", "html", "--db", db).stdout

    moot("show", run, "--format", "csv", "-o", str(tmp_path / "tables"), "--db", db)
    texts = [(tmp_path / "tables" / f"{name}.csv").read_text("utf-8") for name in ("runs", "calls")]
    (row,), calls = (list(csv.DictReader(text.splitlines())) for text in texts)
    counts = [row[f"{key}_requests"] for key in ("sent", "recorded", "lost", "open")]
    assert counts == [str(sent), str(sent - 1), "1", "0"]
    assert [call["outcome"] for call in calls].count("lost") == 1
    assert sum(int(call["input_tokens"]) + int(call["output_tokens"]) for call in calls) == tokens
    assert (len(calls), row["total_tokens"]) == (sent, str(tokens))

    async def load() -> SavedRun:
        async with open_database(db) as store:
            return await load_saved_run(store, run)

    saved_run = asyncio.run(load())
    (result,) = get_data_parts(make_task(saved_run, False).artifacts[0].parts)
    assert (len(result["calls"]), result["usage"]["total_tokens"]) == (sent, tokens)
    assert build_tool_result(saved_run).model_dump(by_alias=True)["totalTokens"] == tokens


def test_a_lost_call_does_not_use_up_the_cap_on_calls(db: str, tmp_path: Path) -> None:
    called = ALL["debate"]
    with FakeServer(called.reply, faults={2: Fault.stall(after=2)}) as server:
        with forked([*called.on(server), "--max-calls", "5", "--db", db], tmp_path / "journal"):
            server.wait_for(2, within=30)
        report = document("resume", listed("--db", db)[0]["run"], "--db", db)
        assert lasting(report)["turns"] == undisturbed("debate").document["turns"]
        assert report["terminationReason"] == undisturbed("debate").document["terminationReason"]
        reconciled(report, sent=5 + 1, lost=1)


def test_the_rows_of_a_deleted_run_go_with_it_and_the_spending_of_the_day_stays(db: str) -> None:
    with FakeServer() as server:
        run = document(*ALL["debate"].on(server), "--db", db)["run"]
        day = json.loads(moot("runs", "--today", "--json", "--db", db).stdout)
        assert (day["requests"], day["tokens"] > 0) == (5, True)
        assert moot("delete", run, "--yes", "--db", db).exit_code == 0
        assert json.loads(moot("runs", "--today", "--json", "--db", db).stdout) == day
