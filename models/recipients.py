"""Recipients of a run's texts: the servers of its models and tools, derived from the settings.

The setting `stay` forbids calls to other servers. `check_stay` checks it for models, embeddings, remote tools and
agents.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from ..prompts import get_term
from ..state import (
    AGENT_OBJECT,
    AGENT_PREFIX,
    DECLARED_MARK,
    LOCAL,
    ROLES,
    Destination,
    InputError,
    Participant,
    Recipient,
    Settings,
    is_declared_local,
    parse_origin,
    split_agent_spec,
)
from ..state.lookups.settings import LIBRARY, MCP_PREFIX, OBJECT_PREFIX, format_tool
from .api_keys import get_base_url
from .embedding_spec import find_embedding_spec
from .failures import RunStoppedError
from .model_spec import choose_spec, get_server_name, has_address, is_offline, parse_spec

S = TypeVar("S", bound=Settings)

TRACING_VARIABLES = ("LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING", "LANGCHAIN_TRACING")
"""Variables that make LangChain send every prompt to LangSmith."""
TRACING_URL = "https://api.smith.langchain.com"
SPAN_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""Variable that adds the prompts and statements to the spans of `MOOT_TRACING`."""
MAX_NAMES = 8
"""Maximum number of names in a list of `describe_recipients`, which counts the others."""


def locate_server(url: str) -> Destination:
    """Return the server, origin and path that requests to `url` go to."""
    origin = parse_origin(url)
    name = origin.partition("://")[2].removesuffix(":443").removesuffix(":80") or url
    return Destination(name=name, origin=origin, path=urlsplit(url).path.rstrip("/") if origin else "")


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
        return Destination(name=name, is_code=True, is_declared=spec.endswith(DECLARED_MARK))
    parsed_spec = parse_spec(spec)
    if not has_address(spec):
        return Destination(name=get_server_name(spec))
    return locate_server(parsed_spec.url)


def locate_tools(settings: Settings) -> list[Destination]:
    """List the destinations of look-ups, each once.

    Searches of the library are left out, because they only call its embedding model.
    """
    tools = [(tool.source, tool.name, tool.is_local) for tool in settings.tool_definitions] or [
        (format_tool(tool), format_tool(tool).removeprefix(OBJECT_PREFIX), is_declared_local(tool))
        for tool in settings.tools
    ]
    return list(dict.fromkeys(locate_tool(settings, *tool) for tool in tools if tool[0] != LIBRARY))


def locate_tool(settings: Settings, source: str, name: str, is_declared: bool = False) -> Destination:
    """Return the destination of calls to the tool `name`: a remote MCP server, or local code.

    `source`: name of the tool in the settings. `is_declared`: whether the tool declares that it sends nothing from this
    machine.
    """
    if source.startswith(MCP_PREFIX):
        server = settings.mcp_servers.get(source.removeprefix(MCP_PREFIX).partition("/")[0])
        if server and server.url:
            return locate_server(server.url)
        is_declared = bool(server and server.local)
    return Destination(name=name, is_code=True, is_declared=is_declared)


def locate_traces() -> dict[str, Destination]:
    """Map each environment variable that turns on traces with contents to the destination of the traces."""
    traces = {}
    if any(os.environ.get(name, "").strip().lower() == "true" for name in TRACING_VARIABLES):
        url = os.environ.get("LANGSMITH_ENDPOINT") or os.environ.get("LANGCHAIN_ENDPOINT") or TRACING_URL
        traces["LANGSMITH_TRACING"] = locate_server(url.rstrip("/"))
    if os.environ.get("MOOT_TRACING", "").strip() == "on" and (
        os.environ.get(SPAN_VARIABLE, "").strip().lower() == "true"
    ):  # the SDK of OpenTelemetry decides where they go
        traces[SPAN_VARIABLE] = Destination(name="OpenTelemetry", is_code=True)
    return traces


