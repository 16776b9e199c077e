"""What may enter a protocol: inputs, contexts and changes of a saved state, each refused in one line."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.types import INTERRUPT
from langgraph.types import Command, Overwrite, StateSnapshot, StateUpdate
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict, get_type_hints

from ..state.installed.chosen import check_chosen
from ..state.memory import Replaced
from ..state.refused import Refused, refused_input, unknown_key
from ..state.rules import Rules, revived


def begins(input: Any) -> bool:
    """Whether something is put in; none and commands go on with what there is."""
    return input is not None and not isinstance(input, Command)


def knobs_of(schema: Any, context: Any) -> Any:
    """The context as its own type."""
    if context is None or schema is None or isinstance(context, schema):
        return context
    if not isinstance(context, Mapping):
        raise Refused("context", context, "give a mapping of knobs, such as {'model': 'rehearsal'}")
    try:
        return _adapter(schema).validate_python(dict(context))
    except ValidationError as error:
        raise refused_input(error, schema) from None


def refuse_idle(schema: Any, context: Any) -> None:
    """Refuse a knob that does nothing in this protocol."""
    given = context.model_dump(exclude_defaults=True) if isinstance(context, Rules) else context
    if isinstance(given, Mapping) and isinstance(schema, type) and issubclass(schema, Rules):
        schema.refuse_idle(given)


@cache
def _adapter(schema: Any) -> TypeAdapter[Any]:
    return TypeAdapter(schema)


def check_input(schema: Any, input: Any, knobs: Any) -> None:
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
        raise refused_input(error, schema) from None


def refuse_used(state: StateSnapshot, input: Any) -> None:
    """Refuse an input where the first step has been taken: the thread holds that deliberation."""
    rules = state.values.get("rules")
    if rules and rules != Rules():
        remedy = "this thread already holds a deliberation; use a new thread, or go on with it by giving none"
        raise Refused("input", input, remedy)


def waits(saved: CheckpointTuple | None) -> bool:
    """Whether a step stands still there until it is answered."""
    return saved is not None and any(channel == INTERRUPT for _, channel, _ in saved.pending_writes or [])


def refuse_command(state: StateSnapshot, command: Command[Any]) -> None:
    """Refuse an answer where nothing comes next, which langgraph passes over in silence, and a jump into nothing."""
    if (command.goto or command.update) and state.values.get("rules", Rules()) == Rules():
        raise Refused("command", command, "no deliberation is saved here; begin one with an input")
    if (command.goto or command.update) and not state.next:
        raise Refused("command", command, OVER)
    if command.resume is not None and not state.next:
        raise Refused("resume", command.resume, "nothing waits for an answer here: it is over, or was not begun")
    if isinstance(command.update, Mapping):
        _check_participants(state.values.get("rules"), [[StateUpdate(values=dict(command.update))]])


FIXED = {"topic", "material", "participants"}
"""What is given with the input, or else follows from the rules."""


OVER = "it is over, and nothing can follow; go on from an earlier checkpoint, or begin anew"


def check_change(drawing: Any, supersteps: Sequence[Sequence[StateUpdate]]) -> None:
    """Refuse a channel the protocol does not have, which langgraph passes over in silence, and what it cannot hold."""
    schema: Any = drawing.state_schema
    own = set(get_type_hints(drawing.input_schema))
    own |= FIXED if "participants" in own else set()
    known = sorted(get_type_hints(schema))
    for values in (one.values for step in supersteps for one in step if isinstance(one.values, Mapping)):
        for key in values.keys() - set(known):
            raise Refused(str(key), values[key], unknown_key(str(key), known))
        if "rules" in values:
            _check_rules(drawing, values["rules"])
        elif fixed := sorted(values.keys() & FIXED - own):
            raise Refused(fixed[0], values[fixed[0]], "it follows from the rules here; write those, whole")
        change = _change_of(schema)
        try:
            _adapter(change).validate_python({key: one for key, one in values.items() if _is_plain(key, one)})
        except ValidationError as error:
            raise refused_input(error, change) from None


def _check_rules(drawing: Any, written: Any) -> None:
    """Refuse rules that are not a whole run's: what is missing would be filled in, the model with the rehearsal."""
    given = written.value if isinstance(written, Overwrite) else written
    rules, kind = given.model_dump() if isinstance(given, Rules) else given, drawing.context_schema
    if not isinstance(kind, type) or not issubclass(kind, Rules):
        return
    fields, own = kind.model_fields, kind.model_fields["protocol"].default
    if not isinstance(rules, Mapping) or rules.get("protocol") != own:
        raise Refused("rules", rules, f"give them whole, as the state holds them, `protocol` and all: {own}")
    try:
        check_chosen(kind.model_validate(dict(rules)), drawing.state_schema, kind)
    except ValidationError as error:
        raise refused_input(error, kind) from None
    lacking = [key for key in ("model", "seed") if rules.get(key) in ("", None)]
    lacking += [key for key, field in fields.items() if not field.exclude and key not in {*rules, *lacking}]
    if lacking:
        more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
        missing = f"missing: {', '.join(lacking[:3])}{more}"
        raise Refused("rules", rules, f"give them whole, as the state holds them; {missing}")


