"""The way into a compiled protocol: what cannot be used is refused before a step runs or a checkpoint is written."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, merge_configs
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import EmptyInputError
from langgraph.pregel import Pregel
from langgraph.types import Command, StateUpdate
from pydantic import ValidationError
from typing_extensions import get_type_hints

from ..state.installed.chosen import check_chosen
from ..state.refused import Refused, refused_input
from ..state.rules import Rules
from .branch import FANS, Fans
from .input_checks import (
    begins,
    check_change,
    check_input,
    check_place,
    knobs_of,
    refuse_command,
    refuse_idle,
    refuse_used,
    waits,
)
from .pregel import CHECKPOINTER, READ

NOTHING = "nothing is saved here to go on with; give an input, or the thread of a deliberation and its checkpointer"


class Entrance(Pregel[Any, Any, Any, Any]):
    """What stands before a compiled protocol. Its runs raise `Refused` for an input or a context that cannot be used.

    An input to a thread that holds a deliberation is refused too, and leaves the thread as it was: it can go on.
    """

    builder: Any
    """The drawing it was compiled from."""

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        """Stream as langgraph does, once the input and `context` are known to be usable."""
        options["context"] = self._entered(_of_this(self, input, config), options.get("context"))
        if thread := self._thread(config):
            if begins(input):
                refuse_used(self.get_state(thread), input)
            elif isinstance(input, Command) and not waits(self._saver(thread).get_tuple(thread)):
                refuse_command(self.get_state(thread), input)
        try:
            yield from super().stream(input, _with_fans(config), **options)
        except EmptyInputError:
            raise Refused("input", input, NOTHING) from None

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """The same for asynchronous callers."""
        options["context"] = self._entered(_of_this(self, input, config), options.get("context"))
        if thread := self._thread(config):
            if begins(input):
                refuse_used(await self.aget_state(thread), input)
            elif isinstance(input, Command) and not waits(await self._saver(thread).aget_tuple(thread)):
                refuse_command(await self.aget_state(thread), input)
        async with aclosing(cast(AsyncGenerator[Any], super().astream(input, _with_fans(config), **options))) as parts:
            try:
                async for part in parts:
                    yield part
            except EmptyInputError:
                raise Refused("input", input, NOTHING) from None

    def bulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> RunnableConfig:
        """Change a thread as langgraph does, with one line for what cannot be."""
        check_change(self.builder, supersteps)
        try:
            check_place(self.get_state(config), supersteps)
            return super().bulk_update_state(config, supersteps)
        except ValidationError as error:
            raise refused_input(error) from None

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """The same for asynchronous callers."""
        check_change(self.builder, supersteps)
        try:
            check_place(await self.aget_state(config), supersteps)
            return await super().abulk_update_state(config, supersteps)
        except ValidationError as error:
            raise refused_input(error) from None

    def _entered(self, input: Any, context: Any) -> Any:
        """The context as its own type; it and an input that begins a run are known to be usable then."""
        if isinstance(input, Command):
            check_change(self.builder, [[StateUpdate(values=input.update)]])
        if not begins(input):
            return knobs_of(self.context_schema, context)
        refuse_idle(self.context_schema, context)
        knobs = knobs_of(self.context_schema, context)
        check_input(self.builder.input_schema, input, self.context_schema)
        if isinstance(knobs, Rules):
            check_chosen(knobs, self.builder.state_schema, self.builder.context_schema)
        return knobs

    def _thread(self, config: RunnableConfig | None) -> RunnableConfig | None:
        """The thread this run is saved in; none if it is not, or only as part of another graph."""
        whole = merge_configs(self.config, config)
        chosen = whole.get("configurable", {})
        saved = isinstance(chosen.get(CHECKPOINTER, self.checkpointer), BaseCheckpointSaver)
        if saved and "thread_id" not in ensure_config(whole).get("configurable", {}):
            remedy = "the checkpointer saves by thread; name one: config={'configurable': {'thread_id': 'week'}}"
            raise Refused("thread_id", None, remedy)
        own = saved and not chosen.get("checkpoint_ns")
        return whole if own and "thread_id" in chosen else None

    def _saver(self, thread: RunnableConfig) -> BaseCheckpointSaver[Any]:
        """What a thread is saved by: a server names its own in the config."""
        return cast(BaseCheckpointSaver[Any], thread["configurable"].get(CHECKPOINTER, self.checkpointer))


def _of_this(graph: Entrance, input: Any, config: RunnableConfig | None) -> Any:
    """The input; of the state of a graph that has this one as a step, the keys that are meant for it."""
    if isinstance(input, Mapping) and READ in (config or {}).get("configurable", {}):
        return {key: input[key] for key in input if key in get_type_hints(graph.builder.input_schema)}
    return input


def _with_fans(config: RunnableConfig | None) -> RunnableConfig:
    """The config with a place of this run's own for its fan-outs, also where it is part of a run that has one."""
    return merge_configs(config, {"configurable": {FANS: Fans()}})
