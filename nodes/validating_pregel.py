"""Base class of compiled protocols, which rejects unusable input before a node runs.

Its functions check inputs, contexts and changes of the state. Each error message is one line.
"""

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from functools import cache
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, merge_configs
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.serde.types import INTERRUPT
from langgraph.errors import EmptyInputError
from langgraph.pregel import Pregel
from langgraph.types import Command, Overwrite, Send, StateSnapshot, StateUpdate
from pydantic import ValidationError
from typing_extensions import TypedDict, get_type_hints

from ..models import check_traces, locate_traces
from ..state import (
    InputError,
    MemoryReplacement,
    Settings,
    check_chosen_plugins,
    convert_input_error,
    explain_unknown_key,
    parse_settings,
    validate_input,
)
from ..storage import CHECKPOINTER_KEY, MCP_SESSIONS_KEY, READ_KEY
from .ask.step_spending import RUN_SPENDING_KEY, RunSpending
from .node_runnables import run_blocking

NOTHING_SAVED = (
    "this thread has no saved state; give an input, or name a thread with a deliberation, and its checkpointer"
)
RUN_OVER = "the deliberation is over; continue from an earlier checkpoint or start a new one"
BOUND_STEPS = 100_000
"""Maximum steps of a deliberation bound to its settings. Without this value, LangChain's chains would allow 25."""
INPUT_CHANNELS = {"topic", "material", "participants"}


class ValidatingPregel(Pregel[Any, Any, Any, Any]):
    """Base class of compiled protocols. A run with an unusable input or context raises `InputError`.

    A new input to a thread that already holds a deliberation also raises `InputError`. The thread stays unchanged and
    can be resumed.
    """

    builder: Any
    """Graph from which the protocol was compiled."""
    bound_settings: Settings | None = None
    """Settings of every run; `None` takes the caller's context."""

    def stream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        """Check the input and `context`, then stream as LangGraph does.

        Raises `InputError` for an unusable input.
        """
        options["context"] = self._prepare_settings(_select_own_input(self, input, config), options.get("context"))
        if thread := self._find_thread(config):
            if is_new_input(input):
                check_unused_thread(self.get_state(thread), input)
            elif isinstance(input, Command) and (
                input.goto or not is_waiting(self._get_saver(thread).get_tuple(thread))
            ):
                check_command(self.get_state(thread), input)
        if locate_traces():
            _check_traces(options["context"], self.get_state(thread) if thread else None)
        sessions: dict[str, Any] = {}
        try:
            yield from super().stream(input, self._prepare_config(config, sessions), **options)
        except EmptyInputError:
            raise InputError("input", input, NOTHING_SAVED) from None
        finally:
            if sessions:
                run_blocking(close_sessions(sessions))

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        """Stream like `stream`, for asynchronous callers."""
        options["context"] = self._prepare_settings(_select_own_input(self, input, config), options.get("context"))
        if thread := self._find_thread(config):
            if is_new_input(input):
                check_unused_thread(await self.aget_state(thread), input)
            elif isinstance(input, Command) and (
                input.goto or not is_waiting(await self._get_saver(thread).aget_tuple(thread))
            ):
                check_command(await self.aget_state(thread), input)
        if locate_traces():
            _check_traces(options["context"], await self.aget_state(thread) if thread else None)
        sessions: dict[str, Any] = {}
        async with (
            AsyncExitStack() as stack,
            aclosing(
                cast(AsyncGenerator[Any], super().astream(input, self._prepare_config(config, sessions), **options))
            ) as chunks,
        ):
            stack.push_async_callback(close_sessions, sessions)
            try:
                async for chunk in chunks:
                    yield chunk
            except EmptyInputError:
                raise InputError("input", input, NOTHING_SAVED) from None

    def bulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> RunnableConfig:
        """Change a thread as LangGraph does. An invalid change raises a one-line error."""
        check_change(self.builder, supersteps)
        try:
            check_thread_position(self.get_state(config), supersteps)
            return super().bulk_update_state(config, supersteps)
        except ValidationError as error:
            raise convert_input_error(error) from None

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """Change a thread like `bulk_update_state`, for asynchronous callers."""
        check_change(self.builder, supersteps)
        try:
            check_thread_position(await self.aget_state(config), supersteps)
            return await super().abulk_update_state(config, supersteps)
        except ValidationError as error:
            raise convert_input_error(error) from None

    def _prepare_settings(self, input: Any, context: Any) -> Any:
        """Check the input of a new run. Return the context parsed as the settings class."""
        context = self.bound_settings or context
        if isinstance(input, Command):
            check_change(self.builder, [[StateUpdate(cast(Any, input))]])
        if not is_new_input(input):
            return parse_context(self.context_schema, context)
        values = context.model_dump(exclude_defaults=True) if isinstance(context, Settings) else context
        if (
            isinstance(values, Mapping)
            and isinstance(self.context_schema, type)
            and issubclass(self.context_schema, Settings)
        ):
            self.context_schema.check_unused(values)
        settings = parse_context(self.context_schema, context)
        check_input(self.builder.input_schema, input, self.context_schema)
        if isinstance(settings, Settings):
            check_chosen_plugins(settings, self.builder.state_schema, self.builder.context_schema)
        return settings

    def _find_thread(self, config: RunnableConfig | None) -> RunnableConfig | None:
        """Return the config of the thread that saves this run.

        Return `None` if the run is not saved, or only as part of another graph.
        """
        merged_config = merge_configs(self.config, config)
        values = merged_config.get("configurable", {})
        is_saved = isinstance(values.get(CHECKPOINTER_KEY, self.checkpointer), BaseCheckpointSaver)
        if is_saved and "thread_id" not in ensure_config(merged_config).get("configurable", {}):
            remedy = "the checkpointer needs a thread; name one: config={'configurable': {'thread_id': 'week'}}"
            raise InputError("thread_id", None, remedy)
        is_own = is_saved and not values.get("checkpoint_ns")
        return merged_config if is_own and "thread_id" in values else None

    def _prepare_config(self, config: RunnableConfig | None, sessions: dict[str, Any]) -> RunnableConfig:
        """Return the config with the run's spending and MCP sessions.

        A bound protocol gets `BOUND_STEPS` as its limit on steps.
        """
        limit: RunnableConfig = {} if self.bound_settings is None else {"recursion_limit": BOUND_STEPS}
        own_values = {RUN_SPENDING_KEY: RunSpending(), MCP_SESSIONS_KEY: sessions}
        return merge_configs(config, limit, {"configurable": own_values})

    def _get_saver(self, thread: RunnableConfig) -> BaseCheckpointSaver[Any]:
        """Return the checkpoint saver of a thread. A server passes its saver in the config."""
        saver: Any = thread["configurable"].get(CHECKPOINTER_KEY, self.checkpointer)
        return cast(BaseCheckpointSaver[Any], self._apply_checkpointer_allowlist(saver))


