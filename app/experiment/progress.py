"""How an experiment's progress is shown: a bar on a terminal, a line for each run into a pipe."""

from collections.abc import Mapping
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from ...state.incident import Call
from ...state.settings import Prices
from ..display.screen import QUIET, Screen
from ..saved.experiments import Standing, State
from .draw import Trial


class Watch:
    """Is told how an experiment goes, and shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Nothing more will come."""

    def draining(self) -> None:
        """Ctrl-C was pressed once."""

    def begun(self, trial: Trial) -> None:
        """A run is under way."""

    def called(self, call: Call) -> None:
        """A call was made."""

    def ended(self, trial: Trial, state: State, why: str) -> None:
        """A run is no longer under way."""


class Show(Watch):
    """Counts, and shows what it counted. `goal`: runs of the plan; `before`: those that had been begun before."""

    def __init__(self, screen: Screen, goal: int, before: Mapping[str, Standing], prices: Prices | None) -> None:
        self.screen, self.goal, self.prices = screen, goal, prices
        self.done = sum(one.state == "done" for one in before.values())
        self.failed = self.running = self.calls = self.tokens = 0
        self.cost = 0.0
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if self.screen.live:
            columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
            self._bar = Progress(*columns, console=self.screen.console)
            self._bar.start()
            self._task = self._bar.add_task(self._counts(), total=self.goal, completed=self.done)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()

    def draining(self) -> None:
        """Ctrl-C was pressed once."""
        self.screen.line("\nstopping after the current steps; once more: at once", QUIET)

    def begun(self, trial: Trial) -> None:
        """A run is under way."""
        self.running += 1
        self._update()

    def called(self, call: Call) -> None:
        """A call was made."""
        self.calls, self.tokens = self.calls + 1, self.tokens + call.tokens
        self.cost += self.prices.cost([call]) if self.prices else 0
        self._update()

    def ended(self, trial: Trial, state: State, why: str) -> None:
        """A run is no longer under way."""
        self.running -= 1
        self.done, self.failed = self.done + (state == "done"), self.failed + (state == "failed")
        if not self._bar or why:
            self.screen.line(f"{self.done}/{self.goal} {trial.run}: {state}{f': {why}' if why else ''}")
        self._update()

    def _update(self) -> None:
        if self._bar and self._task is not None:
            self._bar.update(self._task, completed=self.done, description=self._counts())

    def _counts(self) -> str:
        money = f", {self.cost:,.4g} spent" if self.prices else ""
        return f"{self.running} running, {self.failed} failed, {self.calls:,} calls, {self.tokens:,} tokens{money}"
