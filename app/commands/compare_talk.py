"""`moot compare-talk`: answer one question with and without deliberation."""

import secrets
from typing import Annotated, Any

from typer import Argument, Option

from ...models import fetch_default_spec
from ...state import InputError
from ..display import QUIET_STYLE, Screen, format_command
from ..experiment import ExecutionOptions, enter_experiment, fold_text, load_experiment_runs, parse_plan, run_experiment
from ..experiment.arms.talk_effect import describe_talk_effect
from ..run.command_options import Database, flatten_options
from ..saved import open_database

COMPARED_PROTOCOLS: dict[str, dict[str, Any]] = {
    "consensus": {},
    "debate": {},
    "discussion": {"max_rounds": 3},
    "jury": {},
    "delphi": {},
}
"""Protocols that can ask every participant alone before and after the deliberation, with the settings for it."""


@flatten_options
async def compare_talk(
    question: Annotated[str, Argument(metavar="QUESTION", help="Question.")],
    options: Annotated[str, Option("--options", metavar="A,B,C", help="Possible answers, separated by commas.")],
    truth: Annotated[str, Option("--truth", metavar="A", help="Right answer, if known.")] = "",
    protocol: Annotated[
        str, Option("--protocol", metavar="NAME", help=f"{', '.join(COMPARED_PROTOCOLS)}.")
    ] = "consensus",
    model: Annotated[str, Option("--model", metavar="SPEC", help="Model [default: as for any run].")] = "",
    db: Database = "",
) -> None:
    """Measure whether a deliberation changes an answer."""
    answers = [answer.strip() for answer in options.split(",") if answer.strip()]
    if len({fold_text(answer) for answer in answers}) < max(2, len(answers)):
        raise InputError("--options", options, "give two or more different answers, separated by commas")
    if protocol not in COMPARED_PROTOCOLS:
        raise InputError("--protocol", protocol, f"choose one of {', '.join(COMPARED_PROTOCOLS)}")
    plan_fields = {
        "name": f"compare-talk-{secrets.token_hex(3)}",
        "protocol": protocol,
        "settings": ({"model": model} if model else {}) | COMPARED_PROTOCOLS[protocol],
        "items": [{"id": "1", "topic": question, "options": answers} | ({"truth": truth} if truth else {})],
        "arms": ["single", "vote", "samples"],
        "seed": secrets.randbelow(2**31),
    }
    plan, screen = parse_plan(plan_fields), Screen()
    spec = str(plan.settings.get("model") or await fetch_default_spec())
    screen.show_line(f"{plan.name}: {plan.protocol} and independent answers, by {spec}", QUIET_STYLE)
    async with open_database(db) as store:
        saved_experiment = await run_experiment(store, await enter_experiment(store, plan), ExecutionOptions(), db)
        description = describe_talk_effect(plan, await load_experiment_runs(store, saved_experiment))
        address = db and store.address
    screen.show_prose(description)
    screen.show_line(format_command("experiment", "report", plan.name, db=address), QUIET_STYLE)
