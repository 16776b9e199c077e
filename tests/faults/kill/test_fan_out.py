"""Kill -9 while eight are asked at once: what seven have answered is kept, and only the eighth is asked again."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import document, listed
from fakeserver import FakeServer, Fault
from runs.five import ALL, lasting
from runs.killing import forked, wait_until_saved
from runs.undisturbed import undisturbed
from sampling import sample_cases
from servers import postgres

pytestmark = [pytest.mark.postgres, pytest.mark.long]

FAN_OUTS = {
    "blind round": ("consensus of eight", 5),
    "ballots": ("consensus of eight", 13),
    "justice: ballots": ("justice of eight", 93),
    "justice: memories of the agreement": ("justice of eight", 109),
    "justice: memories of the results": ("justice of eight", 117),
    "justice: last rankings": ("justice of eight", 125),
}
"""Protocol and number of the call that is not answered, in the midst of a step of eight branches."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


CASES = [pytest.param(name, call, id=fan_out) for fan_out, (name, call) in FAN_OUTS.items()]


@pytest.mark.parametrize(("name", "call"), sample_cases(CASES))
def test_only_the_open_branch_is_asked_again(name: str, call: int, cluster: postgres.Cluster, tmp_path: Path) -> None:
    db = cluster.fresh()
    with FakeServer(ALL[name].reply, faults={call: Fault.stall(after=2)}) as server:
        with forked([*ALL[name].on(server), "--db", db], tmp_path / "journal"):
            server.wait_for(call, within=30)
            wait_until_saved(7, tmp_path / "journal")
        assert lasting(document("resume", listed("--db", db)[0]["run"], "--db", db)) == undisturbed(name).document
        again = Counter(chat.text for chat in server.chats) - undisturbed(name).prompts
        assert again == {server.chats[call - 1].text: 1}
