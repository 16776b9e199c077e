"""What every test runs under: no keys, no network, strict checkpoints; and what was not run is said."""

import gc
import os
import re
import shutil
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"  # read when langgraph is imported
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["LANGGRAPH_CLI_NO_ANALYTICS"] = "1"

import pytest
from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

ALL = os.environ.get("MOOT_ALL") == "1"
"""Whether everything must run: then a program that is missing is a failure."""

PERSONAL = re.compile(r"MOOT_(?!(?:ALL|PROOF)$)\w+|OPENAI_\w+|LANGSMITH_API_KEY|\w+_API_KEY|PG[A-Z]+")
"""Variables that could lead to a paid provider, or to somebody's own database."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background job, whose children inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

for name in list(os.environ):
    if PERSONAL.fullmatch(name):
        del os.environ[name]


POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))[-1:] or list(
    filter(None, [shutil.which("postgres")])
)
NEEDS = {
    "long": (ALL, "the long matrix: make test-all"),
    "postgres": (bool(POSTGRES), "needs PostgreSQL: apt-get install postgresql"),
    "faketime": (ALL, "with a clock that is wrong, for which libfaketime has to be there: make test-all"),
    "chromium": (ALL, "in a browser, for which Chromium has to be there: make test-all"),
}
"""By marker: whether there is what it needs, and how to get it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what cannot run here, unless everything must run."""
    for item in items:
        for marker, (here, remedy) in NEEDS.items():
            if item.get_closest_marker(marker) and not here and not ALL:
                item.add_marker(pytest.mark.skip(reason=f"not run: {remedy}"))


def pytest_collection_finish() -> None:
    """Keep what lives to the end, such as modules and tests, out of garbage collections."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not run, and how to have it run."""
    skipped: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = str(report.longrepr[2]).removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else "skipped"
        skipped[reason] = skipped.get(reason, 0) + 1
    for reason, count in sorted(skipped.items()):
        terminalreporter.write_line(f"{count} tests {reason}")


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saved runs and user data go to the test's own folder."""
    monkeypatch.setenv("MOOT_DB", str(tmp_path / "moot.db"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture(autouse=True)
def _on_this_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sockets lead to this machine only; a test that tries another fails, whatever the code made of the refusal."""
    tried: list[str] = []
    connect, connect_ex, lookup = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def checked(host: object) -> None:
        name = host.decode() if isinstance(host, bytes) else str(host or "localhost")
        if not (name in ("localhost", "::1", "0.0.0.0") or name.startswith("127.")):
            tried.append(name)
            raise ConnectionRefusedError(f"tests do not reach beyond this machine: {name}")

    def connecting(way):  # type: ignore[no-untyped-def]
        def call(self: socket.socket, address: object) -> object:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                checked(address[0])  # type: ignore[index]
            return way(self, address)

        return call

    def looking_up(host, *args, **kwargs):  # type: ignore[no-untyped-def]
        checked(host)
        return lookup(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", connecting(connect))
    monkeypatch.setattr(socket.socket, "connect_ex", connecting(connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", looking_up)
    yield
    assert not tried, f"the test tried to reach {tried}"
