"""Recipients of a run's words: the servers of its models and tools, derived from the settings.

The setting `stay` forbids calls to other servers. `check_stay` checks it for models, embeddings, remote tools and
agents.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..prompts import get_term
from ..state import (
    AGENT_OBJECT,
    AGENT_PREFIX,
    DECLARED_MARK,
    LOCAL,
    ROLES,
    InputError,
    Participant,
    Settings,
    format_model,
    is_declared_local,
    is_loopback,
    parse_origin,
    split_agent_spec,
)
from ..state.lookups.settings import LIBRARY, MCP_PREFIX, OBJECT_PREFIX, format_tool
from .default_model import fetch_run_spec
from .embedding_spec import find_embedding_spec
from .keys import get_base_url
from .spec import choose_spec, get_configured_model, get_server_name, has_address, is_offline, parse_spec

TRACING_VARIABLES = ("LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING", "LANGCHAIN_TRACING")
"""Variables that make LangChain send every prompt to LangSmith."""
TRACING_URL = "https://api.smith.langchain.com"
SPAN_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""Variable that adds the prompts and statements to the spans of `MOOT_TRACING`."""
MAX_NAMES = 8
"""Maximum names of seats in the line. The others are only counted."""


@dataclass(frozen=True)
class Destination:
    """Destination of the words of a call.

    `name`: name in the line. `origin`: scheme, host and port; empty if unknown. `is_code`: whether the destination is a
    tool, an agent or a model object, which may send the words anywhere. `is_declared`: whether its owner declares that
    it sends nothing from this machine (`local: true`).
    """

    name: str
    origin: str = ""
    is_code: bool = False
    is_declared: bool = False

    @property
    def is_local(self) -> bool:
        """Return whether the words stay on this machine."""
        return self.is_declared or is_loopback(self.origin)


def locate_server(url: str) -> Destination:
    """Return the destination of requests to a URL."""
    origin = parse_origin(url)
    return Destination(origin.partition("://")[2].removesuffix(":443").removesuffix(":80") or url, origin)


def locate_model(spec: str) -> Destination | None:
    """Return the destination of calls to a model; `None` if no call leaves the process.

    An empty spec stands for the first model of the server in `OPENAI_BASE_URL`.
    """
    if not spec:
        return locate_server(get_base_url()) if get_base_url() else None
    if is_offline(spec):
        return None
    if spec.startswith(("object:", AGENT_PREFIX)):
        name, address = split_agent_spec(spec)
        if address and not spec.endswith(DECLARED_MARK):
            return locate_server(address)
        name = name.removeprefix(AGENT_OBJECT).removeprefix(AGENT_PREFIX).removeprefix("object:")
        return Destination(name, is_code=True, is_declared=spec.endswith(DECLARED_MARK))
    parsed_spec = parse_spec(spec)
    if not has_address(spec):
        return Destination(get_server_name(spec))
    return locate_server(parsed_spec.url)


def locate_tools(settings: Settings) -> list[Destination]:
    """List the destinations of look-ups, each once.

    A search of the library only calls its embedding model.
    """
    tools = [(tool.source, tool.name, tool.is_local) for tool in settings.tool_definitions] or [
        (format_tool(tool), format_tool(tool).removeprefix(OBJECT_PREFIX), is_declared_local(tool))
        for tool in settings.tools
    ]
    destinations = [
        locate_tool(settings, source, name, is_local) for source, name, is_local in tools if source != LIBRARY
    ]
    return list(dict.fromkeys(destinations))


def locate_tool(settings: Settings, source: str, name: str, is_declared: bool = False) -> Destination:
    """Return the destination of a tool's look-ups: the address of a remote MCP server, or local code."""
    if source.startswith(MCP_PREFIX):
        server = settings.mcp_servers.get(source.removeprefix(MCP_PREFIX).partition("/")[0])
        if server and server.url:
            return locate_server(server.url)
        is_declared = bool(server and server.local)
    return Destination(name, is_code=True, is_declared=is_declared)


