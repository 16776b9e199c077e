"""Council API: answer a question with a deliberation, with the keys that existing web clients use."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from ..models import parse_spec
from ..nodes.node_runnables import run_blocking
from ..state import EVERYONE, ClosedModel, InputError, list_names, make_setting_error, sum_tokens, validate_input
from ..storage import count_milliseconds_since, get_timestamp
from .protocols.registry import PROTOCOLS
from .report import build_turn_lines
from .run import RunOptions, RunRequest, RunSummary, build_request, run_and_save, summarize_run
from .saved import SavedRun

COUNCIL_MODES = {"adversarial": "debate", "consensus": "consensus", "ranking": "council"}

SIDE_NAMES = ("PRO", "CON")
"""Names of the seats in the adversarial mode."""

CLIENT_KEYS = {
    "topic": "query",
    "material": "context",
    "participants": "councilParticipants",
    "personas": "councilPersonas",
    "profile": "councilPersonaProfile",
    "max_turns": "councilMaxTurns",
    "models.synthesizer": "councilSynthesizer",
}
"""Client's key for each input and setting of a graph."""


Temperature = Annotated[float, Field(ge=0, le=2)]


class CouncilSeat(ClosedModel):
    """Participant in a client's request: a model, and optionally a name, a persona and a temperature."""

    model: str = Field(default="", max_length=300, description="Model spec; empty: default model.")
    name: str = Field(default="", max_length=80, description="Name; empty: the side, or the model's name.")
    persona: str = Field(default="", max_length=20_000, description="Persona; empty: from the profile.")
    temperature: Temperature | None = Field(default=None, description="Sampling temperature; none: as in the request.")

    def is_named_by(self, key: str, side: str) -> bool:
        """Return whether `key` names this participant: its name, side, or the full or short name of its model."""
        names = {self.name, side, self.model, *([parse_spec(self.model).name] if self.model else [])}
        return key.strip().casefold() in {name.casefold() for name in names if name}


class CouncilRequest(BaseModel):
    """Request of a web client, with the client's own keys."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True, extra="forbid")

    query: str = Field(min_length=1, max_length=4000, description="Question.")
    council_mode: Literal["adversarial", "consensus", "ranking"] = Field(default="adversarial")
    council_max_turns: int | None = Field(
        default=None, ge=2, le=20, description="Maximum turns; none: 10. In a ranking, each participant has one turn."
    )
    council_dynamic_termination: bool = Field(
        default=True, description="Whether a stopping rule may end the run before its maximum."
    )
    council_participants: list[
        Annotated[CouncilSeat, BeforeValidator(lambda value: {"model": value} if isinstance(value, str) else value)]
    ] = Field(default=[], max_length=1000, description="Participants, each as a model or a seat.")
    council_synthesizer: str = Field(
        default="", max_length=300, description="Model of the synthesis; empty: default model."
    )
    council_personas: dict[str, str] | None = Field(default=None, description="Personas by side, participant or model.")
    council_persona_profile: str | None = Field(
        default=None, max_length=80, description="Persona profile; none: default profile."
    )
    temperature: Annotated[
        dict[str, Temperature],
        BeforeValidator(lambda value: value if isinstance(value, Mapping) else {EVERYONE: value}),
    ] = Field(default={}, description="Sampling temperature of all, or by side, name or model.")
    seed: int | None = Field(default=None, strict=True, description="Seed of all random draws.")
    language: str | None = Field(default=None, description="Language of prompts and replies, BCP-47 tag; none: en.")
    context: str | None = Field(default=None, description="Background for all participants.")

    @model_validator(mode="after")
    def _check_effect(self) -> Self:
        for name in ("council_max_turns", "council_dynamic_termination"):
            value, default = getattr(self, name), type(self).model_fields[name].default
            if self.council_mode == "ranking" and value != default:
                raise make_setting_error(
                    to_camel(name), value, "in a ranking each participant answers once; leave it out"
                )
        return self

    @property
    def max_turns(self) -> int | None:
        """Return the cap on turns that applies; `None` in a ranking, where every participant answers once."""
        return None if self.council_mode == "ranking" else self.council_max_turns or 10

    def build_input(self) -> dict[str, Any]:
        """Return the graph's input and settings: question, limits, participants and personas."""
        choices = {
            "topic": self.query,
            "max_turns": self.max_turns,
            "dynamic_termination": self.council_dynamic_termination if self.max_turns else None,
            "material": self.context or None,
            "profile": self.council_persona_profile or None,
            "models": {"synthesizer": self.council_synthesizer} if self.council_synthesizer else None,
            "seed": self.seed,
            "language": self.language,
            "temperature": self.temperature.get(EVERYONE),
        }
        values: dict[str, Any] = {key: value for key, value in choices.items() if value is not None}
        temperatures = {name: value for name, value in self.temperature.items() if name != EVERYONE}
        personas, sides = self.council_personas or {}, SIDE_NAMES if self.council_mode == "adversarial" else ()
        seats = name_seats(self.council_participants, sides)
        matched_seats = seats or [CouncilSeat(name=side) for side in sides]
        if matched_seats or temperatures:
            for key, entries in (("temperature", temperatures), ("councilPersonas", personas)):
                matched_seats = _match_seats(key, entries, matched_seats, sides)
        if seats or temperatures:
            return values | {"participants": [seat.model_dump(exclude_defaults=True) for seat in matched_seats]}
        return values | {"personas": {name.strip().casefold() if sides else name: personas[name] for name in personas}}

    def translate_key(self, error: InputError) -> str:
        """Return the client's key for a value that the graph rejected."""
        models = {self.council_synthesizer: CLIENT_KEYS["models.synthesizer"]}
        models |= {seat.model: f"councilParticipants.{index}" for index, seat in enumerate(self.council_participants)}
        if error.key == "model" and error.value in models:
            return models[error.value]
        first_key, dot, remaining_key = error.key.partition(".")
        return CLIENT_KEYS.get(error.key) or f"{CLIENT_KEYS.get(first_key, first_key)}{dot}{remaining_key}"


