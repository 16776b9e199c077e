"""What may be loaded from a checkpoint: Moot's own types, and of a protocol from elsewhere those its state names."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
from langgraph.graph import StateGraph
from moot.state.deliberation import DeliberationState, make_delta_channel
from moot.state.reducers import make_append_reducer
from moot.state.settings import StoppingSettings
from moot.storage import list_stored_types
from places import ROOT
from pydantic import BaseModel


class Charge(BaseModel):
    """Stands in a finding."""

    text: str = ""


class Finding(BaseModel):
    """Stands in the state."""

    charges: list[Charge] | None = None


class Unnamed(BaseModel):
    """Stands nowhere."""


class CourtRules(StoppingSettings):
    """Rules from elsewhere."""


class Court(DeliberationState):
    """A state from elsewhere."""

    findings: Annotated[dict[str, list[Finding]], make_delta_channel(make_append_reducer(Finding))]


def test_of_a_protocol_from_elsewhere_the_types_its_state_and_rules_name_are_loaded_and_no_others() -> None:
    graph = StateGraph(Court, context_schema=CourtRules).add_node("find", lambda _: {}).set_entry_point("find")
    stored_types = list_stored_types(graph.compile(), [Court, CourtRules])
    assert {name for module, name in stored_types if module == __name__} == {"Finding", "Charge", "CourtRules"}
    assert ("moot.state.statement", "Statement") in stored_types


@pytest.mark.long
def test_a_run_that_waits_for_approval_loads_every_type_of_its_look_ups(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path; from runs.looking_up import deliberate; "
        "folder = Path(sys.argv[1]); approving = {'approve': 'effects'}; "
        "asyncio.run(deliberate('debate', str(folder / 'moot.db'), folder, lookups=approving))"
    )
    env = {name: value for name, value in os.environ.items() if name != "LANGGRAPH_STRICT_MSGPACK"}  # as users have it
    env["PYTHONPATH"] = str(ROOT / "tests" / "support")
    command = [sys.executable, "-c", program, str(tmp_path)]
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    assert (tmp_path / "act.txt").read_text()
