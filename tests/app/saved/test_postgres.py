"""Saved runs in PostgreSQL: the same commands, the same promises."""

import asyncio
import base64
import shlex
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from command import apart, document, ended, killed, listed, moot, name_of
from fakeserver import FakeServer, Fault
from moot import load_run
from moot.papers import store as paper_store
from ports import free_port
from runs.looking_up import list_namespaces
from seats import linked
from servers import postgres

pytestmark = pytest.mark.postgres

KEY = base64.b64encode(bytes(range(32))).decode()


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


@pytest.fixture
def db(cluster: postgres.Cluster) -> str:
    """A database of the test's own."""
    return cluster.fresh()


@pytest.mark.long
def test_a_token_opens_one_seat_until_it_is_revoked(db: str) -> None:
    asyncio.run(linked(db))


def test_the_same_commands_work(db: str) -> None:
    with FakeServer(faults={3: Fault.status(401)}) as server:
        words = ["debate", "Tea?", "--model", f"openai:fake@{server.url}", "--max-turns", "4", "--db", db]
        printed_text = moot(*words)
        assert printed_text.exit_code == 3
        run = listed("--db", db)[0]
        assert (run["state"], run["turns"]) == ("stopped", 2)
        assert f"resume {run['run']} --db {db}" in printed_text.stderr
        output = moot("resume", run["run"], "--db", db)
    assert name_of(output.stdout) == run["run"]
    report = document("show", run["run"], "--db", db)
    assert [turn["turnNumber"] for turn in report["turns"]] == [1, 2, 3, 4]
    assert [statement.content for statement in load_run(run["run"], db)["history"]] == [
        turn["content"] for turn in report["turns"]
    ]


def test_with_a_key_nothing_of_a_run_can_be_read_in_any_table(db: str) -> None:
    with FakeServer() as server:
        model = ["--model", f"openai:fake@{server.url}", "--max-turns", "2"]
        words = ["debate", "Should zebras vote?", *model, "--db", db]
        run = document(*words, MOOT_DB_KEY=KEY)
    assert document("show", run["run"], "--db", db, MOOT_DB_KEY=KEY) == run
    told = [run["synthesis"][:30], run["turns"][0]["content"][:30], "zebra"]
    with psycopg.connect(db) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (table,) in tables:
            for row in connection.execute(f"SELECT * FROM {table}".encode()):
                text = "".join(cell.decode("latin-1") if isinstance(cell, bytes) else repr(cell) for cell in row)
                assert not any(words.lower() in text.lower() for words in told), table


@pytest.mark.long
def test_a_run_is_held_by_one_process_and_free_when_that_is_killed(db: str) -> None:
    with FakeServer(faults={2: Fault.stall(after=2)}) as server:
        words = ["debate", "Tea?", "--model", f"openai:fake@{server.url}", "--max-turns", "2", "--db", db]
        process = apart(words)
        server.wait_for(2, within=30)
        run = listed("--db", db)[0]
        assert run["state"] == "running"
        output = moot("resume", run["run"], "--db", db)
        assert output.exit_code == 3
        assert f"in use by process {process.pid} on " in output.stderr
        killed(process)
        report = document("resume", run["run"], "--db", db)
    assert len(report["turns"]) == 2
    assert len(server.chats) == 4


