"""Saved runs: names, listing, resuming, encryption, and records from elsewhere."""

import asyncio
import base64
import json
import os
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import PROGRAM, document, listed, moot
from fakeserver import FakeServer, Fault
from moot import load_run
from moot.app.saved.database import open_database
from moot.app.saved.runs import Run, check_run_name, make_run_name
from moot.app.saved.saved_run import load_saved_run
from moot.app.saved.store import Store
from moot.graphs import debate
from moot.state.errors import InputError
from moot.state.statement import Statement
from moot.storage import list_stored_types

KEY = base64.b64encode(bytes(range(32))).decode()
OTHER = base64.b64encode(bytes(32)).decode()


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


@pytest.fixture
def model(server: FakeServer) -> str:
    return f"openai:fake@{server.url}"


NAMES = {
    "Should cities ban cars from downtown areas?": r"debate-cities-ban-cars-[a-z2-9]{4}",
    "¿Debería prohibirse el tráfico?": r"debate-deberia-prohibirse-trafico-[a-z2-9]{4}",
    "城市是否应该禁止汽车？": r"debate-[a-z2-9]{4}",
    "../../etc/passwd; rm -rf /": r"debate-etc-passwd-rm-[a-z2-9]{4}",
    "Donaudampfschifffahrtsgesellschaft?": r"debate-donaudampfsc-[a-z2-9]{4}",
    "": r"debate-[a-z2-9]{4}",
}


@pytest.mark.parametrize("topic", NAMES)
def test_a_run_has_a_readable_name(topic: str) -> None:
    name = make_run_name("debate", topic)
    assert re.fullmatch(NAMES[topic], name)
    assert check_run_name(name) == name


def test_names_do_not_follow_from_the_topic() -> None:
    assert len({make_run_name("debate", "Tea?") for _ in range(50)}) > 40


@pytest.mark.parametrize("name", ["../x", "a/b", "", "a" * 81, "debate-", "Debate", "a\n", ".lock"])
def test_what_is_no_name_never_becomes_a_path(name: str) -> None:
    with pytest.raises(InputError, match="no run has such a name"):
        check_run_name(name)


def test_runs_are_listed_newest_first(model: str) -> None:
    assert listed() == []
    assert "No runs saved yet" in moot("runs").stdout
    first = document("debate", "Tea?", "--model", model, "--max-turns", "2")
    second = document("debate", "茶？", "--model", model, "--max-turns", "3", "--language", "zh")
    runs = listed()
    assert [run["run"] for run in runs] == [second["run"], first["run"]]
    keys = {"run", "protocol", "topic", "state", "turns", "ending", "tokens", "startedAt", "fault"}
    assert set(runs[0]) == keys | {"waitingFor", "retryAt"}
    assert runs[0]["topic"] == "茶？"
    assert (runs[1]["state"], runs[1]["turns"], runs[1]["ending"]) == ("finished", 2, "max_turns_reached")
    assert runs[1]["tokens"] == first["totalTokens"]
    assert second["run"] in moot("runs").stdout


def test_a_saved_run_is_read_from_python_as_the_graph_gave_it(model: str) -> None:
    name = document("debate", "Tea?", "--model", model, "--max-turns", "2")["run"]
    state = load_run(name)
    assert [statement.speaker for statement in state["history"]] == ["PRO", "CON"]
    assert state["outcome"].reason == "max_turns_reached"
    with pytest.raises(InputError, match="no such run"):
        load_run("debate-nobody")
    with pytest.raises(InputError, match="there is no such database"):
        load_run(name, "nowhere.db")


def test_a_stopped_run_knows_where_it_stands() -> None:
    with FakeServer(faults={3: Fault.status(401)}) as server:
        words = ["debate", "Tea?", "--model", f"openai:fake@{server.url}", "--max-turns", "4", "--seed", "3"]
        assert moot(*words).exit_code == 3
        name = listed()[0]["run"]
        unfinished = document("show", name)
        assert (unfinished["status"], unfinished["terminationReason"]) == ("unfinished", None)
        assert unfinished["fault"] == listed()[0]["fault"] != ""
        assert f"Unfinished; statements so far: 2.\nIt stopped: {unfinished['fault']}" in moot("show", name).stdout
        assert load_run(name)["outcome"] is None
        report = document("resume", name)
    assert (report["fault"], listed()[0]["fault"]) == ("", None)
    assert report["turns"][:2] == unfinished["turns"]
    assert len(report["turns"]) == 4
    assert 0 < report["totalTimeMs"] < 60_000