async def close_sessions(sessions: dict[str, Any]) -> None:
    """Close the MCP sessions that a run opened, which `sessions` holds by server."""
    for session in sessions.values():
        await session.close()


def _check_traces(context: Any, state: StateSnapshot | None) -> None:
    """Check that the setting `stay` allows traces. LangGraph traces its input before the first node."""
    for settings in (context, state and state.values.get("settings")):
        if isinstance(settings, Settings):
            check_traces(settings)


def _select_own_input(graph: ValidatingPregel, input: Any, config: RunnableConfig | None) -> Any:
    """Return the input of this graph. From the state of an outer graph, keep only this graph's keys."""
    if isinstance(input, Mapping) and READ_KEY in (config or {}).get("configurable", {}):
        return {key: input[key] for key in input if key in get_type_hints(graph.builder.input_schema)}
    return input


def is_new_input(input: Any) -> bool:
    """Return whether an input starts a run. `None` and commands continue one."""
    return input is not None and not isinstance(input, Command)


def parse_context(schema: Any, context: Any) -> Any:
    """Parse `context` as `schema`, the settings class.

    Raises `InputError` for a context that does not fit this class.
    """
    if context is None or schema is None or isinstance(context, schema):
        return context
    if not isinstance(context, Mapping):
        raise InputError("context", context, "give a mapping of settings, such as {'model': 'rehearsal'}")
    return validate_input(schema, dict(context))


