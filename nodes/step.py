"""One body for `invoke` and `ainvoke`: a node is written once, async, and runs under both.

Under `ainvoke` it is awaited where it is called. Under `invoke` it runs on one background event loop of the process,
since async HTTP clients belong to the loop they were first used on. Every step validates the group of channels it
reads, so that plain dicts from a server's client or a fork are turned into the state's own types.
"""

import asyncio
import contextvars
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar, cast, get_type_hints

from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import TypeAdapter

from ..state.installed.chosen import chosen_needs
from ..state.requirements import Need, Reading, group_of, needs, reading
from ..state.rules import Rules, refuse_lacking
from ..state.settings import Budget
from ..state.writes import Update
from .branch import alone, together
from .models.operator_limits import refuse_beyond
from .pregel import READ

Node = Callable[..., Awaitable[Any]]
T = TypeVar("T")

OF_ITS_OWN = (
    "this would wait for itself: inside a step use `await graph.ainvoke(...)`, inside an on_event what `aopen_session` "
    "gives"
)

_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}


def background_loop() -> asyncio.AbstractEventLoop:
    """The process's own event loop for synchronous callers; a new one after a fork."""
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None or loop.is_closed():
            loop = asyncio.new_event_loop()
            threading.Thread(target=_serve, args=(loop,), name="moot", daemon=True).start()
            _loops[os.getpid()] = loop
        return loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop for as long as the process lives, also past a step that wants to end the program."""
    while True:
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end from synchronous code, keeping the caller's context variables."""
    loop = background_loop()
    if _running() is loop:
        coroutine.close()
        raise RuntimeError(OF_ITS_OWN)
    context = contextvars.copy_context()
    done: threading.Event = threading.Event()
    tasks: list[asyncio.Task[T]] = []

    def start() -> None:
        tasks.append(loop.create_task(coroutine, context=context))
        tasks[0].add_done_callback(lambda _: done.set())

    try:
        loop.call_soon_threadsafe(start)
        done.wait()
    finally:
        if not done.is_set():  # the caller was interrupted
            loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
    return tasks[0].result()


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class Step(Runnable[Any, Update]):
    """A node as langgraph runs it."""

    def __init__(self, node: Node) -> None:
        self.node: Callable[[Any], Awaitable[Any]] = node if isinstance(node, Reading) else reading(node)
        self.name = getattr(node, "__name__", "step")
        self.needs = needs(self.node)
        self.reads = group_of(self.needs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Update:
        state = with_chosen(self.needs, validated(self.reads, whole(self.reads, input, config)), config)
        refuse_lacking(state.get("rules", Rules()))
        await refuse_beyond(state.get("rules", Rules()), state.get("participants", []))
        if len(state) == len(input):
            with alone():
                return cast(Update, await self.node(state))
        async with together(capped="rules" in state and state["rules"].budget != Budget()):
            return cast(Update, await self.node(state))

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Update:
        return wait_for(self.ainvoke(input, config))


def whole(group: type, input: dict[str, Any], config: RunnableConfig | None, fresh: bool = False) -> dict[str, Any]:
    """`input`, completed from the channels: a branch is sent only what is its own, never the state.

    `fresh`: with what the step that has just been taken wrote.
    """
    missing = [key for key in _channels(group) if key not in input]
    read = (config or {}).get("configurable", {}).get(READ)
    return {**read(missing, fresh), **input} if missing and read else input


def with_chosen(needs: list[Need], state: Any, config: RunnableConfig | None, fresh: bool = False) -> Any:
    """`state` with what is read by those functions that the run's rules name."""
    more = chosen_needs(needs, state["rules"]) if "rules" in state else []
    return validated(group := group_of(more), whole(group, state, config, fresh)) | state if more else state


class Road(Runnable[Any, Any]):
    """A conditional edge that validates the group it reads; chosen on the spot, without a trip to a thread."""

    def __init__(self, choose: Callable[..., Any]) -> None:
        self.choose: Callable[[Any], Any] = choose if isinstance(choose, Reading) else reading(choose)
        self.name = choose.__name__
        self.needs = needs(self.choose)
        self.reads = group_of(self.needs)
        self.__annotations__ = {"state": self.reads}  # langgraph hands over the channels that are named here

    def __call__(self, state: Any, config: RunnableConfig | None = None) -> Any:
        return self.choose(with_chosen(self.needs, validated(self.reads, state), config, fresh=True))

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self(input, config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self(input, config)


def validated(group: type, state: Any) -> Any:
    """`state` with every value of the type its group declares."""
    return _adapter(group).validate_python(state)


@cache
def _channels(group: type) -> list[str]:
    return list(get_type_hints(group))


@cache
def _adapter(group: type) -> TypeAdapter[Any]:
    return TypeAdapter(group)
