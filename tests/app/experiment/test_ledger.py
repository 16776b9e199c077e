"""The ledger of an experiment: a line for each begin and end, written with it, in one chain."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import apart, killed, moot
from fakeserver import FakeServer
from moot.app.experiment import lifecycle
from moot.app.experiment.seal import map_versions
from moot.app.saved import open_database
from moot.app.saved.experiments import SavedExperiment
from moot.app.saved.ledger import LedgerLine

PLAN: dict[str, Any] = {
    "name": "kept",
    "protocol": "debate",
    "settings": {"model": "rehearsal", "max_turns": 2},
    "items": ["Ban cars?", "Tax sugar?", "Open borders?"],
}


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(PLAN | changes))
    return path


def ledger(db: Path | str) -> list[LedgerLine]:
    async def read() -> list[LedgerLine]:
        async with open_database(str(db)) as store:
            return await store.experiments.list_ledger("kept")

    return asyncio.run(read())


def check_chain(lines: list[LedgerLine]) -> None:
    assert [line.n for line in lines] == list(range(1, len(lines) + 1))
    assert [line.prev for line in lines] == ["", *(line.hash for line in lines[:-1])]
    assert sorted(line.at for line in lines) == [line.at for line in lines]


def kinds(lines: list[LedgerLine], run: str = "") -> list[str]:
    return [line.kind for line in lines if line.run == run]


def test_each_run_has_one_line_as_it_begins_and_one_as_it_ends(tmp_path: Path) -> None:
    plan, db = written(tmp_path), tmp_path / "runs.db"
    assert moot("experiment", "seal", plan).exit_code == 0
    for _ in range(2):
        assert moot("experiment", "run", plan, "--db", db).exit_code == 0
    lines = ledger(db)
    check_chain(lines)
    assert kinds(lines) == ["sealed", "begun"]
    for number in (1, 2, 3):
        assert kinds(lines, f"kept-all-{number}-r1") == ["begun", "ended"]
    written(tmp_path, items=[*PLAN["items"], "Why?"])
    (tmp_path / "plan.seal.json").unlink()
    assert moot("experiment", "run", plan, "--db", db).exit_code == 0
    assert kinds(ledger(db)) == ["sealed", "begun", "changed"]
    assert moot("delete", "kept-all-2-r1", "--yes", "--db", db).exit_code == 0
    assert moot("experiment", "run", plan, "--retry-failed", "--db", db).exit_code == 0
    lines = ledger(db)
    check_chain(lines)
    assert kinds(lines, "kept-all-2-r1") == ["begun", "ended", "failed", "begun", "ended"]


def test_workers_that_see_other_versions_at_once_record_them_once_and_undo_no_close(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {**PLAN["settings"], "budget": {"calls": 3}}
    plan, db = written(tmp_path, settings=settings, cap={"calls": 3}), tmp_path / "runs.db"
    assert moot("experiment", "seal", plan).exit_code == 0
    moot("experiment", "run", plan, "--db", db, "--jobs", "1")
    monkeypatch.setattr(lifecycle, "map_versions", lambda: map_versions() | {"openai": "9"})

    async def see_other_versions() -> SavedExperiment:
        async with open_database(str(db)) as first, open_database(str(db)) as second:
            before = await first.experiments.get_experiment("kept")
            await lifecycle.close_experiment(second, before, "over", fails=False)
            after = await asyncio.gather(*(lifecycle.record_versions(store, before) for store in (first, second)))
            assert after[0] == after[1] == await first.experiments.get_experiment("kept")
            return after[0]

    experiment = asyncio.run(see_other_versions())
    assert (len(experiment.changes), experiment.close_reason) == (1, "over")
    lines = ledger(db)
    check_chain(lines)
    assert kinds(lines)[-2:] == ["closed", "changed"]
    assert lines[-1].what == experiment.digest


def test_what_was_open_at_the_close_has_failed_by_the_ledger(tmp_path: Path) -> None:
    settings = {**PLAN["settings"], "budget": {"calls": 3}}
    plan, db = written(tmp_path, settings=settings, cap={"calls": 3}), tmp_path / "runs.db"
    assert moot("experiment", "run", plan, "--db", db, "--jobs", "1").exit_code in (0, 3)
    open_runs = [
        f"kept-all-{number}-r1" for number in (1, 2, 3) if "ended" not in kinds(ledger(db), f"kept-all-{number}-r1")
    ]
    closed = moot("experiment", "close", "kept", "--db", db)
    if open_runs:
        lines = ledger(db)
        check_chain(lines)
        assert lines[-1].kind == "closed"
        assert all(kinds(lines, run)[-1] == "failed" for run in open_runs)
        assert lines[-1].hash in closed.stdout


@pytest.mark.long
def test_after_a_kill_no_run_ends_twice_and_no_line_is_missing(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    with FakeServer() as model:
        settings = {**PLAN["settings"], "model": f"openai:fake@{model.url}"}
        plan = written(tmp_path, settings=settings, repeats=4)
        process = apart(["experiment", "run", plan, "--db", db])
        model.wait_for(12, within=60)
        killed(process)
        assert moot("experiment", "run", plan, "--db", db).exit_code == 0
    lines = ledger(db)
    check_chain(lines)
    runs = {line.run for line in lines if line.run}
    assert len(runs) == 12
    assert all(kinds(lines, run) == ["begun", "ended"] for run in runs)
