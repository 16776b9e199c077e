"""A run that waits says so on standard error, where its output goes into a pipe or a file."""

import asyncio
from collections.abc import Callable

import pytest
from command import moot
from fakeserver import FakeServer
from moot.app.display.events import RunEvent, StatementAdded, StepEnded, StepStarted
from moot.app.display.screen import Screen
from moot.app.display.watcher import LineDisplay, WaitDisplay
from moot.state.statement import Statement

ANN, BEN = StepStarted("speak", "Ann", 1, "a"), StepStarted("speak", "Ben", 2, "b")


class Timer:
    """Stands for the event loop's timer: its time is over when a test says so."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.due: Callable[[], None] | None = None

    def __call__(self, delay: float, show: Callable[[float], None], seconds: float) -> "Timer":
        self.waits.append(delay)
        self.due = lambda: show(seconds)
        return self

    def cancel(self) -> None:
        self.due = None

    def pass_by(self) -> None:
        if self.due:
            self.due()


def show_events(timer: Timer, display: WaitDisplay, *events: RunEvent | None) -> None:
    """Tell a display of these events; `None` is the time its timer waits for."""

    async def tell() -> None:
        for event in events:
            if event is None:
                timer.pass_by()
            else:
                await display.show_event(event)

    asyncio.run(tell())


def test_a_wait_is_told_within_two_seconds_and_then_every_ten(capsys: pytest.CaptureFixture[str]) -> None:
    timer = Timer()
    show_events(timer, WaitDisplay(timer), StepStarted("speak", "Ann", 1, "a"), None, None, None)  # type: ignore[arg-type]
    assert capsys.readouterr().err.splitlines() == [f"Ann is thinking · {seconds} s" for seconds in (2, 12, 22)]
    assert max(timer.waits[:1]) <= 2
    assert timer.waits[1:] == [10, 10, 10]


def test_a_wait_names_those_who_are_still_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    timer = Timer()
    events = [ANN, BEN, None, StepEnded("speak", "a"), None, StepEnded("speak", "b"), None]
    show_events(timer, WaitDisplay(timer), *events)  # type: ignore[arg-type]
    lines = capsys.readouterr().err.splitlines()
    assert [("Ann" in line, "Ben" in line) for line in lines] == [(True, True), (False, True)]


def test_a_wait_is_told_beside_what_a_pipe_gets(capsys: pytest.CaptureFixture[str]) -> None:
    timer = Timer()
    display = LineDisplay(Screen())
    display._call_later = timer  # type: ignore[assignment]
    statement = Statement(turn=1, round=1, speaker="Ann", content="Tea.", tokens=2)
    show_events(timer, display, StepStarted("speak", "Ann", 1, "a"), None, StatementAdded(statement))
    output = capsys.readouterr()
    assert ("Tea." in output.out, "thinking" in output.out, "Ann is thinking · 2 s" in output.err) == (
        True,
        False,
        True,
    )


@pytest.mark.parametrize(("option", "is_told"), [(None, True), ("--json", True), ("--quiet", False)])
def test_a_slow_model_is_told_of_on_a_pipe(option: str | None, is_told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.app.display.watcher.FIRST_NOTE", 0.0)  # any answer is slow then
    with FakeServer() as server:
        words = ["debate", "Tea?", "--model", f"openai:fake@{server.url}", "--max-turns", "2", *filter(None, [option])]
        result = moot(*words)
    assert result.exit_code == 0
    assert ("PRO is thinking · 0 s" in result.stderr) == is_told
    assert "is thinking" not in result.stdout
