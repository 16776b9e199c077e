"""`moot discussion`: a session between models and the person at the terminal."""

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ...state import InputError, Participant
from ..protocols.registry import get_protocol
from ..run import (
    Material,
    OptionalText,
    SessionRunOptions,
    Topic,
    ViewOptions,
    build_topic_input,
    flatten_options,
    parse_seats,
)
from ..saved import check_run_name
from ..session.person_name import DEFAULT_NAME, ask_own_name


@dataclass(frozen=True)
class SessionSeatOptions:
    """Options for the seats and the limits of a session."""

    me: Annotated[OptionalText, Option("--as", metavar="NAME", help="Your name [default: You].")] = None
    people: Annotated[
        list[str],
        Option(
            "--participant",
            metavar="NAME[=MODEL]",
            help="Participant, such as Ada, Ada=MODEL or Ada=person; repeatable.",
        ),
    ] = field(default_factory=list)
    models_only: Annotated[bool, Option("--models-only", help="Let three models take part, without you.")] = False
    run: Annotated[OptionalText, Option("--run", metavar="RUN", help="Saved session to continue.")] = None
    decline: Annotated[
        OptionalText, Option("--decline", metavar="REASON", help="Decline the invitation to the session of --run.")
    ] = None
    ttl: Annotated[float | None, Option("--ttl", metavar="TIME", help="Lifetime of the session, such as 2h or 3d.")] = (
        None
    )
    max_rounds: Annotated[int | None, Option("--max-rounds", metavar="N", help="Maximum rounds.")] = None

    @property
    def person(self) -> str:
        """Return the name of the person at this terminal; empty without one."""
        if self.models_only:
            return ""
        return self.me or (DEFAULT_NAME if sys.stdin.isatty() else "")

    def list_participants(self) -> list[dict[str, str]]:
        """Return the participants as mappings, the person at this terminal first."""
        model_seats = parse_seats(self.people) or [
            {"name": name} for name in ("Ada", "Ben", "Cleo")[: 2 if self.person else 3]
        ]
        return [*([{"name": self.person, "kind": "person"}] if self.person else []), *model_seats]


@flatten_options
def discussion(
    topic: Topic = None,
    material: Material = None,
    *,
    seat_options: SessionSeatOptions,
    options: SessionRunOptions,
    view: ViewOptions,
) -> None:
    """Hold a session in which people, programs and models take turns.

    Several paragraphs pasted at a terminal are one turn; from a pipe each line is a turn of its own.
    """
    from ..run import build_request
    from ..session.participation import hold_session, join_session  # both slow to load

    if seat_options.run:
        run_options = {f"--{key.replace('_', '-')}": value for key, value in options.collect_values().items()}
        texts = {"topic": topic, "--material": material, "--config": options.config, "--set": options.set}
        _reject_opening_options(seat_options, texts | run_options)
        return join_session(check_run_name(seat_options.run), seat_options.person, view, seat_options.decline)
    if seat_options.decline is not None:
        raise InputError("--decline", seat_options.decline, "name the session with --run")
    if seat_options.people and seat_options.person == DEFAULT_NAME and not view.json:
        seat_options = replace(seat_options, me=ask_own_name(options.language or "en"))
    values = (
        build_topic_input(topic, material)
        | {"ttl": seat_options.ttl, "max_rounds": seat_options.max_rounds}
        | ({"participants": seat_options.list_participants()} if seat_options.people else {})
    )
    request = build_request(
        get_protocol("discussion"), {key: entry for key, entry in values.items() if entry is not None}, options
    )
    if seat_options.person == DEFAULT_NAME and not view.json and not request.input.get("participants"):
        seat_options = replace(seat_options, me=ask_own_name(request.settings.language))
    if not request.input.get("participants"):
        request = replace(
            request,
            input=request.input
            | {
                "participants": [
                    Participant.model_validate(participant) for participant in seat_options.list_participants()
                ]
            },
        )
    hold_session(request, seat_options.person, view)


def _reject_opening_options(seat_options: SessionSeatOptions, values: dict[str, Any]) -> None:
    """Check that `--run`, which names a saved session, comes without options for a new session.

    Raises `InputError`.
    """
    seat_values = {
        "--participant": seat_options.people,
        "--models-only": seat_options.models_only,
        "--ttl": seat_options.ttl,
        "--max-rounds": seat_options.max_rounds,
    }
    for key, value in (values | seat_values).items():
        if value not in (None, False, []):
            raise InputError(
                key,
                str(value) if isinstance(value, Path) else value,
                f"the saved session {seat_options.run} has its own; leave this out, or leave out --run",
            )