async def entered(store: Store, **values: Any) -> None:
    run = Run(run="debate-old", protocol="debate", started="2020-01-01T00:00:00Z", **values)
    assert await store.runs.add_run(run)
    assert not await store.runs.add_run(run)


def rewritten(database: Path, change: dict[str, Any]) -> None:
    """Change the record of the one run there is, as another program would."""
    with sqlite3.connect(database) as connection:
        about = json.loads(connection.execute("SELECT about FROM moot_runs").fetchone()[0])
        connection.execute("UPDATE moot_runs SET about = ?", [json.dumps(about | change)])
    connection.close()


@pytest.mark.parametrize(
    ("version", "remedy"),
    [
        (3, "the run has schema_version 3, but this Moot reads at most 2; install a newer Moot"),
        (1, "the run was saved by an early version of Moot that this one cannot read"),
    ],
)
def test_a_run_saved_by_another_version_is_refused_by_name(
    model: str, tmp_path: Path, version: int, remedy: str
) -> None:
    name = document("debate", "Tea?", "--model", model, "--max-turns", "2")["run"]
    rewritten(tmp_path / "moot.db", {"schema_version": version})
    for words in (["show", name], ["resume", name]):
        result = moot(*words)
        assert result.exit_code == 2
        assert f"run = '{name}': {remedy}" in result.stderr


def test_what_a_step_brought_before_the_power_went_is_taken_up_and_not_asked_again(
    model: str, server: FakeServer, tmp_path: Path
) -> None:
    whole = document("debate", "Tea?", "--model", model, "--max-turns", "2")
    rewritten(tmp_path / "moot.db", {"is_finished": False, "ending": ""})
    with sqlite3.connect(tmp_path / "moot.db") as connection:
        connection.execute("DELETE FROM checkpoints WHERE checkpoint_id = (SELECT max(checkpoint_id) FROM checkpoints)")
    connection.close()
    chat_count = len(server.chats)
    assert listed()[0]["state"] == "stopped"
    assert document("show", whole["run"])["turns"] == whole["turns"]
    assert document("resume", whole["run"])["synthesis"] == whole["synthesis"]
    assert len(server.chats) == chat_count


def test_a_run_whose_first_step_was_never_saved_says_so() -> None:
    async def enter() -> None:
        async with open_database() as store:
            await entered(store)

    asyncio.run(enter())
    assert listed()[0]["state"] == "stopped"
    for words in (["show", "debate-old"], ["resume", "debate-old"]):
        assert "start a new run" in moot(*words).stderr


def test_types_that_are_not_of_the_state_are_never_loaded(model: str, tmp_path: Path) -> None:
    name = document("debate", "Tea?", "--model", model, "--max-turns", "2")["run"]
    assert ("moot.state.statement", "Statement") in list_stored_types(debate.graph, debate.graph.builder.schemas)
    with sqlite3.connect(tmp_path / "moot.db") as connection:
        rows = connection.execute("SELECT rowid, value FROM writes WHERE channel = 'history'").fetchall()
        for row, value in rows:
            forged = value.replace(b"moot.state.statement", b"subprocess.nothing__")
            connection.execute("UPDATE writes SET value = ? WHERE rowid = ?", [forged, row])
    connection.close()

    async def history() -> list[Any]:
        async with open_database() as store:
            return list((await load_saved_run(store, name)).state["history"])

    assert all(isinstance(statement, Statement) for statement in asyncio.run(history()))


def test_a_key_that_comes_later_says_which_runs_are_plain(model: str) -> None:
    words = ["--model", model, "--max-turns", "2"]
    before = document("debate", "Should zebras vote?", *words)["run"]
    after = document("debate", "Should zebras vote?", *words, MOOT_DB_KEY=KEY)["run"]
    output = moot("runs", MOOT_DB_KEY=KEY)
    assert output.stderr == f"moot: these runs were saved before MOOT_DB_KEY was set and are not encrypted: {before}\n"
    assert after in output.stdout


def test_with_a_key_nothing_of_a_paper_can_be_read_in_the_file(tmp_path: Path) -> None:
    paper = {"title": "Quiet zebras", "abstract": "Of zebras and noise.", "text": "A zebra makes little noise."}
    (tmp_path / "papers.json").write_text(json.dumps([paper]))
    with FakeServer() as server:
        spec = ["--embeddings", f"openai:any@{server.url}"]
        assert moot("papers", "add", str(tmp_path / "papers.json"), *spec, MOOT_DB_KEY=KEY).exit_code == 0
        assert "Quiet zebras" in moot("papers", "search", "zebra", *spec, MOOT_DB_KEY=KEY).stdout
        assert server.embeds[0].body["input"] == ["Quiet zebras\nOf zebras and noise.\nA zebra makes little noise."]
    content = b"".join(file.read_bytes() for file in tmp_path.glob("moot.db*") if file.is_file())
    assert b"zebra" not in content.lower()
    for wrong, said in {OTHER: "the data were encrypted with another key", "": "this library is encrypted"}.items():
        output = moot("papers", "list", MOOT_DB_KEY=wrong)
        assert (output.exit_code, output.stdout) == (2, "")
        assert said in output.stderr


