"""A run goes on from where it stopped on a clock that is behind the one that wrote."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import apart, document, ended, listed
from fakeserver import FakeServer, Fault
from servers import postgres

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
LATE = {"LD_PRELOAD": str(LIBRARY), "FAKETIME": "-20s", "DONT_FAKE_MONOTONIC": "1"}

pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason="not run: needs libfaketime: apt-get install libfaketime")


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path_factory.mktemp("db") / "moot.db")
    else:
        with postgres.cluster() as cluster:
            yield cluster.fresh()


def test_nothing_is_passed_over_or_paid_twice_on_a_clock_that_is_behind(db: str) -> None:
    with FakeServer(faults={4: Fault.status(401), 7: Fault.status(401)}) as server:
        model = ["--model", f"openai:fake@{server.url}", "--set", "dynamic_termination=false", "--max-turns", "8"]
        assert ended(apart(["debate", "Tea?", *model, "--db", db]))[0] == 3
        run = listed("--db", db)[0]["run"]
        for clock, code, turns in [(LATE, 3, 5), ({}, 0, 8), (LATE, 0, 8)]:
            found = ended(apart(["resume", run, "--db", db], **clock))
            assert found[0] == code, found[2]
            assert len(document("show", run, "--db", db)["turns"]) == turns
        assert len(server.chats) == 8 + 1 + 2, "each statement and the closing text once, and the two calls that failed"