def check_place(state: StateSnapshot, supersteps: Sequence[Sequence[StateUpdate]]) -> None:
    """Refuse what a thread cannot take where it stands: a step after its end, and a second statement of one turn."""
    _check_participants(state.values.get("rules"), supersteps)
    changes = [(one.values, one.as_node) for step in supersteps for one in step if isinstance(one.values, Mapping)]
    over = state.values.get("rules", Rules()) != Rules() and not state.next
    taken = Counter(_turns(state.values.get("history", [])))
    for values, node in changes:
        if over and (node or "history" in values):
            raise Refused("state", sorted(values), OVER)
        written = values.get("history", [])
        if isinstance(written, Overwrite):
            taken, written = Counter(), written.value
        taken.update(new := _turns(written))
        if twice := [turn for turn in new if taken[turn] > 1]:
            raise Refused("history", twice[0], "this turn has its statement; go on from the checkpoint before it")


def _turns(statements: Sequence[Any]) -> list[int]:
    """The turns that statements, or their plain dicts, say they are of."""
    turns = [one.get("turn") if isinstance(one, Mapping) else getattr(one, "turn", None) for one in statements]
    return [turn for turn in turns if isinstance(turn, int) and turn]


def _check_participants(held: Any, supersteps: Sequence[Sequence[StateUpdate]]) -> None:
    """Refuse rules that rename, add or drop participants, where rules say who takes part: the record knows the old."""
    people = _seated(held)
    for values in (one.values for step in supersteps for one in step if isinstance(one.values, Mapping)):
        new = _seated(values.get("rules"))
        if people and new and new != people:
            named = ", ".join(name for _, name in people)
            raise Refused(
                "rules.participants",
                [name for _, name in new],
                f"this run knows its participants by name and id; keep them as they are, in this order: {named}",
            )


def _seated(rules: Any) -> list[tuple[str, str]]:
    """Ids and names of those whom rules seat; empty where rules seat nobody."""
    whole = revived(rules) if isinstance(rules, Rules | Mapping) else None
    return [(str(one.id), str(one.name)) for one in getattr(whole, "participants", [])]


def _is_plain(key: str, value: object) -> bool:
    return key != "rules" and not isinstance(value, Overwrite)


@cache
def _change_of(schema: Any) -> Any:
    """What may be written to the channels, each with what it holds; to memories, in place of a whole one as well."""
    held = get_type_hints(schema, include_extras=True)
    made: Any = TypedDict  # whose keys are known only here
    return made("Change", held | {"memory": dict[str, list[str] | Replaced]}, total=False)