@pytest.mark.long
def test_a_database_that_goes_away_stops_the_run_and_comes_back_whole(db: str) -> None:
    with FakeServer(faults={3: Fault.stall(after=2)}) as server:
        words = ["debate", "Tea?", "--model", f"openai:fake@{server.url}", "--max-turns", "4", "--db", db, "--json"]
        process = apart(words)
        server.wait_for(3, within=30)
        with psycopg.connect(db, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        server.release()
        code, output, errors = ended(process)
        assert (code, output) == (3, "")
        assert "db = postgresql://" in errors
        report = document("resume", listed("--db", db)[0]["run"], "--db", db)
    assert [turn["turnNumber"] for turn in report["turns"]] == [1, 2, 3, 4]


def test_a_password_in_the_address_is_not_printed_again(db: str) -> None:
    address = db.replace("postgres@", "postgres:geheim@")
    with FakeServer(faults={1: Fault.status(401)}) as server:
        output = moot("debate", "Tea?", "--model", f"openai:fake@{server.url}", "--db", address)
    assert output.exit_code == 3
    assert f"--db {db}" in output.stderr
    assert "geheim" not in output.output


def test_a_server_that_is_not_there_is_one_line_without_the_password() -> None:
    address = f"postgresql://moot:geheim@127.0.0.1:{free_port()}/moot"
    result = moot("debate", "Tea?", "--model", "rehearsal", "--db", address)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "geheim" not in result.stderr
    assert result.stderr.count("\n") == 1


def test_with_a_key_nothing_of_a_run_can_be_read_in_the_tables(db: str) -> None:
    with FakeServer() as server:
        words = ["debate", "Should zebras vote?", "--model", f"openai:fake@{server.url}", "--max-turns", "2"]
        run = document(*words, "--db", db, MOOT_DB_KEY=KEY)
    with psycopg.connect(db) as connection:
        tables = [row[0] for row in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        content = "".join(str(row) for table in tables for row in connection.execute(f"SELECT * FROM {table}".encode()))
    assert run["run"] in content
    assert "zebra" not in content.lower()
    assert run["synthesis"][:30] not in content
    assert document("show", run["run"], "--db", db, MOOT_DB_KEY=KEY) == run
    output = moot("debate", "Tea?", "--model", "rehearsal", "--db", db)
    assert (output.exit_code, "this database is encrypted" in output.stderr) == (2, True)


def test_characters_that_postgresql_cannot_hold_are_kept(db: str) -> None:
    hostile = "A statement with \x00 in it, and \u202e too. [1]"
    with FakeServer(reply=lambda _: hostile) as server:
        words = ["debate", "Tea?", "--model", f"openai:fake@{server.url}", "--max-turns", "2", "--db", db]
        report = document(*words)
    assert "\x00" in report["turns"][0]["content"]
    assert "\u202e" in report["synthesis"]


@pytest.mark.long
def test_whoever_may_only_read_lists_and_shows_and_whoever_may_make_no_tables_runs(db: str) -> None:
    run = document("debate", "Tea?", "--model", "rehearsal", "--max-turns", "2", "--db", db)
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        connection.execute("CREATE ROLE writer LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO writer")
    assert moot("papers", "add", "--samples", "--db", db).exit_code == 0
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    reader, writer = (db.replace("postgres@", f"{who}@") for who in ("reader", "writer"))
    assert document("show", run["run"], "--db", reader) == run
    assert [run["run"] for run in listed("--db", reader)] == [run["run"]]
    assert moot("checkpoints", run["run"], "--db", reader).exit_code == 0
    assert moot("papers", "list", "--db", reader).stdout == moot("papers", "list", "--db", db).stdout
    assert document("debate", "Coffee?", "--model", "rehearsal", "--max-turns", "2", "--db", writer)["turns"]


def test_the_command_printed_finds_the_run_again_whatever_is_in_the_address(cluster: postgres.Cluster) -> None:
    cluster.tell('CREATE DATABASE "our runs/é"')
    cluster.tell("CREATE ROLE \"o'neil@here\" SUPERUSER LOGIN PASSWORD 'p@ss w/d'")
    parts = cluster.address.replace("postgres@", "o'neil%40here:p%40ss%20w%2Fd@").removesuffix("postgres")
    words = ["debate", "Tea?", "--model", "rehearsal", "--max-turns", "2", "-q"]
    printed = moot(*words, "--db", f"{parts}our%20runs%2F%C3%A9?application_name=moot").stdout
    line = next(line for line in printed.splitlines() if " show " in line)
    assert "p%40ss" not in line
    again = moot(*shlex.split(line)[1:])
    assert (again.exit_code, "Tea?" in again.stdout) == (0, True)


def test_a_server_that_cannot_compare_vectors_is_told_before_a_vector_is_asked_for(
    db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        paper_store, "FIND_VECTOR_EXTENSION", "SELECT 1 FROM pg_available_extensions WHERE name = 'no such'"
    )
    with FakeServer() as server:
        output = moot("papers", "search", "trees", "--embeddings", f"any@{server.url}", "--db", db)
        assert not server.embeds
    assert (output.exit_code, "install pgvector there, or use `lexical`" in output.stderr) == (2, True)


def test_a_deleted_run_leaves_no_row_in_any_table(db: str) -> None:
    with FakeServer() as server:
        words = ["--model", f"openai:fake@{server.url}", "--max-turns", "2", "--db", db]
        gone, run = document("debate", "Tea?", *words)["run"], document("debate", "Milk?", *words)["run"]
    assert moot("delete", gone, "--yes", "--db", db).exit_code == 0
    assert [saved_run["run"] for saved_run in listed("--db", db)] == [run]
    with psycopg.connect(db) as connection:
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            rows = connection.execute(f"SELECT DISTINCT thread_id FROM {table}".encode()).fetchall()
            assert rows == [(run,)], table


def test_a_saved_step_leaves_no_row_of_its_look_ups_or_of_its_agent(db: str, tmp_path: Path) -> None:
    assert asyncio.run(list_namespaces(db, tmp_path)) == {""}
    with psycopg.connect(db) as connection:
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            assert connection.execute(f"SELECT DISTINCT checkpoint_ns FROM {table}".encode()).fetchall() == [("",)]
