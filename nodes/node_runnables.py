"""Wrappers that run async nodes and routes under `invoke` as well as under `ainvoke`.

Under `ainvoke`, a node runs in the caller's event loop. Under `invoke`, it runs in one background loop of the process.
The reason is that HTTP clients belong to the loop that first used them. Every node validates the channels it reads. So
plain dicts from a server's client or a fork become the state's types.
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

from ..models import apply_policy
from ..state import (
    Budget,
    Requirement,
    Settings,
    StateFunction,
    Update,
    build_adapter,
    check_packages,
    get_requirements,
    list_chosen_requirements,
    mark_reads,
    merge_channels,
)
from ..storage import READ_KEY
from .ask.step_spending import StepSpending, track_spending, use_journal, use_spending
from .lookups.lookup_turn import use_lookup_graph

Node = Callable[..., Awaitable[Any]]
T = TypeVar("T")


_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}


def get_background_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of this process for synchronous callers. A forked process gets a new loop."""
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None or loop.is_closed():
            loop = asyncio.new_event_loop()
            threading.Thread(target=_serve_loop, args=(loop,), name="moot", daemon=True).start()
            _loops[os.getpid()] = loop
        return loop


def _serve_loop(loop: asyncio.AbstractEventLoop) -> None:
    while True:
        with suppress(SystemExit, KeyboardInterrupt):  # even if a node tries to exit the program
            loop.run_forever()


def run_blocking(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine from synchronous code, with the caller's context variables, and return its result.

    Raises `RuntimeError` if it is called in the background loop, where it would wait for itself.
    """
    loop = get_background_loop()
    if _find_running_loop() is loop:
        coroutine.close()
        remedy = "inside a step use `await graph.ainvoke(...)`; inside on_event use the session of `aopen_session`"
        raise RuntimeError(f"this call would wait for itself: {remedy}")
    context = contextvars.copy_context()
    done_event: threading.Event = threading.Event()
    tasks: list[asyncio.Task[T]] = []

    def start_task() -> None:
        tasks.append(loop.create_task(coroutine, context=context))
        tasks[0].add_done_callback(lambda _: done_event.set())

    try:
        loop.call_soon_threadsafe(start_task)
        done_event.wait()
    finally:
        if not done_event.is_set():  # the caller was interrupted
            loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
    return tasks[0].result()


def _find_running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class NodeRunnable(Runnable[Any, Update]):
    """Node as LangGraph runs it, from synchronous or asynchronous code.

    `lookup_graph`: inner graph for questions with tools; `None` without tools.
    """

    def __init__(self, node: Node) -> None:
        self.node: Callable[[Any], Awaitable[Any]] = node if isinstance(node, StateFunction) else mark_reads(node)
        self.name = getattr(node, "__name__", "step")
        self.requirements = get_requirements(self.node)
        self.group = merge_channels(self.requirements)
        self.lookup_graph: Any = None

    @property
    def can_look_up(self) -> bool:
        """Return whether participants may use tools in this step."""
        return "lookups" in _list_channels(self.group)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Update:
        state = validate_state(self.group, complete_input(self.group, input, config))
        check_packages(state.get("settings", Settings()))
        state = with_chosen_channels(self.requirements, state, config)
        if "settings" in state:
            spending = state.get("participants", []), state.get("calls", [])
            state = {**state, "settings": await apply_policy(state["settings"], *spending)}
        settings = state.get("settings", Settings())
        async with use_journal(settings.prices):
            with use_lookup_graph(self.lookup_graph):
                if len(state) == len(input):
                    with use_spending(StepSpending()):
                        return cast(Update, await self.node(state))
                async with track_spending(has_budget=settings.budget != Budget()):
                    return cast(Update, await self.node(state))

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Update:
        return run_blocking(self.ainvoke(input, config))


def complete_input(
    group: type, input: dict[str, Any], config: RunnableConfig | None, is_fresh: bool = False
) -> dict[str, Any]:
    """Return `input` with the channels of `group` that it lacks, read from the state.

    LangGraph passes to a branch only the values of its `Send`. `is_fresh`: whether to include the writes of the node
    that just ran.
    """
    missing_keys = [key for key in _list_channels(group) if key not in input]
    read_channels = (config or {}).get("configurable", {}).get(READ_KEY)
    return {**read_channels(missing_keys, is_fresh), **input} if missing_keys and read_channels else input


def with_chosen_channels(
    requirements: list[Requirement], state: Any, config: RunnableConfig | None, is_fresh: bool = False
) -> Any:
    """Return `state` with the channels that the plugins chosen by the settings read.

    `is_fresh`: as in `complete_input`.
    """
    chosen_requirements = list_chosen_requirements(requirements, state["settings"]) if "settings" in state else []
    return (
        validate_state(group := merge_channels(chosen_requirements), complete_input(group, state, config, is_fresh))
        | state
        if chosen_requirements
        else state
    )


class RouteRunnable(Runnable[Any, Any]):
    """Conditional edge that validates the channels it reads. It runs in the caller's thread."""

    def __init__(self, choose: Callable[..., Any]) -> None:
        self.choose: Callable[[Any], Any] = choose if isinstance(choose, StateFunction) else mark_reads(choose)
        self.name = choose.__name__
        self.requirements = get_requirements(self.choose)
        self.group = merge_channels(self.requirements)
        self.__annotations__ = {"state": self.group}  # langgraph passes the channels that these annotations name

    def __call__(self, state: Any, config: RunnableConfig | None = None) -> Any:
        return self.choose(
            with_chosen_channels(self.requirements, validate_state(self.group, state), config, is_fresh=True)
        )

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self(input, config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self(input, config)


def validate_state(group: type, state: Any) -> Any:
    """Return `state` with every value converted to the type that the class `group` declares for it."""
    return build_adapter(group).validate_python(state)


@cache
def _list_channels(group: type) -> list[str]:
    return list(get_type_hints(group))
