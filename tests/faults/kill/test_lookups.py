"""A run with look-ups, killed at every step: what acts is done once, and the statements are equal."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from runs.looking_up import deliberate, run_killed
from sampling import sample_cases
from servers import postgres

pytestmark = pytest.mark.long

KINDS = [
    *[(protocol, approve) for protocol in ("debate", "council") for approve in ("never", "effects")],
    *[(protocol, "never") for protocol in ("discussion", "panel")],
]


def count_writes(folder: Path) -> int:
    return len((folder / "journal").read_text().splitlines())


def kill_at_every_write(protocol: str, approve: str, place: Callable[[Path], str], tmp_path: Path) -> None:
    """Kill a run before each of its writes and go on with it. `place`: the database of a folder."""
    asked = {"lookups": {"approve": approve}}
    whole = tmp_path / "whole"
    whole.mkdir()
    database = place(whole)
    run_killed(protocol, database, whole, 0, approve)
    state = asyncio.run(deliberate(protocol, database, whole, **asked))
    contents = [statement.content for statement in state["history"]]
    for fatal in sample_cases(range(1, count_writes(whole) + 1), kinds=0):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        database = place(folder)
        run_killed(protocol, database, folder, fatal, approve)
        state = asyncio.run(deliberate(protocol, database, folder, **asked))
        assert [statement.content for statement in state["history"]] == contents, fatal
        acts = (folder / "act.txt").read_text().splitlines()
        assert len(acts) == len(set(acts)), (fatal, acts)
        unknown = [lookup for lookup in state["lookups"] if lookup.status == "unknown"]
        assert all(one.tool == "act" for one in unknown), fatal
        whats = {
            lookup.arguments["what"] for lookup in state["lookups"] if lookup.status == "ok" and lookup.tool == "act"
        }
        assert whats <= set(acts), fatal
        assert all(lookup.approved_by for lookup in state["lookups"] if lookup.tool == "act") == (
            approve == "effects"
        ), fatal
        assert len(state["lookups"]) == 4 * len(contents), fatal


@pytest.mark.parametrize(("protocol", "approve"), sample_cases(KINDS, kinds=0, share=3))
def test_a_tool_that_acts_acts_once_wherever_the_run_is_killed(protocol: str, approve: str, tmp_path: Path) -> None:
    kill_at_every_write(protocol, approve, lambda folder: str(folder / "moot.db"), tmp_path)


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


@pytest.mark.postgres
@pytest.mark.parametrize(("protocol", "approve"), sample_cases(KINDS, seed=3, kinds=0))
def test_and_so_it_does_on_postgresql(protocol: str, approve: str, cluster: postgres.Cluster, tmp_path: Path) -> None:
    kill_at_every_write(protocol, approve, lambda folder: cluster.fresh(), tmp_path)