def name_seats(seats: Sequence[CouncilSeat], sides: Sequence[str]) -> list[CouncilSeat]:
    """Return the participants with names: the requested name, the side or the model's name.

    `sides`: side of each participant. A repeated name gets a number.
    """
    named_seats: list[CouncilSeat] = []
    for index, seat in enumerate(seats):
        short_name = parse_spec(seat.model).name or seat.model if seat.model else f"Participant {index + 1}"
        name = seat.name or (sides[index] if index < len(sides) else short_name[-70:])
        repeat_count = sum(
            named_seat.name == name or named_seat.name.startswith(f"{name} (") for named_seat in named_seats
        )
        named_seats.append(
            seat.model_copy(update={"name": f"{name} ({repeat_count + 1})" if repeat_count and not seat.name else name})
        )
    return named_seats


def _match_seats(
    key: str, values: Mapping[str, Any], seats: Sequence[CouncilSeat], sides: Sequence[str]
) -> list[CouncilSeat]:
    """Return the participants with their values from `values`, which names them by name, side or model.

    `key`: field that the values are for. Raises `InputError` for a key that fits no participant, or if the participant
    already has the value.
    """
    field, matched_seats = "persona" if key == "councilPersonas" else key, list(seats)
    for name, value in values.items():
        indices = [
            index
            for index, seat in enumerate(seats)
            if seat.is_named_by(name, sides[index] if index < len(sides) else "")
        ]
        if not indices:
            seat_names = ", ".join(seat.name for seat in seats) or "the names in councilParticipants"
            raise InputError(
                f"{key}.{name}", value, f"no participant has this name or model; choose one of {seat_names}"
            )
        for index in indices:
            if getattr(matched_seats[index], field) not in ("", None):
                remedy = f"{seats[index].name} already has a value, by another name or in councilParticipants; keep one"
                raise InputError(f"{key}.{name}", value, remedy)
            matched_seats[index] = matched_seats[index].model_copy(update={field: value})
    return matched_seats


class CouncilResponse(RunSummary):
    """Reply to the client.

    `response`: the synthesis; without one, the headline with the reason.

    `councilSides`: side of each participant; empty without sides. `councilPersonas`: personas in the run, by
    participant.
    """

    response: str
    queryMode: Literal["council"]
    councilMode: str
    councilDialogue: bool
    councilTurns: list[dict[str, Any]]
    councilSynthesis: str
    councilTerminationReason: str
    councilTotalTurns: int
    councilMaxTurns: int
    councilParticipants: list[str]
    councilSides: dict[str, str]
    councilPersonas: dict[str, str]
    processingTimeMs: int
    totalTokens: int
    timestamp: str


def council(request: Mapping[str, Any], db: str = "") -> CouncilResponse:
    """Answer a client's request, and wait for the result. Raises `InputError` before any model call.

    Arguments are those of `acouncil`.
    """
    return run_blocking(acouncil(request, db))


async def acouncil(
    request: Mapping[str, Any], db: str = "", *, run: Callable[[RunRequest, str], Awaitable[SavedRun]] = run_and_save
) -> CouncilResponse:
    """Answer a client's request: `query`, and optionally `councilMode`, `councilMaxTurns` and other keys.

    Saves the run in `db`; empty stands for the default database. `run`: function that executes the request. Raises
    `InputError` for an unusable request, before any model call.
    """
    start_time = time.perf_counter()
    if not isinstance(request, Mapping):
        raise InputError("request", request, "give a mapping, such as {'query': 'Should we?'}")
    given_values = {key: value for key, value in request.items() if value is not None}
    try:
        council_request: CouncilRequest = validate_input(CouncilRequest, given_values)
    except InputError as error:
        raise InputError(error.key.removesuffix(f".{EVERYONE}"), error.value, error.remedy) from None
    mode = council_request.council_mode
    if (protocol := PROTOCOLS.get(COUNCIL_MODES[mode])) is None:
        available_modes = " or ".join(mode for mode, name in COUNCIL_MODES.items() if name in PROTOCOLS)
        raise InputError("councilMode", mode, f"use one of the modes of this Moot: {available_modes}")
    try:
        saved_run = await run(build_request(protocol, council_request.build_input(), RunOptions()), db)
    except InputError as error:
        raise InputError(council_request.translate_key(error), error.value, error.remedy) from None
    state, summary = saved_run.state, summarize_run(saved_run)
    participants = state["participants"]
    turns = [line.model_dump(mode="json", by_alias=True) for line in build_turn_lines(state["history"], participants)]
    return CouncilResponse(
        **summary,
        response=state["synthesis"] or summary["headline"],
        queryMode="council",
        councilMode=mode,
        councilDialogue=True,
        councilTurns=turns,
        councilSynthesis=state["synthesis"],
        councilTerminationReason=state["outcome"].reason,
        councilTotalTurns=len(turns),
        councilMaxTurns=council_request.max_turns or len(participants),
        councilParticipants=list_names(participants),
        councilSides={participant.name: participant.side for participant in participants if participant.side},
        councilPersonas={participant.name: participant.persona for participant in participants},
        processingTimeMs=count_milliseconds_since(start_time),
        totalTokens=sum_tokens(state["calls"]),
        timestamp=get_timestamp(),
    )
