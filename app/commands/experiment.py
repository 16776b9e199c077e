"""`moot experiment`: many runs, one answer."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from typer import Argument

from ...nodes.models.chat import default_spec
from ..display.plain import as_json
from ..display.screen import Screen
from ..estimate import Cost
from ..experiment.check import Forecast, forecast
from ..experiment.plan import Plan, read_plan
from ..options import AsJson

PlanFile = Annotated[Path, Argument(metavar="PLAN", help="The plan, in YAML.")]

experiment = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)


@experiment.callback()
def commands() -> None:
    """Many runs by one plan, and what follows from them."""


@experiment.command("check")
def check(plan: PlanFile, json: AsJson = False) -> None:
    """Read the plan, draw everything, call nobody: cells, runs, and what all of it would cost."""
    found = asyncio.run(_forecast(read_plan(plan)))
    if json:
        print(as_json(found.model_dump(mode="json")))
        return
    _show_forecast(found)


async def _forecast(plan: Plan) -> Forecast:
    return await forecast(plan, await default_spec())


def _show_forecast(found: Forecast) -> None:
    screen = Screen()
    screen.line(f"{found.name}: {found.protocol}, {found.runs} runs on {found.items} items, {found.repeats} repeats")
    screen.line(f"{found.seeds} seeds, one for each item and repeat, shared by all conditions; hash {found.hash}")
    table = Table("condition", box=None)
    for head in ("runs", "items", "calls", "at most", "tokens", "at most", "money", "at most"):
        table.add_column(head, justify="right")
    for one in found.cells:
        table.add_row(one.cell, str(one.runs), str(one.items), *_costs(one.expected, one.highest))
    table.add_row("all", str(found.runs), str(found.items), *_costs(found.expected, found.highest))
    screen.console.print(table)


def _costs(expected: Cost, highest: Cost) -> list[str]:
    money = ["–" if one.money is None else f"{one.money:,.4g}" for one in (expected, highest)]
    return [f"{expected.calls:,}", f"{highest.calls:,}", f"{expected.tokens:,}", f"{highest.tokens:,}", *money]
