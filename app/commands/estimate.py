"""`moot estimate`: calls, tokens and money, before a run is paid for."""

import asyncio
from typing import Annotated, Any

from rich.table import Table
from typer import Argument, Context, Option, Typer
from typer.core import TyperCommand

from ...nodes.models.spec import configured_model
from ..any_protocol import own_options
from ..config import read_text
from ..display.plain import as_json
from ..display.screen import Screen
from ..estimate import Cost, Estimate, estimated
from ..options import AsJson, Group, Knobs, Material, spread
from ..protocols import every_protocol, protocol
from ..request import request

Name = Annotated[str, Argument(metavar="PROTOCOL", help=f"One of {', '.join(every_protocol())}.")]
About = Annotated[str, Argument(metavar="TOPIC", help="What it would be about.")]
Repeats = Annotated[int | None, Option("--repeats", metavar="N", help="Runs of a justice experiment.")]

OWN = "moot.own_options"
"""Where one call of the command keeps the options of the protocol it names."""

estimate = Typer(add_completion=False, rich_markup_mode=None)


class WithItsOptions(TyperCommand):
    """A command that takes the options of the protocol it names as well."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = next((one for one in args if one in every_protocol()), "")
        known = {one.name for one in self.params}
        own = ctx.meta[OWN] = [one for one in (own_options(named) if named else []) if one.name not in known]
        left = super().parse_args(ctx, args)
        ctx.obj = {one.name: ctx.params.pop(one.name) for one in own}
        return left

    def get_params(self, ctx: Any) -> list[Any]:
        return [*super().get_params(ctx), *ctx.meta.get(OWN, [])]


@estimate.command("estimate", cls=WithItsOptions)
@spread
def estimated_run(
    context: Context,
    name: Name,
    topic: About = "",
    material: Material = None,
    repeats: Repeats = None,
    *,
    group: Group,
    knobs: Knobs,
    json: AsJson = False,
) -> None:
    """Estimate what a run would cost: low, expected, high."""
    made = protocol(name)
    given: dict[str, Any] = {made.about: topic or "Should it be done?"} if made.about in ("topic", "query") else {}
    if material:
        given["material"] = read_text(material, "material")
    said = group.given() | {"repeats": repeats} | context.obj
    given |= {key: value for key, value in said.items() if value is not None}
    asked = request(made, given, knobs)
    asked = asked if asked.rules.model else asked.with_model(configured_model())
    found = asyncio.run(estimated(asked))
    if json:
        print(as_json(found.model_dump(mode="json")))
        return
    table = Table("", "calls", "tokens in", "tokens out", "money", box=None)
    for label in ("low", "expected", "high"):
        cost: Cost = getattr(found, label)
        money = "–" if cost.money is None else f"{found.sign}{cost.money:,.4g}"
        table.add_row(label, str(cost.calls), f"{cost.input_tokens:,}", f"{cost.output_tokens:,}", money)
    screen = Screen()
    screen.console.print(table)
    if not found.high.calls:
        screen.line("No paper in the library answers this, so no model would be asked; `moot papers add` adds papers.")
    for line in _priced(found):
        screen.line(line)
    if found.runs > 1:
        screen.line(f"For {found.runs} runs together.")
    screen.line(
        f"A question whose answer is unusable or does not come is asked up to {found.tries} times; high counts all, "
        "and as many calls again as a server may refuse unread: prompts that are too long, settings it does not take."
    )


def _priced(found: Estimate) -> list[str]:
    """Where the prices are from, and what has none."""
    looked_up = [f"Prices in US dollars from {found.prices}."] if found.prices else []
    return [*looked_up, *([f"No price known for {', '.join(found.unpriced)}."] if found.unpriced else [])]
