"""The council API: one question in, a deliberation's answer out, in the keys existing web clients speak."""

import time
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from ..nodes.clock import milliseconds_since, stamp
from ..nodes.step import wait_for
from ..state.incident import total_tokens
from ..state.refused import Refused, refused_input
from ..state.statement import names
from .document import TurnLine, turns
from .protocols import PROTOCOLS

MODES = {"adversarial": "debate", "consensus": "consensus"}
"""The protocol behind each mode."""

CLIENTS_WORDS = {
    "topic": "query",
    "material": "context",
    "personas": "councilPersonas",
    "profile": "councilPersonaProfile",
    "max_turns": "councilMaxTurns",
}
"""What clients call a graph's input and knobs."""

DEFAULT_TURNS = 10

Asked = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")


class CouncilRequest(BaseModel):
    """What a client asks; keys it sends for others are left alone."""

    model_config = Asked

    query: str = Field(min_length=1, max_length=4000, description="The question.")
    council_mode: Literal["adversarial", "consensus"] = Field(default="adversarial")
    council_max_turns: int | None = Field(default=None, ge=2, le=20, description="None: 10.")
    council_dynamic_termination: bool = Field(default=True, description="False: always run to the cap.")
    council_personas: dict[str, str] | None = Field(default=None, description="Personas by side or participant.")
    council_persona_profile: str | None = Field(default=None, max_length=80, description="None: the default profile.")
    context: str | None = Field(default=None, description="Background both sides see.")

    @property
    def max_turns(self) -> int:
        """The cap in force."""
        return self.council_max_turns or DEFAULT_TURNS

    def input(self) -> dict[str, Any]:
        """The graph's input."""
        sides, given = self.council_mode == "adversarial", self.council_personas or {}
        personas = {name.casefold() if sides else name: text for name, text in given.items()}
        more = {"material": self.context, "personas": personas}
        return {"topic": self.query} | {key: value for key, value in more.items() if value}

    def knobs(self) -> dict[str, Any]:
        """The graph's context."""
        profile = {"profile": self.council_persona_profile} if self.council_persona_profile else {}
        return {"max_turns": self.max_turns, "dynamic_termination": self.council_dynamic_termination} | profile


class CouncilResponse(BaseModel):
    """What the client gets, serialised by alias in camelCase."""

    model_config = Asked

    response: str = Field(description="The synthesis.")
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


def council(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a council request, blocking. Raises `Refused` for one that cannot be used, before any model is called."""
    return wait_for(acouncil(request))


async def acouncil(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a council request: `query`, and optionally `councilMode`, `councilMaxTurns` and the others."""
    started, asked = time.perf_counter(), _asked(request)
    protocol = PROTOCOLS.get(MODES[asked.council_mode])
    if protocol is None:
        ready = " or ".join(mode for mode, name in MODES.items() if name in PROTOCOLS)
        raise Refused("councilMode", asked.council_mode, f"this Moot answers in the mode {ready}")
    try:
        state = await protocol.module.graph.ainvoke(asked.input(), context=asked.knobs())
    except Refused as fault:
        head, dot, rest = fault.key.partition(".")
        raise Refused(f"{CLIENTS_WORDS.get(head, head)}{dot}{rest}", fault.value, fault.remedy) from None
    return _answer(asked, state, milliseconds_since(started)).model_dump(mode="json", by_alias=True)


def _asked(request: Mapping[str, Any]) -> CouncilRequest:
    if not isinstance(request, Mapping):
        raise Refused("request", request, "give a mapping, such as {'query': 'Should we?'}")
    try:
        return CouncilRequest.model_validate({key: value for key, value in request.items() if value is not None})
    except ValidationError as error:
        raise refused_input(error, CouncilRequest) from None


def _answer(asked: CouncilRequest, state: Mapping[str, Any], milliseconds: int) -> CouncilResponse:
    cast = state["participants"]
    return CouncilResponse(
        response=state["synthesis"],
        council_mode=asked.council_mode,
        council_turns=turns(state["history"], cast),
        council_synthesis=state["synthesis"],
        council_termination_reason=state["outcome"].reason,
        council_total_turns=len(state["history"]),
        council_max_turns=asked.max_turns,
        council_participants=names(cast),
        council_personas={one.name: one.persona for one in cast},
        processing_time_ms=milliseconds,
        total_tokens=total_tokens(state["calls"]),
        timestamp=stamp(),
    )
