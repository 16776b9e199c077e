"""Experiments of many runs: listed fast, and the same on PostgreSQL as in one file."""

import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import document, moot
from fakeserver import FakeServer, echo_by_hash
from places import proof_size
from records.tables import lasting, read
from servers import postgres


def written(folder: Path, **given: Any) -> Path:
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump({"name": "many", "protocol": "debate", **given}))
    return path


@pytest.mark.long
def test_five_thousand_planned_runs_are_listed_within_two_seconds_and_200_mb(tmp_path: Path) -> None:
    items = [f"Topic {number}?" for number in range(500)]
    given = {"settings": {"model": "rehearsal", "max_turns": 2, "budget": {"calls": 3}}, "cap": {"calls": 3}}
    plan = written(tmp_path, items=items[:1], **given)
    assert moot("experiment", "run", plan, "--json").exit_code == 0
    more = written(tmp_path, items=items, repeats=10, **given)
    assert moot("experiment", "run", more, "--json").exit_code == 3, "the cap is spent, so that none is begun"
    tracemalloc.start()
    start = time.process_time()
    report = document("experiment", "status", "many")
    spent, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [(condition["planned"], condition["done"], condition["waiting"]) for condition in report["conditions"]] == [
        (5000, 1, 4999)
    ]
    assert spent < 2 * SLOWED
    assert peak < 200e6


SLOWED = 3
"""How many times as long a listing may take while its memory is traced."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with postgres.cluster() as running:
        yield running.fresh()


@pytest.mark.long
@pytest.mark.postgres
def test_an_experiment_leaves_the_same_rows_on_postgresql_as_in_one_file(address: str, tmp_path: Path) -> None:
    with FakeServer(reply=echo_by_hash) as server:
        settings = {"model": f"openai:fake@{server.url}", "max_turns": 2, "budget": {"calls": 4}}
        items = [f"Topic {number}?" for number in range(max(2, proof_size(25)))]
        conditions = {"plain": {}, "long": {"max_turns": 3}}
        plan = written(tmp_path, settings=settings, items=items, conditions=conditions, cap={"calls": 10_000})
        tables = []
        for place in (str(tmp_path / "runs.db"), address):
            output = moot("experiment", "run", plan, "--jobs", "6", "--json", "--db", place)
            assert output.exit_code == 0, output.stderr
            chat_count = len(server.chats)
            assert moot("experiment", "run", "many", "--json", "--db", place).exit_code == 0
            assert len(server.chats) == chat_count, "a second run asks nobody"
            folder = tmp_path / f"data{len(tables)}"
            assert moot("experiment", "export", "many", "-o", folder, "--db", place).exit_code == 0
            tables.append(read(folder))
    for name in tables[0].keys() - {"codebook"}:
        first, second = ([lasting(row) for row in table[name]] for table in tables)
        assert first == second, name
