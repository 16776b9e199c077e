"""Fork: a new run from a checkpoint, with a changed statement, persona, model, topic or setting."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_jsonable_python

from ...models import add_prices, distrust_imports, record_recipients
from ...nodes import MATERIAL_LIMIT, check_models, check_text, parse_act
from ...state import (
    InputError,
    Participant,
    Settings,
    Statement,
    explain_unknown_key,
    repair_surrogates,
    validate_input,
)
from ...storage import get_timestamp
from ..protocols import get_hooks, get_protocol
from ..run.config_file import SETTING_ALIASES, merge_value
from .checkpoint_history import Checkpoint
from .runs import Run, make_run_name
from .saved_run import SavedRun, load_saved_run, make_thread_config
from .store import Store

TOPIC_LIMIT = 4000  # characters


CHANGE_KEYS = ("statement.N", "silenced.N", "persona.NAME", "model.NAME", "topic")
"""Keys of changes other than settings."""


SETTING_FIELDS = {"persona": "personality", "model": "model"}
"""Field name of each changeable property, for participants that are part of the settings."""


@dataclass(frozen=True)
class ForkPlan:
    """Fork that is not saved yet: its row, its initial state, and the node that wrote this state."""

    run: Run
    state: dict[str, Any]
    node: str


async def fork_run(store: Store, original: SavedRun, checkpoint: Checkpoint, changes: Mapping[str, Any]) -> Run:
    """Fork a run at a checkpoint, save the fork and return its row. The original stays unchanged.

    `changes`: changed values, by the keys of `apply_changes`. Raises `InputError` as `plan_fork` does.
    """
    plan = await plan_fork(store, original, checkpoint, changes)
    await save_fork(store, plan)
    return plan.run


async def save_fork(store: Store, plan: ForkPlan) -> None:
    """Save a planned fork, unless it was saved before."""
    await store.runs.add_run(plan.run)
    if not (await load_saved_run(store, plan.run.run)).has_begun:
        await store.get_graph(plan.run.protocol).aupdate_state(
            make_thread_config(plan.run.run), plan.state, as_node=plan.node
        )


async def plan_fork(store: Store, original: SavedRun, checkpoint: Checkpoint, changes: Mapping[str, Any]) -> ForkPlan:
    """Plan a fork of a run at a checkpoint, without saving it.

    `changes`: changed values, by the keys of `apply_changes`. Raises `InputError` for an unusable change, and for a
    checkpoint after several parallel nodes.
    """
    if len(checkpoint.nodes) != 1:
        raise InputError(
            "--checkpoint",
            f"{checkpoint.step}",
            "several steps ran at once at this checkpoint; choose a turn, or another checkpoint",
        )
    state = apply_changes(checkpoint.values, changes)
    state["settings"] = state["settings"].with_choices(
        recipients=None, **{key: "" for key in ("record", "replay", "recording_id") if key not in changes}
    )
    with distrust_imports():
        check_models(state["settings"], state["participants"])
    state["settings"] = await add_prices(state["settings"], state["participants"])
    state["settings"] = record_recipients(state["settings"], state["participants"])
    run = Run(
        run=make_run_name(original.run.protocol, "" if store.is_encrypted else original.run.topic),
        protocol=original.run.protocol,
        topic=str(state.get("topic", original.run.topic)),
        started=get_timestamp(),
        settings=state["settings"].model_dump(mode="json"),
        forked_from=f"{original.run.run} step:{checkpoint.step}",
        forked_turn=checkpoint.turn,
        forked_calls=len(state["calls"]),
        forked_with=to_jsonable_python(changes, inf_nan_mode="strings", fallback=str),
    )
    node = checkpoint.nodes[0]
    if node == "decide":  # it decides anew, since the changes may alter its decision
        node = next(
            source for source, target in sorted(store.get_graph(run.protocol).builder.edges) if target == "decide"
        )
    return ForkPlan(run, state, node)


def apply_changes(checkpoint_values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of a checkpoint with changed values.

    `changes`: new values by key. Keys: `statement.N` (text of statement N), `silenced.N` (true hides statement N from
    every participant), `persona.NAME`, `role.NAME`, `model.NAME`, `topic`, `material`, and every setting by its dotted
    name. Raises `InputError` for an unknown key, turn or name, and for an invalid value.
    """
    state = dict(checkpoint_values)
    for key, value in changes.items():
        first_key, _, remaining_key = key.partition(".")
        if first_key == "statement" and state.get("estimates"):
            raise InputError(key, value, "estimates cannot be changed; leave it out")
        if first_key in ("answer", "options") and state.get("positions"):
            raise InputError(key, value, "earlier answers belong to the old question; fork from --turn 0")
        if first_key in ("statement", "silenced"):
            state["history"] = _change_statement(state["settings"], state["history"], first_key, remaining_key, value)
        elif first_key in ("persona", "role", "model") and remaining_key:
            _change_participant(state, first_key, remaining_key, value)
        elif key in ("topic", "material"):
            if not get_protocol(state["settings"].protocol).topic_key:
                raise InputError(key, value, "this protocol has no such text; leave it out")
            text = repair_surrogates(str("" if value is None else value))
            check_text(key, text, TOPIC_LIMIT if key == "topic" else MATERIAL_LIMIT, can_be_blank=key == "material")
            state[key] = text.strip() if key == "topic" else text
        else:
            settings = _change_setting(
                state["settings"], (SETTING_ALIASES | state["settings"].setting_aliases).get(key, key), value
            )
            if key == "profile" and state["history"]:
                setting_options = " ".join(f"--set persona.{seat.name}=…" for seat in state["participants"])
                remedy = f"participants have already spoken; change them with {setting_options}, or fork before "
                raise InputError("profile", getattr(settings, "profile", ""), f"{remedy}the first turn, --turn 0")
            state["participants"] = get_hooks(settings.protocol).forked_participants(
                settings, state["settings"], state["participants"]
            )
            state["settings"] = settings
    state["settings"].check_seats([participant.name for participant in state["participants"]])
    return state


