"""Kill -9 in the middle of a justice experiment: it goes on where it stood, draws the same, and pays once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from command import apart, document, killed, listed
from fakeserver import FakeServer, Fault
from runs.five import FIVE
from sampling import sample_cases

JUSTICE = FIVE["justice"]
"""An experiment of three with one round: 24 calls alone, 6 talking, 9 voting, 6 for memories, 3 last rankings."""
OURS = ("phase1", "phase2", "draws", "measures", "headline", "config")


def select_own_keys(found: dict[str, Any]) -> dict[str, Any]:
    """The experiment's own keys, without times, tokens and addresses."""
    ours = {key: found[key] for key in OURS}
    for statement in ours["phase2"]["discussion_history"]:
        statement.pop("timestamp"), statement.pop("tokens")
    ours["config"].pop("model"), ours["config"].pop("recipients")
    return ours


@pytest.fixture(scope="module")
def undisturbed() -> Iterator[dict[str, Any]]:
    with FakeServer(JUSTICE.reply) as server:
        found = select_own_keys(document(*JUSTICE.on(server)))
        assert len(server.chats) == JUSTICE.calls
        yield found


@contextmanager
def waiting(call: int) -> Iterator[FakeServer]:
    """A server, after a process was killed that had heard the beginning of its `call`-th answer."""
    with FakeServer(JUSTICE.reply, faults={call: Fault.stall(after=2)}) as server:
        process = apart(JUSTICE.on(server))
        try:
            server.wait_for(call, within=30)
            killed(process)
            yield server
        finally:
            process.kill()


@pytest.mark.long
def test_after_kill_9_in_the_comprehension_test_no_question_is_asked_again_that_was_answered() -> None:
    words = JUSTICE.on
    tested = ("comprehension_test=true", "comprehension_tries=2")
    with FakeServer(JUSTICE.reply) as server:
        whole = select_own_keys(document(*words(server, *tested)))
        calls = len(server.chats)
    with FakeServer(JUSTICE.reply, faults={9: Fault.stall(after=2)}) as server:
        process = apart(words(server, *tested))
        try:
            server.wait_for(9, within=30)
            killed(process)
        finally:
            process.kill()
        assert select_own_keys(document("resume", listed()[0]["run"])) == whole
        assert calls <= len(server.chats) <= calls + 3
    attempts = [answer["attempts"] for alone in whole["phase1"].values() for answer in alone["comprehension"]]
    assert len(attempts) == 3 * 4
    assert set(attempts) == {1, 2}


@pytest.mark.long
@pytest.mark.parametrize("call", sample_cases([5, 27, 32, 38, 42], kinds=0))
def test_after_kill_9_an_experiment_ends_as_if_nothing_had_happened(call: int, undisturbed: dict[str, Any]) -> None:
    with waiting(call) as server:
        run = listed()[0]
        report = document("resume", run["run"])
        assert select_own_keys(report) == undisturbed
        assert len(server.chats) <= JUSTICE.calls + 3
    purposes = [tuple(one["purpose"]) for one in report["draws"]]
    assert len(purposes) == len(set(purposes))