def locate_proxy(destination: Destination | None) -> Destination | None:
    """Return the proxy that can read the texts of an http:// request to `destination`, or `None`.

    At https://, a proxy only learns the server's name. `NO_PROXY` counts as in httpx, except for entries with a scheme.
    """
    if not destination or destination.is_local or not destination.origin.startswith("http://"):
        return None
    proxies, server = getproxies(), urlsplit(destination.origin)
    labels = (server.hostname or "").split(".")
    domains = [".".join(labels[index:]) for index in range(len(labels))]
    with_port = [f"{domain}:{server.port}" for domain in domains if ":" not in domain]
    direct_entries = {"*", *domains, *(f".{domain}" for domain in domains[1:]), *with_port}
    entries = {entry.strip().lower() for entry in proxies.get("no", "").split(",")}
    proxy = proxies.get("http") or proxies.get("all")
    if not proxy or entries & direct_entries:
        return None
    return locate_server("http://" + urlsplit(proxy if "://" in proxy else f"//{proxy}").netloc.rpartition("@")[2])


def check_stay(settings: Settings, key: str, value: str, destination: Destination | None) -> None:
    """Check that the setting `stay` allows a call to `destination`, and that the record names the proxy.

    Raises `InputError`, which names `key` and `value`, or the proxy.
    """
    _check_allowed(settings, key, value, destination)
    if proxy := locate_proxy(destination):
        _check_allowed(settings, "HTTP_PROXY or ALL_PROXY", "…", proxy)
        _check_recorded(settings, "HTTP_PROXY or ALL_PROXY", "…", proxy)


def _check_allowed(settings: Settings, key: str, value: str, destination: Destination | None) -> None:
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
    """Check that a call to the model `spec` and its traces are allowed. Raises `InputError`.

    The setting `stay` must allow the server. If the environment chooses the server, the run's record must name it.
    `key`: setting that the error names.
    """
    if not settings.replay:
        destination = locate_model(spec)
        check_stay(settings, key, spec, destination)
        if destination and has_address(spec) and not parse_spec(spec).base_url:
            _check_recorded(settings, "OPENAI_BASE_URL", get_base_url(), destination)
        elif destination and key == "embeddings":
            _check_recorded(settings, "MOOT_EMBEDDINGS", spec, destination)
    check_traces(settings)


def check_traces(settings: Settings) -> None:
    """Check that `stay` and the run's record allow traces, also of a replay. Raises `InputError`."""
    for variable, destination in locate_traces().items():
        check_stay(settings, variable, "true", destination)
        _check_recorded(settings, variable, "true", destination)


def _check_recorded(settings: Settings, variable: str, value: str, destination: Destination) -> None:
    if settings.recipients is None:
        return
    known = {recipient.destination for recipient in settings.recipients if recipient.destination}
    if destination not in known:
        addresses = ", ".join(sorted(target.address for target in known)) or "no server"
        remedy = f"must lead to the servers that the run has used ({addresses}). Set it as before, or fork the run"
        raise InputError(variable, value, remedy)


def list_asked_roles(settings: Settings) -> list[str]:
    """Return the roles, such as judge and synthesizer, that a run with these settings may call."""
    view: Any = getattr(settings, "view", None)
    is_asked = {
        "synthesizer": settings.protocol != "justice" and not getattr(settings, "chairman", ""),
        "judge": "judge" in (getattr(settings, "stop_rule", ""), getattr(settings, "convergence", "")),
        "summarizer": view is not None and view.policy == "windowed_summary",
    }
    return [role for role in ROLES if is_asked[role] and f"models.{role}" not in settings.unused_settings]


def check_same_servers(settings: Settings, participants: Sequence[Participant]) -> None:
    """Check each call of a resumed run (see `check_call`) before the first one. Raises `InputError`."""
    specs = {choose_spec(settings, seat.name, seat.model) for seat in participants if seat.kind == "model"}
    specs |= {choose_spec(settings, role) for role in list_asked_roles(settings)}
    for spec in sorted(filter(None, specs)):
        check_call(settings, "model", spec)
    if spec := find_embedding_spec(settings):
        check_call(settings, "embeddings", spec)


def get_address_variables() -> dict[str, str]:
    """Return the environment variables that choose a server if the settings name none, with their values."""
    return {"OPENAI_BASE_URL": get_base_url(), "MOOT_EMBEDDINGS": os.environ.get("MOOT_EMBEDDINGS", "").strip()}


