"""Answers of people to open questions. After an answer, the run continues to the next question."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from langgraph.types import Command
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_fixed

from ...nodes.node_runnables import run_blocking
from ...state import OWNER, InputError, parse_settings, validate_input
from ..saved import (
    RunLockedError,
    SavedRun,
    Store,
    check_run_name,
    is_incomplete,
    load_saved_run,
    make_thread_config,
    open_database,
    restore_before_failure,
    with_pause,
)
from ..session import AsyncSession, GraphDriver, is_session
from .open_questions import InvitationReply, OpenQuestion, list_open_questions

LOCK_POLL = 0.1
"""Seconds between two attempts to lock a run while another process runs it."""
ONE_YEAR = 31_536_000.0
MAX_ANSWER_LENGTH = 100_000
"""Maximum characters of a person's answer."""


class NotAskedError(InputError):
    """Error for an answer to a closed question or to another participant's question.

    The run stays unchanged.
    """


async def aanswer_question(
    run: str,
    id: str,
    name: str,
    value: Any,
    *,
    db: str = "",
    driver: GraphDriver | None = None,
    patience: float = ONE_YEAR,
) -> list[OpenQuestion]:
    """Answer the open question `id` of participant `name`, continue the run, return open questions.

    `driver`: function that runs the graph and shows it; `None` to show nothing. `patience`: seconds to wait while
    another process runs the run, before `RunLockedError` is raised. Raises `InputError` for a value that is too long or
    has the wrong form, `NotAskedError` if the question is not open for this participant, and any exception that stops a
    run. The answer is saved before such a stop.
    """
    if (length := len(str(value))) > MAX_ANSWER_LENGTH:
        raise InputError("answer", f"{length:,} characters", f"must have at most {MAX_ANSWER_LENGTH:,}; shorten it")
    async with open_database(db, create=False) as store:
        if is_session(await load_saved_run(store, check_run_name(run))):
            session = await _advance_session(store, run, db, driver)
            question = _get_question(await load_saved_run(store, run), id, name)
            if name == OWNER:
                await session.answer_approval(id, value)
            elif question["purpose"] == "invitation":
                reply = validate_input(InvitationReply, value)
                await session.answer_invitation(name, reply.accept, reply.reason)
            elif isinstance(value, str):
                await session.send(name, value, turn=question["turn"])
            else:
                raise InputError("answer", value, "must be a text")
            return list_open_questions(await load_saved_run(store, run))
        async with _hold_lock(store, run, patience):
            saved_run = await _continue_run(store, await load_saved_run(store, run), None, driver)
            _get_question(saved_run, id, name)
            return list_open_questions(await _continue_run(store, saved_run, Command(resume={id: value}), driver))


async def aresume_waiting_run(
    run: str, *, db: str = "", driver: GraphDriver | None = None, patience: float = ONE_YEAR
) -> list[OpenQuestion]:
    """Continue a waiting run without an answer, and return the open questions.

    Record the missed turns of people whose deadline is over. `driver`, `patience`: as in `aanswer_question`.
    """
    async with open_database(db, create=False) as store:
        if is_session(await load_saved_run(store, check_run_name(run))):
            await _advance_session(store, run, db, driver)
            return list_open_questions(await load_saved_run(store, run))
        async with _hold_lock(store, run, patience):
            return list_open_questions(await _continue_run(store, await load_saved_run(store, run), None, driver))


def answer_question(run: str, id: str, name: str, value: Any, *, db: str = "") -> list[OpenQuestion]:
    """Answer an open question in synchronous code, and return the open questions.

    Arguments and exceptions are those of `aanswer_question`.
    """
    return run_blocking(aanswer_question(run, id, name, value, db=db))


def resume_waiting_run(run: str, *, db: str = "") -> list[OpenQuestion]:
    """Continue a waiting run in synchronous code, and return the open questions.

    Arguments and exceptions are those of `aresume_waiting_run`.
    """
    return run_blocking(aresume_waiting_run(run, db=db))


@asynccontextmanager
async def _hold_lock(store: Store, run: str, patience: float) -> AsyncIterator[None]:
    """Hold the lock of a run within the `async with` block.

    Raises `RunLockedError` if another process holds it longer than `patience` seconds.
    """
    retry, stop = retry_if_exception_type(RunLockedError), stop_after_delay(patience)
    async with AsyncExitStack() as lock_stack:
        async for attempt in AsyncRetrying(retry=retry, stop=stop, wait=wait_fixed(LOCK_POLL), reraise=True):
            with attempt:
                await lock_stack.enter_async_context(store.lock(run))
        yield


async def _continue_run(store: Store, saved_run: SavedRun, graph_input: Any, driver: GraphDriver | None) -> SavedRun:
    """Continue a run until it waits or ends, and return it.

    `graph_input`: a resume command, or `None`. A run that has ended stays unchanged.
    """
    if is_incomplete(saved_run):
        saved_run = await restore_before_failure(store, saved_run)
    if not saved_run.next:
        return saved_run
    await store.runs.save_run(with_pause(saved_run))
    run = saved_run.run
    if driver:
        await driver(store, run.run, graph_input)
    else:
        await store.get_graph(run.protocol).ainvoke(
            graph_input, make_thread_config(run.run), context=parse_settings(run.settings), durability="sync"
        )
    saved_run = await load_saved_run(store, run.run)
    await store.runs.save_run(saved_run.build_row())
    return saved_run


def _get_question(saved_run: SavedRun, id: str, name: str) -> OpenQuestion:
    """Return the question with this id. Raises `NotAskedError` unless it is open for this participant."""
    questions = list_open_questions(saved_run)
    own_questions = [question for question in questions if question["who"] == name]
    for question in own_questions:
        if question["id"] == id:
            return question
    other_names = ", ".join(dict.fromkeys(question["who"] for question in questions if question["who"] != name))
    remedy = f"{saved_run.run.run} does not wait for {name} now"
    remedy += f"; it waits for {other_names}" if other_names else ""
    if own_questions:
        purpose = own_questions[0]["purpose"]
        remedy = f"the question to {name} has changed; read the new question ({purpose}), and answer it"
    raise NotAskedError("answer", id, remedy)


async def _advance_session(store: Store, run: str, db: str, driver: GraphDriver | None) -> AsyncSession:
    """Open a saved session, let its models speak, and return the session."""
    session = AsyncSession(run, db, parse_settings((await store.runs.get_run(run)).settings))
    session.driver = driver or session.driver
    await session.advance()
    return session