def check_input(schema: Any, input: Any, settings_class: Any) -> None:
    """Check the keys and values of an input against `schema`. Raises `InputError`.

    `settings_class`: class of the protocol's settings.
    """
    channels = get_type_hints(schema)
    if not isinstance(input, Mapping):
        if isinstance(input, str | bytes | int | float | list | tuple):
            raise InputError("input", input, f"give a mapping of inputs, such as {{{next(iter(channels))!r}: …}}")
        return
    for key, value in input.items():
        if key not in channels and settings_class is not None and key in get_type_hints(settings_class):
            raise InputError(
                str(key), value, f"this is a setting, not an input; give it in the context: context={{{key!r}: …}}"
            )
        if key not in channels:
            raise InputError(str(key), value, explain_unknown_key(str(key), list(channels)))
    validate_input(schema, dict(input))


def check_unused_thread(state: StateSnapshot, input: Any) -> None:
    """Check that the thread of a new input does not hold a deliberation yet. Raises `InputError`."""
    settings = state.values.get("settings")
    if settings and settings != Settings():
        remedy = "this thread already holds a deliberation; use a new thread, or omit the input to continue it"
        raise InputError("input", input, remedy)


def is_waiting(checkpoint: CheckpointTuple | None) -> bool:
    """Return whether a node waits for an answer."""
    return checkpoint is not None and any(channel == INTERRUPT for _, channel, _ in checkpoint.pending_writes or [])


def check_command(state: StateSnapshot, command: Command[Any]) -> None:
    """Check a command that answers a waiting node or jumps to a node.

    Raises `InputError` before the start and after the end, and for a jump to any node but the next. LangGraph would
    silently ignore an answer that no node awaits, and run a named node together with the next one.
    """
    if (command.goto or command.update) and state.values.get("settings", Settings()) == Settings():
        raise InputError("command", command, "no deliberation here; start one with an input")
    if (command.goto or command.update) and not state.next:
        raise InputError("command", command, RUN_OVER)
    targets = [command.goto] if isinstance(command.goto, str | Send) else list(command.goto)
    if targets and targets != list(state.next):
        remedy = f"{', '.join(state.next)} is the next step, and both would run; name it instead"
        raise InputError("goto", targets, f"{remedy}, or move the run with update_state(…, as_node=…)")
    if command.resume is not None and not state.next:
        raise InputError("resume", command.resume, "no question waits here: the run is over or not started")
    _check_participants(state.values.get("settings"), [[StateUpdate(cast(Any, command))]])


def check_change(graph: Any, supersteps: Sequence[Sequence[StateUpdate]]) -> None:
    """Check a change of the state. Raises `InputError` for an invalid value or an unknown channel.

    LangGraph would silently ignore an unknown channel.
    """
    schema: Any = graph.state_schema
    input_channels = set(get_type_hints(graph.input_schema))
    input_channels |= INPUT_CHANNELS if "participants" in input_channels else set()
    channels = sorted(get_type_hints(schema))
    for values, _ in _list_updates(supersteps):
        for key in values.keys() - set(channels):
            raise InputError(str(key), values[key], explain_unknown_key(str(key), channels))
        if "settings" in values:
            _check_settings(graph, values["settings"])
        elif fixed_channels := sorted(values.keys() & INPUT_CHANNELS - input_channels):
            raise InputError(
                fixed_channels[0],
                values[fixed_channels[0]],
                "Moot derives it from the settings; write all settings instead",
            )
        plain_values = {
            key: value for key, value in values.items() if key != "settings" and not isinstance(value, Overwrite)
        }
        validate_input(_build_update_type(schema), plain_values)


def _list_updates(supersteps: Sequence[Sequence[StateUpdate]]) -> Iterator[tuple[Mapping[str, Any], str | None]]:
    """Yield the new channel values of each change of the state, with the node that makes it.

    Raises `InputError` for pairs without channel names, and for a step with its own input, which would bypass the
    state. LangGraph itself accepts both.
    """
    for change in (change for step in supersteps for change in step):
        values: Any = change.values
        if isinstance(values, Command):
            targets = [values.goto] if isinstance(values.goto, Send) else values.goto or ()  # a server gives none
            if sends := [target.node for target in targets if isinstance(target, Send)]:
                raise InputError(
                    "goto", sends, "give only the name of the step; to change the state too, give `update`"
                )
            values = values.update
        if isinstance(values, Sequence) and not isinstance(values, str) and values:
            raise InputError("update", values, "give a mapping of channels to their values")
        if isinstance(values, Mapping):
            yield values, change.as_node


