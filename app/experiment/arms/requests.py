"""Requests for the runs of arms: the participants and first answers of a talk, and the additions of the arm."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....models.spec import choose_spec
from ....state.call_record import sum_tokens
from ....state.errors import InputError
from ....state.independent import IndependentSettings
from ....state.positions import Position, PositionSettings
from ....state.settings import Settings
from ....state.statement import Participant, Statement
from ...protocols.registry import HIDDEN_PROTOCOLS
from ...run.request import RunRequest
from ...saved import Store, load_saved_run
from ...saved.experiments import RunProgress
from ..plan import Plan
from ..planned_runs import PlannedRun, build_talk_request

INHERITED_SETTINGS = (
    *("language", "temperature", "max_tokens_per_turn", "reasoning_allowance", "statement_tries", "timeouts", "waits"),
    *("budget", "prices", "record", "replay", "answer", "options", "seed", "model", "public_history_max_length"),
)
"""Settings of the talk that its arms inherit."""


class ArmNotRunError(Exception):
    """Error for an arm whose talk gives no result to compare with; its message is the reason."""


async def load_arm_request(store: Store, plan: Plan, planned_run: PlannedRun, model: str) -> RunRequest:
    """Build the request for an arm's run from the record of its talk.

    Raises `ArmNotRunError` if the talk or the donor has no result.
    """
    for run in planned_run.prerequisites:
        if planned_run.arm != "informed":
            require_result(run, await store.experiments.find_progress(run))
    try:
        talk = await load_saved_run(store, planned_run.talk)
    except InputError:  # a run that could not begin has no record
        talk = None
    if talk is None or not talk.has_begun:
        raise ArmNotRunError(f"not run: nothing of {planned_run.talk} is on record")
    statements = (await load_saved_run(store, planned_run.donor)).state["history"] if planned_run.donor else []
    return build_arm_request(
        plan, planned_run, build_talk_request(plan, planned_run, model).settings, talk.state, statements
    )


def require_result(run: str, progress: RunProgress | None) -> None:
    """Raise `ArmNotRunError` for a run without a result."""
    if progress is None or progress.state != "done":
        reason = progress.why if progress else "it was never begun"
        raise ArmNotRunError(f"not run: {run} came to no result{f' ({reason})' if reason else ''}")


def build_arm_request(
    plan: Plan, planned_run: PlannedRun, settings: Settings, state: Mapping[str, Any], statements: Sequence[Statement]
) -> RunRequest:
    """Build the request of an arm for a talk that ended in `state`.

    `settings`: the talk's settings in the plan.
    """
    participants = [
        _prepare_participant(participant, settings)
        for participant in state["participants"]
        if participant.kind == "model"
    ]
    if not participants:
        raise ArmNotRunError("not run: no model took part in the talk")
    arm = "ballot" if planned_run.arm == "vote" else planned_run.arm
    inherited_settings = {key: value for key, value in settings.model_dump().items() if key in INHERITED_SETTINGS}
    input = {
        "topic": state["topic"],
        "material": "\n\n".join(filter(None, [state["material"], *(exhibit.text for exhibit in state["exhibits"])])),
        "participants": select_participants(planned_run, settings, participants),
        "positions": select_first_answers(settings, state["positions"]) if arm in ("alone", "noise") else [],
        "heard": list(statements),
    }
    arm_settings = IndependentSettings.model_validate(
        inherited_settings
        | {
            "arm": arm,
            "rounds": count_rounds_after_blind(settings, state["history"]) if arm in ("alone", "noise") else 0,
        }
        | {"talk_calls": len(state["calls"]), "talk_tokens": sum_tokens(state["calls"])}
        | {"samples_max": plan.samples_max, "place": planned_run.run if settings.record or settings.replay else ""}
    )
    return RunRequest(HIDDEN_PROTOCOLS["independent"], arm_settings, input)


def select_first_answers(settings: Settings, positions: Sequence[Position]) -> list[Position]:
    """Return the blind answers of all participants in the form of answers before a talk."""
    blind_round = settings.blind_round or 0 if isinstance(settings, PositionSettings) else 0
    blind_positions = [
        position
        for position in positions
        if position.when == "before" or (blind_round and position.round == blind_round)
    ]
    return [position.model_copy(update={"when": "before", "round": 0, "turn": 0}) for position in blind_positions]


def count_rounds_after_blind(settings: Settings, history: Sequence[Statement]) -> int:
    """Return the number of rounds after the blind answers; at least 1 if the talk has a blind round."""
    round_count = max((statement.round for statement in history), default=0)
    blind_round = settings.blind_round or 0 if isinstance(settings, PositionSettings) else 0
    return max(1, round_count - blind_round) if blind_round else round_count


def select_participants(
    planned_run: PlannedRun, settings: Settings, participants: Sequence[Participant]
) -> list[Participant]:
    """Return the participants of an arm.

    The arm `informed` has one participant, who receives every private text. The arm `vote` has one neutral
    participant with the synthesizer's model. All other arms have all participants.
    """
    if planned_run.arm == "informed":
        private_texts = planned_run.item.informed or "\n\n".join(
            participant.private for participant in participants if participant.private
        )
        return [participants[0].model_copy(update={"private": private_texts})]
    if planned_run.arm == "vote":
        return [
            Participant(
                name=pick_free_name([participant.name for participant in participants]),
                model=choose_spec(settings, "synthesizer"),
            )
        ]
    return list(participants)


def pick_free_name(used_names: Sequence[str]) -> str:
    """Return a name for a neutral participant that no other participant has."""
    return next(name for name in ("Third", "Neutral", "Undirected") if name not in used_names)


def _prepare_participant(participant: Participant, settings: Settings) -> Participant:
    """Return a participant with a named model, and without side and role."""
    return participant.model_copy(
        update={"model": choose_spec(settings, participant.name, participant.model), "side": "", "role": ""}
    )
