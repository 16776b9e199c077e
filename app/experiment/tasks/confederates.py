"""Scripted participants, who sit in a session's first seats and say a fixed line in each turn."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langgraph.types import Command

from ....models import choose_spec
from ....state import IndependentSettings, InputError
from ...people.open_questions import list_open_questions
from ...protocols import HIDDEN_PROTOCOLS, get_hooks
from ...run import RunRequest, WaitingForPeopleError
from ...saved import SavedRun, Store, load_saved_run
from ..items import Item

INHERITED_SETTINGS = {
    *("language", "temperature", "max_tokens_per_turn", "reasoning_tokens", "max_attempts", "timeouts", "retry_delays"),
    *("answer_temperature", "budget", "prices", "record", "replay", "answer", "options", "seed", "model"),
    *("public_history_max_length", "stay"),
}
"""Settings of a talk that a run of independent answers inherits."""


def build_scripted_participants(protocol: str, participants: object, item: Item) -> list[dict[str, Any]]:
    """Return the participants of a scripted item: a program for each line, then the observed one.

    Surplus participants at the front are dropped. Raises `InputError` for too few participants.
    """
    if not get_hooks(protocol).has_scripted_seats:
        raise InputError("protocol", protocol, "scripted participants need protocol: discussion")
    entries: Sequence[Any] = participants if isinstance(participants, list) else []
    seat_count = len(item.scripted) + 1
    if len(entries) < seat_count:
        raise InputError(
            "settings.participants",
            participants,
            (
                f"item {item.id} has {len(item.scripted)} scripted participants and one observed; name {seat_count} "
                "or more"
            ),
        )
    seats = [dict(entry) if isinstance(entry, Mapping) else {"name": entry} for entry in entries[-seat_count:]]
    return [*({**seat, "kind": "program"} for seat in seats[:-1]), seats[-1]]


def build_control_request(request: RunRequest) -> RunRequest:
    """Build the request of a control, in which the only seat answers twice without a deliberation.

    `request`: request with this seat.
    """
    (seat,) = map(dict, request.input["participants"])
    seat["model"] = choose_spec(request.settings, seat["name"], seat.get("model") or "")
    inherited_settings = request.settings.model_dump(include=INHERITED_SETTINGS)
    settings = IndependentSettings.model_validate(
        inherited_settings | {"arm": "twice", "rounds": 2, "positions": "ends"}
    )
    return RunRequest(HIDDEN_PROTOCOLS["independent"], settings, {**request.input, "participants": [seat]})


async def run_with_confederates(
    store: Store,
    run: str,
    item: Item,
    pending_run: Awaitable[SavedRun],
    resume_with: Callable[[Any], Awaitable[SavedRun]],
) -> SavedRun:
    """Wait until a run ends, and answer the questions to its scripted participants. Return the saved run.

    `pending_run`: the run in progress. `resume_with`: function that resumes it with an answer.
    """
    while True:
        try:
            return await pending_run
        except WaitingForPeopleError:
            saved_run = await load_saved_run(store, run)
            seat_names = [participant.name for participant in saved_run.state["participants"]]
            for question in list_open_questions(saved_run):
                who = question["who"]
                if question["purpose"] == "invitation":
                    answer: dict[str, Any] = {"who": who, "accept": True}
                elif question["purpose"] == "statement" and seat_names.index(who) < len(item.scripted):
                    line = item.scripted[seat_names.index(who)]
                    answer = {"speaker": who, "text": line, "turn": question["turn"]}
                else:
                    continue
                pending_run = resume_with(Command(resume={question["id"]: answer}))
                break
            else:
                raise
