"""A run with look-ups, killed at every step: what acts is done once, and the statements are equal."""

import asyncio
from pathlib import Path

import pytest
from runs.looking_up import deliberate, run_killed
from sampling import sample_cases


def count_writes(folder: Path) -> int:
    return len((folder / "journal").read_text().splitlines())


@pytest.mark.long
@pytest.mark.parametrize("approve", ["never", "effects"])
@pytest.mark.parametrize("protocol", ["debate", "council"])
def test_a_tool_that_acts_acts_once_wherever_the_run_is_killed(protocol: str, approve: str, tmp_path: Path) -> None:
    asked = {"lookups": {"approve": approve}}
    whole = tmp_path / "whole"
    whole.mkdir()
    run_killed(protocol, str(whole / "moot.db"), whole, 0, approve)
    state = asyncio.run(deliberate(protocol, str(whole / "moot.db"), whole, **asked))
    said = [one.content for one in state["history"]]
    for fatal in sample_cases(range(1, count_writes(whole) + 1), kinds=0):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        run_killed(protocol, str(folder / "moot.db"), folder, fatal, approve)
        state = asyncio.run(deliberate(protocol, str(folder / "moot.db"), folder, **asked))
        assert [one.content for one in state["history"]] == said, fatal
        acts = (folder / "act.txt").read_text().splitlines()
        assert len(acts) == len(set(acts)), (fatal, acts)
        unknown = [one for one in state["lookups"] if one.status == "unknown"]
        assert all(one.tool == "act" for one in unknown), fatal
        done = {one.arguments["what"] for one in state["lookups"] if one.status == "ok" and one.tool == "act"}
        assert done <= set(acts), fatal
        assert all(one.approved_by for one in state["lookups"] if one.tool == "act") == (approve == "effects"), fatal
        assert len(state["lookups"]) == 4 * len(said), fatal
