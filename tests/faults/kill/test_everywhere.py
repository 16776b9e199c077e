"""Kill -9 at every step of every protocol: it goes on where it stood, says and draws the same, and pays nothing twice.

A proof kills at every step, other runs of the tests at a tenth of them. Replies follow from the prompt alone, so that
what was said in a run that was killed can be compared with one that was not.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from signal import SIGKILL

import pytest
from command import listed
from fakeserver import FakeServer, Fault
from places import is_proof
from runs.five import ALL, FIVE, MORE, UNSEEN, lasting, load_document
from runs.killing import forked
from runs.undisturbed import goes_on, reconciled, undisturbed
from sampling import sample_cases
from servers import postgres


@contextmanager
def killed_in_call(name: str, call: int, folder: Path, *options: str) -> Iterator[FakeServer]:
    """A server, after a process was killed that had heard the beginning of its `call`-th answer."""
    with FakeServer(ALL[name].reply, faults={call: Fault.stall(after=2)}) as server:
        with forked([*ALL[name].on(server), *options], folder / "journal"):
            server.wait_for(call, within=30)
        yield server


CALLS = [
    pytest.param(name, call, id=f"{name}-{call}")
    for name in {**FIVE, **MORE}
    if name != "justice"
    for call in range(1, ALL[name].calls + 1)
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "call"), sample_cases(CALLS, share=20))
def test_killed_while_any_of_its_calls_is_under_way(name: str, call: int, tmp_path: Path) -> None:
    with killed_in_call(name, call, tmp_path) as server:
        goes_on(name, server)


ALONE = 8
"""The write a process dies before where three are each in a graph of their own: before any of them is a step further,
they write twice each, or once. Everywhere else, in a proof, it is the second: a process saves one thing, and dies."""
MOST = 1 if is_proof() else 19
"""The most things that a process saves before it dies: of a run's writes, all are a death, or about a tenth."""


def next_death(journal: Path, points: Random) -> int:
    """The write before which the next process dies, by where the last one stood."""
    death = 1 + points.randint(1, MOST)
    lines = journal.read_text().splitlines() if journal.exists() else []
    return max(ALONE, death) if lines and lines[-1].startswith("alone") else death


def dying(name: str, folder: Path, *options: str) -> Counter[str]:
    """Run it by processes that each save a little and die; gives the prompts they all asked together."""
    journal, lives, points = folder / "journal", 1, Random(f"{name} {len(options)}")
    with FakeServer(ALL[name].reply) as server:
        with forked([*ALL[name].on(server), *options], journal, fatal=next_death(journal, points)) as process:
            process.join()
        again = ["resume", listed(*options)[0]["run"], *options]
        while process.exitcode:
            assert process.exitcode == -SIGKILL
            assert lives < 150, "it does not get on"
            with forked(again, journal, fatal=next_death(journal, points)) as process:
                process.join()
            lives += 1
        assert lives > len(journal.read_text().splitlines()) // (1 + MOST)
        document = load_document(again[1], *options)
        assert lasting(document) == undisturbed(name).document
        counts = Counter(chat.text for chat in server.chats)
        whole, lost = undisturbed(name).prompts, document["lostRequests"]
        assert lost >= (counts - whole).total(), "what was set aside may not have been sent yet"
        reconciled(document, sent=whole.total() + lost, lost=lost)
        return counts


def all_asked_of(name: str, asked: Counter[str]) -> None:
    """Nothing was asked but what an undisturbed run asks, and once more for each process that died with it."""
    whole = undisturbed(name).prompts
    assert asked.keys() == whole.keys()
    assert max((asked - whole).values(), default=0) <= ALL[name].width


EACH = ["debate with positions", "consensus with positions", "discussion", "panel", "justice", "voted consensus"]
EACH += ["jury", "delphi", "council with positions"]
"""Every protocol, consensus with its vote; the debate with its positions takes every step of a plain one."""


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases([*EACH, *UNSEEN], kinds=0, share=3))
def test_killed_before_every_single_write(name: str, tmp_path: Path) -> None:
    all_asked_of(name, dying(name, tmp_path))


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


@pytest.mark.long
@pytest.mark.postgres
@pytest.mark.parametrize("name", sample_cases(EACH, seed=2, kinds=0, share=3))
def test_killed_before_every_single_write_to_postgresql(name: str, cluster: postgres.Cluster, tmp_path: Path) -> None:
    all_asked_of(name, dying(name, tmp_path, "--db", cluster.fresh()))
