"""The way into a compiled protocol: what cannot be used is refused before a step runs or a checkpoint is written."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from functools import cache
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import EmptyInputError
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateSnapshot
from pydantic import TypeAdapter, ValidationError
from typing_extensions import get_type_hints

from ..nodes.pregel import CHECKPOINTER
from ..state.fault import refused, unknown_key
from ..state.refusal import Refused
from ..state.rules import Rules

NOTHING = "nothing is saved here to go on with; give an input, or the thread of a deliberation and its checkpointer"


class Entrance(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled protocol. Its runs raise `Refused` for an input or a context that cannot be used.

    An input to a thread that holds a deliberation is refused too, and leaves the thread as it was: it can go on.
    """

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        """Stream as langgraph does, once the input and `context` are known to be usable."""
        options["context"] = self._entered(input, options.get("context"))
        if _begins(input) and (thread := self._thread(config)):
            _refuse_used(self.get_state(thread), input)
        try:
            yield from super().stream(input, config, **options)
        except EmptyInputError:
            raise Refused("input", input, NOTHING) from None

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """The same for asynchronous callers."""
        options["context"] = self._entered(input, options.get("context"))
        if _begins(input) and (thread := self._thread(config)):
            _refuse_used(await self.aget_state(thread), input)
        async with aclosing(cast(AsyncGenerator[Any], super().astream(input, config, **options))) as parts:
            try:
                async for part in parts:
                    yield part
            except EmptyInputError:
                raise Refused("input", input, NOTHING) from None

    def _entered(self, input: Any, context: Any) -> Any:
        """The context as its own type; it and an input that begins a run are known to be usable then."""
        if not _begins(input):
            return _knobs(self.context_schema, context)
        _refuse_idle(self.context_schema, context)
        knobs = _knobs(self.context_schema, context)
        _check(self.builder.input_schema, input, self.context_schema)
        return knobs

    def _thread(self, config: RunnableConfig | None) -> RunnableConfig | None:
        """The thread this run is saved in; none if it is not, or only as part of another graph."""
        whole = merge_configs(self.config, config)
        chosen = whole.get("configurable", {})
        saved = isinstance(chosen.get(CHECKPOINTER, self.checkpointer), BaseCheckpointSaver)
        own = saved and not chosen.get("checkpoint_ns")
        return whole if own and "thread_id" in chosen else None


def _begins(input: Any) -> bool:
    """Whether something is put in; none and commands go on with what there is."""
    return input is not None and not isinstance(input, Command)


def _knobs(schema: Any, context: Any) -> Any:
    """The context as its own type."""
    if context is None or schema is None or isinstance(context, schema):
        return context
    if not isinstance(context, Mapping):
        raise Refused("context", context, "give a mapping of knobs, such as {'model': 'rehearsal'}")
    try:
        return _adapter(schema).validate_python(dict(context))
    except ValidationError as error:
        raise refused(error, schema) from None


def _refuse_idle(schema: Any, context: Any) -> None:
    """Refuse a knob that does nothing in this protocol."""
    given = context.model_dump(exclude_defaults=True) if isinstance(context, Rules) else context
    if isinstance(given, Mapping) and isinstance(schema, type) and issubclass(schema, Rules):
        schema.refuse_idle(given)


@cache
def _adapter(schema: Any) -> TypeAdapter[Any]:
    return TypeAdapter(schema)


def _check(schema: Any, input: Any, knobs: Any) -> None:
    """Refuse an input with keys nobody knows or values of the wrong kind; a knob is told where it belongs."""
    known = get_type_hints(schema)
    if not isinstance(input, Mapping):
        if isinstance(input, str | bytes | int | float | list | tuple):
            raise Refused("input", input, f"give a mapping of inputs, such as {{{next(iter(known))!r}: …}}")
        return
    for key, value in input.items():
        if key not in known and knobs is not None and key in get_type_hints(knobs):
            raise Refused(
                str(key), value, f"it is a knob, not an input; give it in the context: context={{{key!r}: …}}"
            )
        if key not in known:
            raise Refused(str(key), value, unknown_key(str(key), list(known)))
    try:
        _adapter(schema).validate_python(dict(input))
    except ValidationError as error:
        raise refused(error, schema) from None


def _refuse_used(state: StateSnapshot, input: Any) -> None:
    """Refuse an input where the first step has been taken: the thread holds that deliberation."""
    rules = state.values.get("rules")
    if rules and rules != Rules():
        remedy = "this thread already holds a deliberation; use a new thread, or go on with it by giving none"
        raise Refused("input", input, remedy)
