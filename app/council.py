"""The council API: one question in, a deliberation's answer out, in the keys existing web clients speak."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from ..nodes.clock import milliseconds_since, stamp
from ..nodes.models.spec import parse
from ..nodes.step import wait_for
from ..state.incident import total_tokens
from ..state.refused import Refused, refused_input, unknown_key
from ..state.statement import names
from .document import TurnLine, turns
from .kept import kept, standing
from .options import Knobs
from .protocols import PROTOCOLS
from .request import Request, request
from .saved import Saved

MODES = {"adversarial": "debate", "consensus": "consensus", "ranking": "council"}
"""The protocol behind each mode."""

SIDES = ("PRO", "CON")
"""Seats of the adversarial mode."""

CLIENTS_WORDS = {
    "topic": "query",
    "material": "context",
    "participants": "councilParticipants",
    "personas": "councilPersonas",
    "profile": "councilPersonaProfile",
    "max_turns": "councilMaxTurns",
}
"""What clients call a graph's input and knobs."""

DEFAULT_TURNS = 10

Asked = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")
Heat = Annotated[float, Field(ge=0, le=2)]


class Seat(BaseModel):
    """One who takes part: its model, and if it is to be other than the rest, its name, persona and temperature."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(default="", max_length=300, description="Model spec; empty: the default model.")
    name: str = Field(default="", max_length=80, description="Empty: the side, or the model's name.")
    persona: str = Field(default="", max_length=20_000, description="Empty: the profile's.")
    temperature: Heat | None = Field(default=None, description="None: the request's.")

    def answers_to(self, key: str) -> bool:
        """Whether a key of the request means this seat: its name, or its model, as it was given or in short."""
        known = {self.name, self.model, *([parse(self.model).name] if self.model else [])}
        return key.strip().casefold() in {one.casefold() for one in known if one}


class CouncilRequest(BaseModel):
    """What a client asks; keys it sends for others are left alone."""

    model_config = Asked

    query: str = Field(min_length=1, max_length=4000, description="The question.")
    council_mode: Literal["adversarial", "consensus", "ranking"] = Field(default="adversarial")
    council_max_turns: int | None = Field(
        default=None, ge=2, le=20, description="None: 10. In a ranking everyone answers once."
    )
    council_dynamic_termination: bool = Field(default=True, description="False: always run to the cap.")
    council_participants: list[str | Seat] = Field(default=[], max_length=1000, description="A model or seat each.")
    council_personas: dict[str, str] | None = Field(default=None, description="Personas by side, participant or model.")
    council_persona_profile: str | None = Field(default=None, max_length=80, description="None: the default profile.")
    temperature: Heat | dict[str, Heat] | None = Field(default=None, description="Of all, or by side, name or model.")
    context: str | None = Field(default=None, description="Background both sides see.")

    @property
    def max_turns(self) -> int | None:
        """The cap in force; none in a ranking, where everyone answers once."""
        return None if self.council_mode == "ranking" else self.council_max_turns or DEFAULT_TURNS

    def given(self) -> dict[str, Any]:
        """The graph's input and knobs."""
        found: dict[str, Any] = {"topic": self.query}
        if self.max_turns:
            found |= {"max_turns": self.max_turns, "dynamic_termination": self.council_dynamic_termination}
        found |= {"material": self.context} if self.context else {}
        found |= {"profile": self.council_persona_profile} if self.council_persona_profile else {}
        found |= {"temperature": self.temperature} if isinstance(self.temperature, float) else {}
        return found | self._cast()

    def _cast(self) -> dict[str, Any]:
        """Who takes part and how, as far as the request says."""
        heats = self.temperature if isinstance(self.temperature, dict) else {}
        personas, sides = self.council_personas or {}, self.council_mode == "adversarial"
        seats = named([one if isinstance(one, Seat) else Seat(model=one) for one in self.council_participants], sides)
        if not seats and not (heats and sides):
            _meant("temperature", heats, [])
            return {"personas": {name.casefold() if sides else name: text for name, text in personas.items()}}
        seats = seats or [Seat(name=side) for side in SIDES]
        seats = [one.model_copy(update={"temperature": heat}) for one, heat in _meant("temperature", heats, seats)]
        seats = [one.model_copy(update={"persona": own}) for one, own in _meant("councilPersonas", personas, seats)]
        return {"participants": [one.model_dump(exclude_defaults=True) for one in seats]}


def named(seats: Sequence[Seat], sides: bool) -> list[Seat]:
    """The seats with a name each: the one given, else the side, else the model's, numbered where it comes again."""
    cast: list[Seat] = []
    for place, one in enumerate(seats):
        short = parse(one.model).name or one.model if one.model else f"Participant {place + 1}"
        name = one.name or (SIDES[place] if sides and place < len(SIDES) else short[-70:])
        before = sum(other.name == name or other.name.startswith(f"{name} (") for other in cast)
        cast.append(one.model_copy(update={"name": f"{name} ({before + 1})" if before and not one.name else name}))
    return cast