def check_same_addresses(settings: Settings, specs: Iterable[str], variables: Mapping[str, str]) -> None:
    """Check that the environment variables for servers have not changed since the experiment started.

    `specs`: models of the seats and roles. `variables`: values at the start. Unused variables may change. Raises
    `RunStoppedError`.
    """
    embedding_spec = find_embedding_spec(settings)
    addressed_specs = [spec for spec in {*specs, embedding_spec} if spec and has_address(spec)]
    is_used = {
        "OPENAI_BASE_URL": not all(parse_spec(spec).base_url for spec in addressed_specs),
        "MOOT_EMBEDDINGS": bool(embedding_spec) and not getattr(settings, "embeddings", ""),
    }
    for variable, value in get_address_variables().items():
        value_before = variables.get(variable, "")
        if is_used[variable] and value != value_before and not settings.replay:
            remedy = f"must be {value_before or 'unset'}, as at the start of the experiment; set it as before"
            raise RunStoppedError(f"{variable} = {value!r}: {remedy}")


def record_recipients(settings: S, participants: Sequence[Participant]) -> S:
    """Return the settings with `recipients` filled: who gets the run's texts, and at which server."""
    seats: dict[tuple[Any, Destination | None], list[str]] = {}
    first_seats: dict[str, str] = {}
    for participant in [] if settings.replay else participants:
        destination = None
        if participant.kind == "model":
            spec = str(settings.models.get(participant.name) or participant.model or settings.model)
            first_seats.setdefault(spec, participant.name)
            destination = locate_model(spec)
        seats.setdefault((participant.kind, destination), []).append(participant.name)
    recipients = [Recipient(kind=kind, names=names, destination=target) for (kind, target), names in seats.items()]
    if any(recipient.destination for recipient in recipients):
        recipients += [Recipient(kind="lookups", destination=tool) for tool in locate_tools(settings)]
    if not settings.replay:
        role: Any
        for role in list_asked_roles(settings):
            spec = str(settings.models.get(role) or settings.model)
            recipients.append(Recipient(kind=role, destination=locate_model(spec), same_as=first_seats.get(spec, "")))
        if spec := find_embedding_spec(settings):
            recipients.append(Recipient(kind="embeddings", destination=locate_model(spec)))
    recipients += [Recipient(kind="traces", destination=traces) for traces in locate_traces().values()]
    proxies = dict.fromkeys(locate_proxy(recipient.destination) for recipient in recipients)
    recipients += [Recipient(kind="proxy", destination=proxy) for proxy in proxies if proxy]
    return settings.with_choices(recipients=[recipient.model_dump() for recipient in recipients])


def describe_recipients(settings: Settings) -> str:
    """Return the recorded recipients of the run as one line; empty without a record."""
    if settings.recipients is None:
        return ""

    def get_phrase(key: str, **values: object) -> str:
        return get_term(settings.language, "recipients", key, **values)

    def join_names(names: Sequence[str]) -> str:
        rest = len(names) - MAX_NAMES
        return ", ".join(names if rest <= 1 else [*names[:MAX_NAMES], get_phrase("others", count=rest)])

    recipients = settings.recipients
    if settings.replay and not recipients:
        return get_phrase("replay")
    seats: dict[str, list[str]] = {}
    part_targets: dict[str, list[str]] = {}
    for recipient in recipients:
        target = recipient.destination.name if recipient.destination else get_phrase("rehearsal")
        if recipient.kind in ("person", "program"):
            target = get_phrase(recipient.kind)
        if recipient.names:
            seats.setdefault(target, []).extend(recipient.names)
        else:
            part_targets.setdefault(recipient.kind, []).append(
                get_phrase("same", name=recipient.same_as) if recipient.same_as else target
            )
    destinations = list(dict.fromkeys(recipient.destination for recipient in recipients if recipient.destination))
    parts = []
    if destinations:
        parts += [get_phrase("part", who=join_names(names), place=target) for target, names in seats.items()]
        parts += [
            get_phrase("part", who=get_phrase(kind), place=join_names(names)) for kind, names in part_targets.items()
        ]
    outside = [target.name for target in destinations if not (target.is_local or target.is_code)]
    open_code = [target.name for target in destinations if target.is_code and not target.is_declared]
    if outside:
        parts.append(get_phrase("leaves", places=", ".join(outside)))
    if open_code:
        parts.append(get_phrase("anywhere", names=join_names(open_code)))
    if not (outside or open_code):
        is_declared = any(target.is_declared for target in destinations)
        has_guests = any(recipient.kind in ("person", "program") for recipient in recipients)
        parts.append(get_phrase("declared" if is_declared else "calls_stay" if has_guests else "stays"))
    return get_phrase("join").join(parts)
