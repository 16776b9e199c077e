"""Commands that lose their database while a model is being asked, so that they meet it when they next save."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from threading import Lock

import pytest
from command import listed, moot
from fakeserver import Answer, FakeServer, Request

from runs.five import ALL
from runs.undisturbed import goes_on

Trouble = Callable[[], AbstractContextManager[object]]
"""What happens to a database, until the end of its block."""

CALLS = [("debate", 3), ("voted consensus", 2), ("discussion", 4), ("panel", 3), ("justice", 5), ("justice", 30)]
"""The call during which it happens, by protocol: alone, among siblings, among those who are each in their own graph."""

MANY = [pytest.param(*call, marks=[] if call[0] == "debate" else [pytest.mark.long]) for call in CALLS]


def stops_and_goes_on(name: str, call: int, trouble: Trouble, db: str) -> str:
    """Run a protocol into a trouble and, when that is over, to its end; gives the line it stopped with."""
    striking = Lock()
    with ExitStack() as until_relieved, FakeServer() as server:

        def reply(request: Request) -> Answer:
            if request.n == call:
                with striking:
                    until_relieved.enter_context(trouble())
            return ALL[name].reply(request)

        server.reply = reply
        output = moot(*ALL[name].on(server), "--db", db, "--json")
        assert (output.exit_code, output.stdout) == (3, "")
        with striking:
            until_relieved.close()
        assert [run["state"] for run in listed("--db", db)] == ["stopped"]
        goes_on(name, server, db)
    *_, line = output.stderr.splitlines()
    assert output.stderr.count("moot: ") == 1
    assert line.startswith(f"moot: db = {db}: ")
    return line
