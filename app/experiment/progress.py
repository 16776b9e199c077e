"""Display of an experiment's progress: a bar on a terminal, or a line for each run in a pipe."""

from collections.abc import Mapping
from contextlib import nullcontext

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ...state import Call, Prices
from ..display.screen import QUIET_STYLE, Screen
from ..saved.experiments import RunProgress, RunState
from .planned_runs import PlannedRun


class ProgressListener(nullcontext[None]):
    """Receiver of an experiment's progress. This base class shows nothing."""

    def report_drain(self) -> None:
        """React to the first Ctrl-C, after which only the current steps finish."""

    def report_start(self, planned_run: PlannedRun) -> None:
        """React to the start of a run."""

    def report_call(self, call: Call) -> None:
        """React to a finished call."""

    def report_end(self, planned_run: PlannedRun, state: RunState, reason: str) -> None:
        """React to the end of a run.

        `state`: final state of the run. `reason`: reason of a failure or stop, or empty.
        """


class ProgressDisplay(ProgressListener):
    """Receiver that counts runs and calls and shows the counts."""

    def __init__(
        self, screen: Screen, run_count: int, earlier_progress: Mapping[str, RunProgress], prices: Prices | None
    ) -> None:
        """Begin with the counts of earlier runs.

        `run_count`: number of planned runs. `earlier_progress`: progress of the runs that began earlier. `prices`:
        prices of the calls, or `None`.
        """
        self.screen, self.run_count, self.prices = screen, run_count, prices
        self.done_count = sum(progress.state == "done" for progress in earlier_progress.values())
        self.failed_count = self.running_count = self.calls = self.tokens = 0
        self.cost = 0.0
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
        self._bar = Progress(*columns, console=screen.console, disable=not screen.is_terminal)
        self._task = self._bar.add_task(self._format_counts(), total=run_count, completed=self.done_count)

    def __enter__(self) -> None:
        if self.screen.is_terminal:
            self._bar.start()

    def __exit__(self, *error: object) -> None:
        if self.screen.is_terminal:
            self._bar.stop()

    def report_drain(self) -> None:
        self.screen.show_line("\nstopping after the current steps. Press Ctrl-C again to stop at once.", QUIET_STYLE)

    def report_start(self, planned_run: PlannedRun) -> None:
        self.running_count += 1
        self._update_bar()

    def report_call(self, call: Call) -> None:
        self.calls, self.tokens = self.calls + 1, self.tokens + call.tokens
        self.cost += self.prices.compute_capped_cost([call]) if self.prices else 0
        self._update_bar()

    def report_end(self, planned_run: PlannedRun, state: RunState, reason: str) -> None:
        self.running_count -= 1
        self.done_count += state == "done"
        self.failed_count += state == "failed"
        if not self.screen.is_terminal or reason:
            ending = f"{state}: {reason}" if reason else state
            self.screen.show_line(f"{self.done_count}/{self.run_count} {planned_run.run}: {ending}")
        self._update_bar()

    def _update_bar(self) -> None:
        self._bar.update(self._task, completed=self.done_count, description=self._format_counts())

    def _format_counts(self) -> str:
        money = f", {self.cost:,.4g} spent" if self.prices else ""
        calls = f"{self.calls:,} call{'s' * (self.calls != 1)}, {self.tokens:,} tokens{money}"
        return f"{self.running_count} running, {self.failed_count} failed, {calls}"
