"""`moot talk-worth`: one question, with and without talking."""

import asyncio
import secrets
from typing import Annotated, Any

from typer import Argument, Option

from ...nodes.models.chat import default_spec
from ...state.refused import Refused
from ..display.screen import QUIET, Screen
from ..display.terminal import command
from ..experiment.arms.worth import worth
from ..experiment.begin import entered
from ..experiment.course import How, carried_on
from ..experiment.data import outcomes
from ..experiment.items import folded
from ..experiment.plan import Plan, plan_from
from ..options import Database
from ..saved import opened

ASKED: dict[str, dict[str, Any]] = {
    "consensus": {},
    "debate": {},
    "discussion": {"max_rounds": 3},
    "jury": {},
    "delphi": {},
}
"""The protocols that ask everyone before and after on a question alone, and what each must be told."""
Asked = Annotated[str, Argument(metavar="QUESTION", help="What is asked.")]
Options = Annotated[str, Option("--options", metavar="A,B,C", help="What can be answered, between commas.")]
Truth = Annotated[str, Option("--truth", metavar="A", help="The right answer, if it is known.")]
Protocol = Annotated[str, Option("--protocol", metavar="NAME", help=f"{', '.join(ASKED)}.")]
Model = Annotated[str, Option("--model", metavar="SPEC", help="Model of everyone [default: as for any run].")]


def talk_worth(
    question: Asked,
    options: Options,
    truth: Truth = "",
    protocol: Protocol = "consensus",
    model: Model = "",
    db: Database = "",
) -> None:
    """One question, with and without talking: what changed, and at what price."""
    named = [one.strip() for one in options.split(",") if one.strip()]
    if len({folded(one) for one in named}) < max(2, len(named)):
        raise Refused("--options", options, "give two or more that differ, between commas")
    if protocol not in ASKED:
        raise Refused("--protocol", protocol, f"choose one of {', '.join(ASKED)}")
    item: dict[str, Any] = {"id": "1", "topic": question, "options": named} | ({"truth": truth} if truth else {})
    given = {
        "name": f"talk-worth-{secrets.token_hex(3)}",
        "protocol": protocol,
        "settings": ({"model": model} if model else {}) | ASKED[protocol],
        "items": [item],
        "arms": ["single", "vote", "samples"],
        "seed": secrets.randbelow(2**31),
    }
    asyncio.run(_asked(plan_from(given), db))


async def _asked(plan: Plan, db: str) -> None:
    screen, spec = Screen(), str(plan.settings.get("model") or await default_spec())
    screen.line(f"{plan.name}: {plan.protocol} and independent answers, by {spec}", QUIET)
    async with opened(db) as store:
        stored = await carried_on(store, await entered(store, plan), How(), db)
        told, place = worth(plan, await outcomes(store, stored)), db and store.where
    screen.prose(told)
    screen.line(command("experiment", "report", plan.name, db=place), QUIET)