def _check_settings(graph: Any, update_value: Any) -> None:
    """Check that settings in a change of the state are complete. Raises `InputError`.

    Otherwise, default values such as the rehearsal would fill the gaps.
    """
    value = update_value.value if isinstance(update_value, Overwrite) else update_value
    values, settings_class = value.model_dump() if isinstance(value, Settings) else value, graph.context_schema
    if not isinstance(settings_class, type) or not issubclass(settings_class, Settings):
        return
    fields, protocol = settings_class.model_fields, settings_class.model_fields["protocol"].default
    if not isinstance(values, Mapping) or values.get("protocol") != protocol:
        raise InputError("settings", values, f"give all settings, as in the state, also `protocol`: {protocol}")
    check_chosen_plugins(validate_input(settings_class, dict(values)), graph.state_schema, settings_class)
    missing_keys = [key for key in ("model", "seed") if values.get(key) in ("", None)]
    missing_keys += [key for key, field in fields.items() if not field.exclude and key not in {*values, *missing_keys}]
    if missing_keys:
        suffix = f" and {len(missing_keys) - 3} more" if len(missing_keys) > 3 else ""
        missing_text = f"missing: {', '.join(missing_keys[:3])}{suffix}"
        raise InputError("settings", values, f"give all settings, as in the state; {missing_text}")


def check_thread_position(state: StateSnapshot, supersteps: Sequence[Sequence[StateUpdate]]) -> None:
    """Check that a change of the state is allowed at the run's current step.

    Raises `InputError` for a change of a finished run by a node or of its history, and for a second statement in one
    turn.
    """
    _check_participants(state.values.get("settings"), supersteps)
    node_changes = list(_list_updates(supersteps))
    is_over = state.values.get("settings", Settings()) != Settings() and not state.next
    turn_counts = Counter(_list_turns(state.values.get("history", [])))
    for values, node in node_changes:
        if is_over and (node or "history" in values):
            raise InputError("state", sorted(values), RUN_OVER)
        statements = values.get("history", [])
        if isinstance(statements, Overwrite):
            turn_counts, statements = Counter(), statements.value
        turn_counts.update(turns := _list_turns(statements))
        if repeated_turns := [turn for turn in turns if turn_counts[turn] > 1]:
            raise InputError(
                "history",
                repeated_turns[0],
                "this turn already has a statement; continue from the checkpoint before it",
            )


def _list_turns(statements: Sequence[Any]) -> list[int]:
    turns = [
        statement.get("turn") if isinstance(statement, Mapping) else getattr(statement, "turn", None)
        for statement in statements
    ]
    return [turn for turn in turns if isinstance(turn, int) and turn]


def _check_participants(settings: Any, supersteps: Sequence[Sequence[StateUpdate]]) -> None:
    """Check that a change of the settings keeps the participants, because the record names them.

    Raises `InputError`.
    """
    participants = _list_seat_ids(settings)
    for values, _ in _list_updates(supersteps):
        new_participants = _list_seat_ids(values.get("settings"))
        if participants and new_participants and new_participants != participants:
            names = ", ".join(name for _, name in participants)
            raise InputError(
                "rules.participants",
                [name for _, name in new_participants],
                f"a run keeps its participants; give the same names and ids, in this order: {names}",
            )


def _list_seat_ids(settings: Any) -> list[tuple[str, str]]:
    parsed_settings = parse_settings(settings) if isinstance(settings, Settings | Mapping) else None
    return [
        (str(participant.id), str(participant.name)) for participant in getattr(parsed_settings, "participants", [])
    ]


@cache
def _build_update_type(schema: Any) -> Any:
    """Build the type of a change of the state. It also allows the replacement of a memory."""
    channels = get_type_hints(schema, include_extras=True)
    make_type: Any = TypedDict  # whose keys are known only here
    return make_type("Change", channels | {"memory": dict[str, list[str] | MemoryReplacement]}, total=False)
