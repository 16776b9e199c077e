"""Requests sent = recorded + lost, whatever the server does and however often the run stops."""

from typing import Any

import pytest
from command import listed, moot
from fakeserver import FakeServer, Fault
from hypothesis import HealthCheck, given, settings, strategies as st
from runs.five import ALL, CAST, TOPIC, Called, called, load_document
from runs.undisturbed import reconciled
from sampling import sample_cases

MEASURED = Called(called("consensus", TOPIC, *CAST, "--max-rounds", "2", settings=("convergence=embedding",)), 13, 3)
FAULTS = {
    "dropped": Fault.drop(),
    "broken": Fault.status(500),
    "refused": Fault.status(401),
    "limited": Fault.status(429, retry_after=0),
    "no JSON": Fault.not_json(),
    "cut": Fault.cut_body(),
    "empty": Fault.content("empty"),
    "too long": Fault.overflow(),
}
RUNS = {name: ALL[name] for name in ("debate with positions", "voted consensus", "judged debate", "council", "panel")}
RUNS |= {"measured consensus": MEASURED, "discussion": ALL["discussion"], "jury": ALL["jury"]}


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases([*RUNS], kinds=0, share=3))
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(faults=st.dictionaries(st.integers(1, 20), st.sampled_from(sorted(FAULTS)), max_size=8))
def test_every_request_is_on_record_once(name: str, faults: dict[int, str], tmp_path_factory: Any) -> None:
    db = str(tmp_path_factory.mktemp("reconciled") / "runs.db")
    with FakeServer(RUNS[name].reply, faults={call: FAULTS[fault] for call, fault in faults.items()}) as server:
        more = [f"embeddings=openai:embed@{server.url}"] if name == "measured consensus" else []
        moot(*RUNS[name].on(server, *more), "--db", db)
        runs = listed("--db", db)
        for _ in range(10):
            if not runs or load_document(runs[0]["run"], "--db", db)["status"] in ("completed", "partial"):
                break
            moot("resume", runs[0]["run"], "--db", db)
        if runs:
            reconciled(load_document(runs[0]["run"], "--db", db), sent=len(server.requests), lost=0)