def locate_traces() -> dict[str, Destination]:
    """Map the variables that turn on traces with contents to the destinations of these traces."""
    traces = {}
    if any(os.environ.get(name, "").strip().lower() == "true" for name in TRACING_VARIABLES):
        url = os.environ.get("LANGSMITH_ENDPOINT") or os.environ.get("LANGCHAIN_ENDPOINT") or TRACING_URL
        traces["LANGSMITH_TRACING"] = locate_server(url.rstrip("/"))
    if os.environ.get("MOOT_TRACING", "").strip() == "on" and (
        os.environ.get(SPAN_VARIABLE, "").strip().lower() == "true"
    ):  # the SDK of OpenTelemetry decides where they go
        traces[SPAN_VARIABLE] = Destination("OpenTelemetry", is_code=True)
    return traces


def check_stay(settings: Settings, key: str, value: str, destination: Destination | None) -> None:
    """Check that `stay` allows a call, before it is made. Raises `InputError` about `key` and its value."""
    if settings.stay is None or destination is None:
        return
    if destination.origin in settings.stay or (destination.is_local and LOCAL in settings.stay):
        return
    remedy = "name a server by openai:NAME@URL"
    if new_entry := destination.origin.removesuffix(":443") or (LOCAL if destination.is_declared else ""):
        remedy = f"name another, or add {new_entry} to stay"
    elif destination.is_code:
        remedy = "leave it out, or declare local: true if it sends nothing from this machine"
    entries = ", ".join(entry.removesuffix(":443") for entry in settings.stay)
    raise InputError(key, value, f"stay = {entries} allows no call to {destination.name}; {remedy}")


def check_call(settings: Settings, key: str, spec: str) -> None:
    """Check that `stay` allows calls to a model, and traces of these calls. Raises `InputError`."""
    if not settings.replay:
        check_stay(settings, key, spec, locate_model(spec))
    check_traces(settings)


def check_traces(settings: Settings) -> None:
    """Check that `stay` allows the traces of this process, also of a replay. Raises `InputError`."""
    for variable, destination in locate_traces().items():
        check_stay(settings, variable, "true", destination)


def find_seat_model(settings: Settings, participants: Sequence[Participant]) -> str:
    """Return the first seat's model if every seat names one, else an empty text."""
    specs = [
        format_model(settings.models.get(participant.name) or participant.model)
        for participant in participants
        if participant.kind == "model"
    ]
    return specs[0] if specs and all(specs) else ""


def check_default_server(settings: Settings) -> None:
    """Check that `stay` allows a request to the server in `OPENAI_BASE_URL` for its models.

    Raises `InputError`.
    """
    if not get_configured_model():
        check_stay(settings, "OPENAI_BASE_URL", get_base_url(), locate_model(""))


async def choose_run_model(settings: Settings, participants: Sequence[Participant], *, is_nested: bool = False) -> str:
    """Return the model of seats and roles without one: the run's, the first seat's, or the default.

    The default is used only if a seat has no model. Raises `InputError` if `stay` forbids the request for it.
    """
    if spec := format_model(settings.model) or find_seat_model(settings, participants):
        return spec
    check_default_server(settings)
    return await fetch_run_spec((participant.model for participant in participants), is_nested=is_nested)


def list_asked_roles(settings: Settings) -> list[str]:
    """List the roles that a run with these settings may ask."""
    view: Any = getattr(settings, "view", None)
    is_asked = {
        "synthesizer": settings.protocol != "justice" and not getattr(settings, "chairman", ""),
        "judge": "judge" in (getattr(settings, "stop_rule", ""), getattr(settings, "convergence", "")),
        "summarizer": view is not None and view.policy == "windowed_summary",
    }
    return [role for role in ROLES if is_asked[role] and f"models.{role}" not in settings.unused_settings]