def _meant(key: str, given: Mapping[str, Any], seats: Sequence[Seat]) -> list[tuple[Seat, Any]]:
    """Each seat with what is given for it, or what it has; refused for a key that means no seat."""
    field = "persona" if key == "councilPersonas" else key
    for name, value in given.items():
        mine = [one for one in seats if one.answers_to(name)]
        if not mine:
            known = ", ".join(one.name for one in seats) or "none by name; name them in councilParticipants"
            raise Refused(f"{key}.{name}", value, f"nobody here has this name or model; there are {known}")
        if double := [one for one in mine if getattr(one, field) not in ("", None)]:
            raise Refused(f"{key}.{name}", value, f"{double[0].name} has its own in councilParticipants; keep one")
    return [
        (one, next((value for name, value in given.items() if one.answers_to(name)), getattr(one, field)))
        for one in seats
    ]


class CouncilResponse(BaseModel):
    """What the client gets, serialised by alias in camelCase."""

    model_config = Asked

    response: str = Field(description="The synthesis; where there is none, the headline, which says why.")
    status: str = Field(description="completed, partial or failed.")
    headline: str = Field(description="How it ended, and whatever was degraded.")
    run: str = Field(description="The saved run, for `moot show` and `moot resume`.")
    models: dict[str, str] = Field(description="The model of each participant, and of who sums up.")
    rehearsal: bool = Field(description="Whether no model took part.")
    query_mode: str = "council"
    council_mode: str
    council_dialogue: bool = True
    council_turns: list[TurnLine]
    council_synthesis: str
    council_termination_reason: str
    council_total_turns: int
    council_max_turns: int
    council_participants: list[str]
    council_personas: dict[str, str] = Field(description="The personas in force, by participant.")
    processing_time_ms: int
    total_tokens: int
    timestamp: str


def council(request: Mapping[str, Any], db: str = "") -> dict[str, Any]:
    """Answer a council request, blocking. Raises `Refused` for one that cannot be used, before any model is called."""
    return wait_for(acouncil(request, db))


async def acouncil(
    request: Mapping[str, Any], db: str = "", *, run: Callable[[Request, str], Awaitable[Saved]] = kept
) -> dict[str, Any]:
    """Answer a council request: `query`, and optionally `councilMode`, `councilMaxTurns` and the others.

    The run is saved in `db`; none: the database of all runs. `run`: what runs it to its end.
    """
    started, asked = time.perf_counter(), _asked(request)
    saved = await _held(asked, db, run)
    return _answer(asked, saved, milliseconds_since(started)).model_dump(mode="json", by_alias=True)


async def _held(asked: CouncilRequest, db: str, run: Callable[[Request, str], Awaitable[Saved]]) -> Saved:
    protocol = PROTOCOLS.get(MODES[asked.council_mode])
    if protocol is None:
        ready = " or ".join(mode for mode, name in MODES.items() if name in PROTOCOLS)
        raise Refused("councilMode", asked.council_mode, f"this Moot answers in the mode {ready}")
    try:
        return await run(request(protocol, asked.given(), Knobs()), db)
    except Refused as fault:
        head, dot, rest = fault.key.partition(".")
        raise Refused(f"{CLIENTS_WORDS.get(head, head)}{dot}{rest}", fault.value, fault.remedy) from None


def _asked(request: Mapping[str, Any]) -> CouncilRequest:
    if not isinstance(request, Mapping):
        raise Refused("request", request, "give a mapping, such as {'query': 'Should we?'}")
    known = [to_camel(name) for name in CouncilRequest.model_fields]
    for key in request:
        if str(key).startswith("council") and key not in known:
            raise Refused(str(key), request[key], unknown_key(str(key), known))
    try:
        return CouncilRequest.model_validate({key: value for key, value in request.items() if value is not None})
    except ValidationError as error:
        raise refused_input(error, CouncilRequest) from None


def _answer(asked: CouncilRequest, saved: Saved, milliseconds: int) -> CouncilResponse:
    state, told = saved.state, standing(saved)
    cast = state["participants"]
    return CouncilResponse(
        **told,
        response=state["synthesis"] or told["headline"],
        council_mode=asked.council_mode,
        council_turns=turns(state["history"], cast),
        council_synthesis=state["synthesis"],
        council_termination_reason=state["outcome"].reason,
        council_total_turns=len(state["history"]),
        council_max_turns=asked.max_turns or len(cast),
        council_participants=names(cast),
        council_personas={one.name: one.persona for one in cast},
        processing_time_ms=milliseconds,
        total_tokens=total_tokens(state["calls"]),
        timestamp=stamp(),
    )