def test_with_a_key_nothing_of_a_run_can_be_read_in_the_file(model: str, tmp_path: Path) -> None:
    words = ["debate", "Should zebras vote?", "--model", model, "--max-turns", "2"]
    run = document(*words, MOOT_DB_KEY=KEY)
    assert re.fullmatch("debate-[a-z2-9]{4}", run["run"])
    content = b"".join(file.read_bytes() for file in tmp_path.glob("moot.db*") if file.is_file())
    assert b"zebra" not in content.lower()
    assert run["synthesis"][:30].encode() not in content
    assert run["turns"][0]["content"][:30].encode() not in content
    assert document("show", run["run"], MOOT_DB_KEY=KEY) == run
    assert listed(MOOT_DB_KEY=KEY)[0]["topic"] == "Should zebras vote?"
    for wrong, said in {
        OTHER: "the data were encrypted with another key",
        "": "this database is encrypted",
        "c2hvcnQ=": "32 random",
    }.items():
        printed_text = moot("show", run["run"], MOOT_DB_KEY=wrong)
        assert (printed_text.exit_code, printed_text.stdout) == (2, "")
        assert printed_text.stderr.startswith("moot: MOOT_DB_KEY")
        assert said in printed_text.stderr
        output = moot(*words, MOOT_DB_KEY=wrong)
        assert (output.exit_code, output.stdout, output.stderr) == (2, "", printed_text.stderr), (
            "nothing is written beside it"
        )
    assert len(listed(MOOT_DB_KEY=KEY)) == 1


def test_a_key_for_a_provider_is_nowhere_in_what_is_saved_or_shown(tmp_path: Path, caplog: Any) -> None:
    caplog.set_level("DEBUG")
    planted = "sk-planted-0123456789"
    with FakeServer(
        faults={2: Fault.status(500), 4: Fault.status(401, message=f"Incorrect API key: {planted}")}
    ) as server:
        words = ["debate", "Tea?", "--model", f"openai:fake@{server.url}", "--set", "retry_delays=[0]"]
        printed_text = moot(*words, OPENAI_API_KEY=planted, OPENAI_BASE_URL=server.url)
    assert printed_text.exit_code == 3
    output = moot("show", listed()[0]["run"], "--json")
    content = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert planted.encode() not in content
    assert planted not in printed_text.output + output.output + caplog.text


@pytest.mark.long
def test_a_full_disk_stops_the_run_with_the_reason_and_what_was_saved_is_whole(model: str) -> None:
    words = ["debate", "Tea?", "--model", model, "--max-turns", "20", "--set", "dynamic_termination=false"]
    document(*words, "--seed", "1")
    blocks = Path(os.environ["MOOT_DB"]).stat().st_size // 512 + 40
    limited = f"ulimit -f {blocks}; exec {PROGRAM} {' '.join(words)} --seed 1"  # blocks of 512 bytes, for each file
    process = subprocess.run(["sh", "-c", limited], capture_output=True, text=True, env=dict(os.environ), check=False)
    assert process.returncode == 3
    assert re.search(
        r"moot: db = .*moot.db: (disk I/O error|database or disk is full); everything saved", process.stderr
    )
    assert "Continue: " in process.stderr
    name = listed()[0]["run"]
    before = document("show", name)
    assert 0 < len(before["turns"]) < 20
    assert document("resume", name)["turns"][: len(before["turns"])] == before["turns"]


def test_a_long_topic_is_shortened_in_plain_output_and_whole_in_json(tmp_path: Path) -> None:
    topic = "Should " + "very " * 780 + "long topics be shown?"
    moot("debate", topic, "--model", "rehearsal", "--max-turns", "2", "--quiet", "--db", tmp_path / "runs.db")
    output = moot("runs", "--db", tmp_path / "runs.db").stdout
    assert len(output) < 250
    assert "Should very very" in output
    assert [run["topic"] for run in listed("--db", tmp_path / "runs.db")] == [topic]