def check_same_servers(settings: Settings, participants: Sequence[Participant]) -> None:
    """Raise `InputError` if a model without an address leads to a server that the saved run does not name."""
    names = {choose_spec(settings, seat.name, seat.model) for seat in participants if seat.kind == "model"}
    names |= {choose_spec(settings, role) for role in list_asked_roles(settings)} | {find_embedding_spec(settings)}
    for spec in sorted(filter(None, names)):
        if settings.replay or not has_address(spec) or parse_spec(spec).base_url:
            continue
        place = locate_model(spec)
        # The line is in the run's language, so only characters of host names bound a name.
        pattern = rf"(?<![\w.:-]){re.escape(place.name)}(?![\w-]|[.:]\w)" if place else ""
        if settings.recipients and not re.search(pattern, settings.recipients, re.ASCII):
            remedy = (
                f"must lead where the run began; its words went here: {settings.recipients} Set it as before, or fork"
            )
            raise InputError("OPENAI_BASE_URL", get_base_url(), remedy)


def describe_recipients(settings: Settings, participants: Sequence[Participant]) -> str:
    """Describe on one line which servers get the words of a run.

    They belong to seats, roles, embeddings and traces.
    """

    def say(key: str, **values: object) -> str:
        return get_term(settings.language, "recipients", key, **values)

    if settings.replay and not (traced_places := [place.name for place in locate_traces().values()]):
        return say("replay")
    if settings.replay:
        places = ", ".join(traced_places)
        return say("join").join([say("part", who=say("traces"), place=places), say("leaves", places=places)])

    def list_names(names: Sequence[str]) -> str:
        rest = len(names) - MAX_NAMES
        return ", ".join(names if rest <= 1 else [*names[:MAX_NAMES], say("others", count=rest)])

    seats: dict[str, list[str]] = {}
    first_seats: dict[str, str] = {}
    destinations: list[Destination | None] = []

    def name_model(spec: str) -> str:
        destinations.append(destination := locate_model(spec))
        return destination.name if destination else say("rehearsal")

    for participant in participants:
        if participant.kind != "model":
            seats.setdefault(say(participant.kind), []).append(participant.name)
            continue
        spec = str(settings.models.get(participant.name) or participant.model or settings.model)
        first_seats.setdefault(spec, participant.name)
        seats.setdefault(name_model(spec), []).append(participant.name)
    parts = []
    for target, names in seats.items():
        parts.append(say("part", who=list_names(names), place=target))
    if any(destinations) and (tools := locate_tools(settings)):
        destinations += tools
        parts.append(say("part", who=say("lookups"), place=list_names([tool.name for tool in tools])))
    for role in list_asked_roles(settings):
        spec = str(settings.models.get(role) or settings.model)
        target = say("same", name=first_seats[spec]) if spec in first_seats else name_model(spec)
        parts.append(say("part", who=say(role), place=target))
    if spec := find_embedding_spec(settings):
        parts.append(say("part", who=say("embeddings"), place=name_model(spec)))
    for traces in locate_traces().values():
        destinations.append(traces)
        parts.append(say("part", who=say("traces"), place=traces.name))
    if not any(destinations):
        parts.clear()
    known_destinations = list(dict.fromkeys(destination for destination in destinations if destination))
    outside = [
        destination.name for destination in known_destinations if not (destination.is_local or destination.is_code)
    ]
    open_code = [
        destination.name for destination in known_destinations if destination.is_code and not destination.is_declared
    ]
    is_declared = any(destination.is_declared for destination in known_destinations)
    has_guests = any(participant.kind != "model" for participant in participants)
    ending = "declared" if is_declared else "calls_stay" if has_guests else "stays"
    if outside:
        parts.append(say("leaves", places=", ".join(outside)))
    if open_code:
        parts.append(say("anywhere", names=list_names(open_code)))
    if not (outside or open_code):
        parts.append(say(ending))
    return say("join").join(parts)
