"""A PostgreSQL server lost in the middle of a run: it stops and says why, nothing is half-written, it goes on later."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial

import pytest
from fakeserver import Answer, FakeServer, Request, echo_by_hash
from moot import open_session
from moot.models.failures import RunStoppedError
from runs.losing import CALLS, stops_and_goes_on
from sampling import sample_cases
from servers import postgres

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


@contextmanager
def down(cluster: postgres.Cluster) -> Iterator[None]:
    """The server crashes, and is started again."""
    cluster.halt()
    yield
    cluster.start()


@contextmanager
def cut_off(cluster: postgres.Cluster) -> Iterator[None]:
    """The server ends the connection."""
    cluster.disconnect()
    yield


CASES = [
    pytest.param(name, trouble, call, id=f"{name}-{call}-{trouble.__name__}")
    for name, call in CALLS
    for trouble in (down, cut_off)
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "trouble", "call"), sample_cases(CASES, kinds=0))
def test_a_server_that_goes_away(
    name: str, trouble: Callable[[postgres.Cluster], AbstractContextManager[None]], call: int, cluster: postgres.Cluster
) -> None:
    line = stops_and_goes_on(name, call, partial(trouble, cluster), cluster.fresh())
    assert "connection" in line  # its first user is told why it ended, and that may be a branch


@pytest.mark.long
@pytest.mark.parametrize("trouble", [down, cut_off])
def test_a_session_object_whose_server_goes_away(
    trouble: Callable[[postgres.Cluster], AbstractContextManager[None]], cluster: postgres.Cluster
) -> None:
    with ExitStack() as until_relieved, FakeServer() as server:

        def reply(request: Request) -> Answer:
            if request.n == 1:
                until_relieved.enter_context(trouble(cluster))
            return echo_by_hash(request)

        server.reply = reply
        settings = {"model": f"openai:fake@{server.url}", "max_turns": 5}
        seats = [{"name": "Zoe", "kind": "person"}, "Ada", "Ben"]
        session = open_session("Tea?", seats, settings=settings, db=cluster.fresh())
        with pytest.raises(RunStoppedError, match="everything saved before is complete"):
            session.send("Zoe", "Tea, then.", id="m1")
        until_relieved.close()
        assert [statement.speaker for statement in session.load_snapshot().history] == ["Zoe"]
        assert session.send("Zoe", "Tea, then.", id="m1").turn == 1
        assert [statement.speaker for statement in session.advance().history] == ["Zoe", "Ada", "Ben"]
        assert len(server.chats) == 3