def _change_statement(settings: Settings, history: list[Statement], key: str, turn: str, value: Any) -> list[Statement]:
    turns = [str(statement.turn) for statement in history]
    if turn not in turns:
        raise InputError(
            f"{key}.{turn}", value, f"there is no such turn before the fork; choose one of {', '.join(turns) or 'none'}"
        )
    update: dict[str, Any] = {"silenced": value}
    if key == "statement":
        content = repair_surrogates(str(value)).strip()
        update = {"content": content, "act": parse_act(content, settings)}
        if value is None or not content:
            raise InputError(f"statement.{turn}", value, "give a text that is not blank")
    elif not isinstance(value, bool):
        raise InputError(f"silenced.{turn}", value, "write true or false")
    return [statement.model_copy(update=update) if str(statement.turn) == turn else statement for statement in history]


def _change_participant(state: dict[str, Any], field: str, name: str, value: Any) -> None:
    settings_class = type(state["settings"])
    if "participants" in settings_class.model_fields:
        if field not in SETTING_FIELDS:
            raise InputError(
                f"{field}.{name}", value, f"participants have no such setting; give {' or '.join(SETTING_FIELDS)}"
            )
        document = state["settings"].model_dump(mode="json")
        for participant in document["participants"]:
            participant |= {SETTING_FIELDS[field]: str(value)} if participant["name"] == name else {}
        state["settings"] = validate_input(settings_class, document)
    participants: list[Participant] = state["participants"]
    names = [participant.name for participant in participants]
    if name not in names:
        raise InputError(field, name, f"no participant has this name; choose one of {', '.join(names)}")
    state["participants"] = [
        participant.model_copy(update={field: str(value)}) if participant.name == name else participant
        for participant in participants
    ]


def _change_setting(settings: Settings, key: str, value: Any) -> Settings:
    key = get_hooks(settings.protocol).setting_key(key, value)
    field_names = list(type(settings).model_fields)
    if key.partition(".")[0] not in field_names:
        raise InputError(key, value, explain_unknown_key(key, [*field_names, *CHANGE_KEYS]))
    type(settings).check_unused(merge_value({}, key, value))
    changed_settings: Settings = validate_input(
        type(settings), merge_value(settings.model_dump(mode="json"), key, value)
    )
    if key == "templates":  # checked as at the start of a run
        return changed_settings.with_choices(
            templates=get_protocol(settings.protocol).module.TEMPLATES.resolve_folder(changed_settings.templates)
        )
    return changed_settings
