"""Kill -9 at every step of every protocol: it goes on where it stood, says and draws the same, and pays nothing twice.

Replies follow from the prompt alone, so that what was said in a run that was killed can be compared with one that
was not.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from command import document, listed
from fakeserver import FakeServer, Fault
from five import ALL, lasting
from killing import forked


class Whole(NamedTuple):
    """A run that nothing happened to: its document without times, and its prompts."""

    document: dict[str, Any]
    prompts: Counter[str]


@cache
def undisturbed(name: str) -> Whole:
    """The run that every killed one is compared with."""
    with TemporaryDirectory() as folder, FakeServer(ALL[name].reply) as server:
        found = document(*ALL[name].on(server), "--db", f"{folder}/moot.db")
        assert len(server.chats) == ALL[name].calls
        return Whole(lasting(found), Counter(one.text for one in server.chats))


def goes_on(name: str, server: FakeServer, db: str = "") -> None:
    """Resume the one run there is: it ends as the undisturbed one, and only what was under way was asked again."""
    options = ["--db", db] if db else []
    resumed = document("resume", listed(*options)[0]["run"], *options)
    whole, asked = undisturbed(name), Counter(one.text for one in server.chats)
    assert lasting(resumed) == whole.document
    assert asked.keys() == whole.prompts.keys()
    again = asked - whole.prompts
    assert set(again.values()) <= {1}
    assert len(again) <= ALL[name].width


@contextmanager
def killed_in_call(name: str, call: int, folder: Path, *options: str) -> Iterator[FakeServer]:
    """A server, after a process was killed that had heard the beginning of its `call`-th answer."""
    with FakeServer(ALL[name].reply, faults={call: Fault.stall(after=2)}) as server:
        with forked([*ALL[name].on(server), *options], folder / "journal"):
            server.wait_for(call, within=30)
        yield server


CALLS = [
    pytest.param(name, call, id=f"{name}-{call}")
    for name in ALL
    if name != "justice"
    for call in range(1, ALL[name].calls + 1)
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "call"), CALLS)
def test_killed_while_any_of_its_calls_is_under_way(name: str, call: int, tmp_path: Path) -> None:
    with killed_in_call(name, call, tmp_path) as server:
        goes_on(name, server)
