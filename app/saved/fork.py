"""Fork: a new run from a checkpoint of another, with a changed statement, persona, model, topic or setting."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from ...models.price_lookup import add_prices
from ...nodes.initial_state import MATERIAL_LIMIT, check_models, check_text
from ...nodes.seats import with_profile
from ...state.errors import InputError, convert_input_error, explain_unknown_key
from ...state.fence import repair_surrogates
from ...state.justice import JusticeSettings, format_dotted_key
from ...state.settings import Settings
from ...state.statement import Participant, Statement
from ...storage.clock import get_timestamp
from ..protocols.protocol import get_protocol
from ..run.config import SETTING_ALIASES, merge_value
from .checkpoint_history import Checkpoint
from .load import SavedRun, load_saved_run, make_thread_config
from .names import make_run_name
from .runs import Run
from .store import Store

TOPIC_LIMIT = 4000
"""Most characters of a topic."""

PARTICIPANT_KEYS = ("persona", "role", "model")
"""Changeable properties of one participant: `persona.Ada`, `model.Ada`."""

CHANGE_KEYS = ("statement.N", "silenced.N", "persona.NAME", "model.NAME", "topic")
"""Keys of changes other than settings."""

UNSHARED_SETTINGS = ("record", "replay", "place")
"""Settings that a run does not pass to its forks: its recording lacks their requests."""

SETTING_FIELDS = {"persona": "personality", "model": "model"}
"""Field names of the changeable properties, for participants that the settings contain."""


@dataclass(frozen=True)
class ForkPlan:
    """Fork before it is saved: its row, its state, and the node that led to the state."""

    run: Run
    state: dict[str, Any]
    node: str


async def fork_run(store: Store, original: SavedRun, checkpoint: Checkpoint, changes: Mapping[str, Any]) -> Run:
    """Fork a run at a checkpoint with changes, save the fork and return its row.

    The original stays unchanged.
    """
    plan = await plan_fork(store, original, checkpoint, changes)
    await save_fork(store, plan)
    return plan.run


async def save_fork(store: Store, plan: ForkPlan) -> None:
    """Save a planned fork. Leave it unchanged if it is already saved."""
    await store.runs.add_run(plan.run)
    if not (await load_saved_run(store, plan.run.run)).has_begun:
        graph = store.get_graph(plan.run.protocol)
        await graph.aupdate_state(make_thread_config(plan.run.run), plan.state, as_node=plan.node)


async def plan_fork(store: Store, original: SavedRun, checkpoint: Checkpoint, changes: Mapping[str, Any]) -> ForkPlan:
    """Plan a fork from a checkpoint with changes, without saving it."""
    if len(checkpoint.nodes) != 1:
        raise InputError(
            "--at", f"step:{checkpoint.step}", "several steps ran there at once; choose a turn, or another step"
        )
    state = apply_changes(checkpoint.values, changes)
    state["settings"] = state["settings"].with_choices(**{key: "" for key in UNSHARED_SETTINGS if key not in changes})
    check_models(state["settings"], state["participants"])
    state["settings"] = await add_prices(state["settings"], state["participants"])
    settings_values = state["settings"].model_dump(mode="json")
    run = Run(
        run=make_run_name(original.run.protocol, "" if store.is_encrypted else original.run.topic),
        protocol=original.run.protocol,
        topic=str(state.get("topic", original.run.topic)),
        started=get_timestamp(),
        settings=settings_values,
        forked_from=f"{original.run.run} step:{checkpoint.step}",
        forked_turn=checkpoint.turn,
        forked_calls=len(state["calls"]),
        forked_with=to_jsonable_python(changes, inf_nan_mode="strings", fallback=str),
    )
    return ForkPlan(run, state, _choose_entry_node(store, run.protocol, checkpoint.nodes[0]))


def _choose_entry_node(store: Store, protocol: str, node: str) -> str:
    """Return the node after which a fork continues: a decision is made anew, since the changes may alter it."""
    edges = sorted(store.get_graph(protocol).builder.edges)
    return next(source for source, target in edges if target == node) if node == "decide" else node


def apply_changes(checkpoint_values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state with the changes.

    Keys: `statement.N` (its text), `silenced.N` (true hides it from every participant), `persona.NAME`,
    `role.NAME`, `model.NAME`, `topic`, `material`, and every setting by its dotted name. Raises `InputError`
    for an unknown key, turn or name, and for an invalid value.
    """
    state = dict(checkpoint_values)
    for key, value in changes.items():
        first_key, _, remaining_key = key.partition(".")
        _check_recorded_answers(state, key, value)
        if first_key == "statement":
            state["history"] = _replace_statement(state["history"], remaining_key, value)
        elif first_key == "silenced":
            state["history"] = _silence_statement(state["history"], remaining_key, value)
        elif first_key in PARTICIPANT_KEYS and remaining_key:
            state |= _change_settings_participant(state["settings"], first_key, remaining_key, value)
            state["participants"] = _change_participant(state["participants"], first_key, remaining_key, value)
        elif key in ("topic", "material"):
            if not get_protocol(state["settings"].protocol).topic_key:
                raise InputError(key, value, "nobody is told of it here; leave it out")
            state[key] = _clean_text(key, value)
        else:
            settings = _change_setting(
                state["settings"], (SETTING_ALIASES | state["settings"].setting_aliases).get(key, key), value
            )
            if key == "profile":
                state["participants"] = _reseat_participants(state, settings)
            if isinstance(settings, JusticeSettings) and isinstance(state["settings"], JusticeSettings):
                state["participants"] = _update_participants(settings, state["settings"], state["participants"])
            state["settings"] = settings
    state["settings"].check_seats([participant.name for participant in state["participants"]])
    return state


