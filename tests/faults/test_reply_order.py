"""Replies that come in another order change nothing: the run says, counts and draws the same."""

from dataclasses import replace
from pathlib import Path

import pytest
from command import document
from fakeserver import FakeServer, Reply, Request
from runs.five import ALL, lasting
from runs.undisturbed import undisturbed
from sampling import sample_cases


@pytest.mark.long
@pytest.mark.parametrize(
    "name", sample_cases(["voted consensus", "jury", "delphi", "council with positions", "justice"], kinds=0, share=2)
)
def test_replies_in_another_order_give_the_same_draws_and_the_same_record(name: str, tmp_path: Path) -> None:
    def reply(request: Request) -> Reply:
        answer = ALL[name].reply(request)
        answer = Reply(answer) if isinstance(answer, str) else answer
        return replace(answer, latency=request.seed[0] % 8 / 100)

    with FakeServer(reply) as server:
        report = document(*ALL[name].on(server), "--db", str(tmp_path / "moot.db"))
    assert lasting(report) == undisturbed(name).document
