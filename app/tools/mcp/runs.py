"""Runs that the MCP server executes. Every step is saved, and progress is reported."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from langgraph.types import Command
from pydantic import BaseModel, Field
from pydantic.alias_generators import to_camel

from ....models import use_client_policy
from ....state import Call, InputError, Participant, Settings, Statement
from ...display import RunEnded, RunEvent, StatementAdded, StepStarted, Terminal, Watcher
from ...people import list_open_questions, list_visible_statements, make_waiting_error
from ...protocols.hooks import get_hooks
from ...report import Envelope, RunResult, build_document
from ...run import (
    InterruptHandler,
    RunInterruptedError,
    RunRequest,
    ViewOptions,
    WaitingForPeopleError,
    create_run,
    resume_run,
    run_request,
    run_to_end,
    summarize_run,
    with_default_model,
)
from ...saved import SavedRun, Store, check_run_name, load_saved_run, open_database
from .arguments import check_addresses
from .people import WaitingForFormError, make_attempt_key

ProgressReporter = Callable[[int, int | None, str], Awaitable[None]]
"""Function that reports a statement to the client: its turn, the maximum number of turns, and its text."""


class ToolResult(RunResult):
    """Result of a run for a tool: its ending, its statements, and the keys that only its protocol has."""

    models: dict[str, str] = Field(description="Model of each participant and of the synthesizer.")
    own: dict[str, Any] = Field(description="Other values of the protocol's result.")


class RunStatus(BaseModel):
    """Status of a run for a tool."""

    run: str
    status: str = Field(description="`completed`, `partial`, `failed` or `unfinished`.")
    running: bool = Field(description="Whether a process executes the run now.")
    turns: int = Field(description="Number of statements so far.")
    last: str = Field(description="Last statement.")
    headline: str
    remedy: str = Field(description="Way to continue a stopped run; empty: not stopped.")


class ProgressWatcher(Watcher):
    """Receiver that reports each saved statement to a client, at the next step.

    While a blind round waits for a person, its statements are not saved yet, so none is reported.
    """

    def __init__(self, report: ProgressReporter | None) -> None:
        super().__init__()
        self._report = report
        self._max_turns: int | None = None
        self._unreported = list[Statement]()

    def set_run(self, participants: Sequence[Participant], settings: Settings, calls: Sequence[Call] = ()) -> None:
        self._max_turns = get_hooks(settings.protocol).turn_cap(settings, len(participants))

    async def show_event(self, event: RunEvent) -> None:
        if isinstance(event, StatementAdded):
            self._unreported.append(event.statement)
        elif isinstance(event, StepStarted | RunEnded):
            statements, self._unreported = sorted(self._unreported, key=lambda statement: statement.turn), []
            for statement in statements:
                text = f"{statement.turn}. {statement.speaker}: {statement.content}"
                if self._report:
                    await self._report(statement.turn, self._max_turns, text)


@dataclass
class ServerRuns:
    """Runs that one MCP server executes.

    `db`: database of the runs. `model`: default model. `client_models`: models that the operator offers to clients from
    other machines; `None` if the operator is the client.
    """

    db: str
    model: str = ""
    client_models: Sequence[str] | None = None
    _tasks: dict[str, "asyncio.Task[SavedRun]"] = field(default_factory=dict)
    _interrupts: dict[str, InterruptHandler] = field(default_factory=dict)
    _is_closing: bool = False

    async def run_deliberation(
        self,
        request: RunRequest,
        report_progress: ProgressReporter | None,
        on_name: Callable[[str], None] = lambda _: None,
    ) -> SavedRun:
        """Execute a request to its end, and return the saved run.

        `report_progress`: function that reports statements; `None` for no reports. `on_name`: function that receives
        the name of the run before it starts. Raises `InputError` if the run cannot start, and `WaitingForFormError`
        if it needs a person. Raises `RunStoppedError` or `RunInterruptedError` if it stops before its end.
        """
        check_addresses(request)
        request = await with_default_model(request, self.model)
        async with open_database(self.db) as store:
            run = await create_run(store, request, self.client_models)
            on_name(run.run)
            terminal = self._make_terminal(store, report_progress, request.named_seats, request.settings)
            async with self._track_run(store, run.run, terminal) as interrupts:
                return await run_request(store, request, run, terminal, interrupts)

    async def continue_run(
        self, waiting_error: WaitingForFormError, answer: Any, report_progress: ProgressReporter
    ) -> SavedRun:
        """Continue a waiting run with a person's answer, and return the saved run.

        `waiting_error`: exception with the question. An answer to a closed question has no effect. Raises the errors of
        `run_deliberation`.
        """
        name = waiting_error.run
        async with open_database(self.db) as store:
            state = (await load_saved_run(store, name)).state
            terminal = self._make_terminal(store, report_progress, state["participants"], state["settings"])
            async with store.lock(name), self._track_run(store, name, terminal) as interrupts:
                saved_run = await load_saved_run(store, name)
                if answer is None or waiting_error.key not in [
                    make_attempt_key(name, question) for question in list_open_questions(saved_run)
                ]:
                    return await resume_run(store, saved_run, terminal, interrupts)
                return await run_to_end(
                    store, name, Command(resume={waiting_error.question["id"]: answer}), terminal, interrupts
                )

    def _make_terminal(
        self,
        store: Store,
        report_progress: ProgressReporter | None,
        participants: Sequence[Participant],
        settings: Settings,
    ) -> Terminal:
        terminal = Terminal(ViewOptions(db=self.db, json=True, quiet=True))
        terminal.watcher, terminal.database = ProgressWatcher(report_progress), self.db and store.address
        terminal.watcher.set_run(participants, settings)
        return terminal

    @asynccontextmanager
    async def _track_run(self, store: Store, name: str, terminal: Terminal) -> AsyncIterator[InterruptHandler]:
        """Let clients stop a run within the `async with` block, and apply the operator's policy to it.

        Yield the run's interrupt handler. An exception that stops the run gets the command that resumes it, or the open
        question.
        """
        interrupts = self._interrupts[name] = InterruptHandler(lambda: None)
        if self._is_closing:
            interrupts.drain_runs()
        try:
            with terminal.add_resume_hint(), use_client_policy(self.client_models):
                yield interrupts
        except WaitingForPeopleError as error:
            raise WaitingForFormError(error, await load_saved_run(store, name)) from None
        finally:
            del self._interrupts[name]

    async def start_run(self, request: RunRequest) -> str:
        """Start the requested run in the background, and return its name."""
        name_future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self.run_deliberation(request, None, name_future.set_result))
        futures: set[asyncio.Future[Any]] = {task, name_future}
        await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
        if not name_future.done():
            await task
        self._tasks[name_future.result()] = task
        return name_future.result()

    async def get_status(self, name: str) -> RunStatus:
        """Return the status of a run. Raises `InputError` if it does not exist or could not start."""
        saved_run, is_running = await self._load_run(name)
        is_stopped, questions = not (is_running or saved_run.has_ended), list_open_questions(saved_run)
        waiting_names = make_waiting_error(questions).who if questions else []
        statements = (
            list_visible_statements(saved_run, waiting_names[0])
            if waiting_names
            else saved_run.state.get("history") or []
        )
        outcome = saved_run.state.get("outcome")
        command = ("join", name, "--as", waiting_names[0]) if waiting_names else ("resume", name)
        return RunStatus(
            run=name,
            status=outcome.status if outcome else "unfinished",
            running=is_running,
            turns=len(statements),
            last=f"{statements[-1].speaker}: {statements[-1].content}" if statements else "",
            headline=outcome.headline if outcome else "",
            remedy=f"Saved. Continue: {Terminal(ViewOptions(db=self.db)).format_command(*command)}"
            if is_stopped
            else "",
        )

    async def stop_run(self, name: str) -> RunStatus:
        """Stop a run of this server after its current step, and return its status.

        Raises `InputError` if the run does not exist, or if another process executes it.
        """
        if interrupts := self._interrupts.get(check_run_name(name)):
            interrupts.drain_runs()
            if task := self._tasks.pop(name, None):
                with suppress(RunInterruptedError):  # the status says how to continue
                    await task
        elif (status := await self.get_status(name)).running:
            raise InputError("run", name, "another process runs this run; stop it there")
        else:
            return status
        return await self.get_status(name)

    async def get_result(self, name: str) -> ToolResult:
        """Return the result of a run that has ended. Raises `InputError` for an unfinished run."""
        saved_run, is_running = await self._load_run(name)
        if not saved_run.has_ended:
            remedy = (
                "the run is not finished; ask for its status later"
                if is_running
                else "the run is stopped; its status shows how to continue"
            )
            raise InputError("run", name, remedy)
        return build_tool_result(saved_run)

    async def close(self) -> None:
        """Stop every run after its current step. Each run can be resumed."""
        self._is_closing = True
        for interrupts in self._interrupts.values():
            interrupts.drain_runs()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _load_run(self, name: str) -> tuple[SavedRun, bool]:
        task = self._tasks.get(check_run_name(name))
        if task and task.done():
            await self._tasks.pop(name)  # raises the exception that stopped the run, once
        async with open_database(self.db, read_only=True) as store:
            saved_run = await load_saved_run(store, name)
            return saved_run, not saved_run.has_ended and (name in self._tasks or await store.is_held(name))


def build_tool_result(saved_run: SavedRun) -> ToolResult:
    """Return the result of a run that has ended, as a tool answers it."""
    run_document = build_document(saved_run)
    envelope_keys = {to_camel(key) for key in Envelope.model_fields}
    return ToolResult.model_validate(
        {
            **run_document,
            "models": summarize_run(saved_run)["models"],
            "own": {key: value for key, value in run_document.items() if key not in envelope_keys},
        }
    )