def _check_recorded_answers(state: Mapping[str, Any], key: str, value: Any) -> None:
    """Raise `InputError` for a change that the recorded answers would contradict."""
    first_key = key.partition(".")[0]
    if first_key == "statement" and state.get("estimates"):
        raise InputError(
            key, value, "estimates stand as they were given, and nobody is shown these words; leave it out"
        )
    if first_key in ("answer", "options") and state.get("positions"):
        raise InputError(key, value, "what was answered so far answers the question as it was; fork from --at 0")


def _reseat_participants(state: Mapping[str, Any], settings: Settings) -> list[Participant]:
    """Return the participants with the personas of another profile.

    Raises `InputError` after the first statement.
    """
    participants: list[Participant] = state["participants"]
    if state["history"]:
        setting_options = " ".join(f"--set persona.{participant.name}=…" for participant in participants)
        remedy = (
            f"they have spoken as who they are; change them with {setting_options}, or fork before "
            "the first turn, --at 0"
        )
        raise InputError("profile", getattr(settings, "profile", ""), remedy)
    return with_profile(participants, state["settings"], settings)


def _clean_text(key: str, value: Any) -> str:
    text = repair_surrogates(str("" if value is None else value))
    check_text(key, text, TOPIC_LIMIT if key == "topic" else MATERIAL_LIMIT, can_be_blank=key == "material")
    return text.strip() if key == "topic" else text


def _silence_statement(history: list[Statement], turn: str, is_silenced: Any) -> list[Statement]:
    _check_turn("silenced", history, turn)
    if not isinstance(is_silenced, bool):
        raise InputError(f"silenced.{turn}", is_silenced, "write true or false")
    return [
        statement.model_copy(update={"silenced": is_silenced}) if str(statement.turn) == turn else statement
        for statement in history
    ]


def _check_turn(key: str, history: list[Statement], turn: str) -> None:
    turns = [str(statement.turn) for statement in history]
    if turn not in turns:
        raise InputError(key, turn, f"no such turn before the fork; there are {', '.join(turns) or 'none'}")


def _replace_statement(history: list[Statement], turn: str, text: Any) -> list[Statement]:
    _check_turn("statement", history, turn)
    content = repair_surrogates(str(text)).strip()
    if text is None or not content:
        raise InputError(f"statement.{turn}", text, "give a text that is not blank")
    return [
        statement.model_copy(update={"content": content}) if str(statement.turn) == turn else statement
        for statement in history
    ]


def _change_participant(participants: list[Participant], field: str, name: str, value: Any) -> list[Participant]:
    names = [participant.name for participant in participants]
    if name not in names:
        raise InputError(field, name, f"no such participant; there are {', '.join(names)}")
    return [
        participant.model_copy(update={field: str(value)}) if participant.name == name else participant
        for participant in participants
    ]


def _change_settings_participant(settings: Settings, field: str, name: str, value: Any) -> dict[str, Settings]:
    """Return an update of the settings with one participant changed; empty without participants in them."""
    if "participants" not in type(settings).model_fields:
        return {}
    if field not in SETTING_FIELDS:
        raise InputError(f"{field}.{name}", value, f"participants have none here; give {' or '.join(SETTING_FIELDS)}")
    document = settings.model_dump(mode="json")
    for participant in document["participants"]:
        participant |= {SETTING_FIELDS[field]: str(value)} if participant["name"] == name else {}
    try:
        return {"settings": type(settings).model_validate(document)}
    except ValidationError as error:
        raise convert_input_error(error, type(settings)) from None


def _update_participants(
    settings: JusticeSettings, previous_settings: JusticeSettings, participants: list[Participant]
) -> list[Participant]:
    """Return the participants with the personas and models of changed settings.

    Raises `InputError` if an id or a name differs.
    """
    if [(participant.id, participant.name) for participant in settings.participants] != [
        (participant.id, participant.name) for participant in previous_settings.participants
    ]:
        names = ", ".join(participant.name for participant in previous_settings.participants)
        new_names = [participant.name for participant in settings.participants]
        raise InputError("participants", new_names, f"it goes on with those who began it, their ids as well: {names}")
    updates = {
        participant.name: {"persona": participant.personality, "model": participant.model}
        for participant in settings.participants
    }
    return [participant.model_copy(update=updates.get(participant.name, {})) for participant in participants]


def _change_setting(settings: Settings, key: str, value: Any) -> Settings:
    key = format_dotted_key(key, value) if isinstance(settings, JusticeSettings) else key
    field_names = list(type(settings).model_fields)
    if key.partition(".")[0] not in field_names:
        raise InputError(key, value, explain_unknown_key(key, [*field_names, *CHANGE_KEYS]))
    type(settings).check_unused(merge_value({}, key, value))
    try:
        changed_settings = type(settings).model_validate(merge_value(settings.model_dump(mode="json"), key, value))
    except ValidationError as error:
        raise convert_input_error(error, type(settings)) from None
    return _with_checked_templates(changed_settings) if key == "templates" else changed_settings


def _with_checked_templates(settings: Settings) -> Settings:
    """Return the settings with their template folder checked, as at the start of a run."""
    return settings.with_choices(
        templates=get_protocol(settings.protocol).module.TEMPLATES.resolve_folder(settings.templates)
    )
