"""`moot estimate`: estimate calls, tokens and cost before a paid run."""

from typing import Annotated, Any

from rich.table import Table
from typer import Argument, Context, Option, Typer
from typer.core import TyperCommand

from ...models import get_configured_model
from ..display import Screen, format_json
from ..protocols import get_protocol, list_own_options, map_protocols
from ..run import (
    AsJson,
    Cost,
    GroupOptions,
    Material,
    RunOptions,
    build_request,
    estimate_cost,
    find_request_model,
    flatten_options,
    read_text,
)

OWN_OPTIONS_KEY = "moot.own_options"
"""Context key for the values of the options that only the named protocol has."""

estimate = Typer(add_completion=False, rich_markup_mode=None)


class ProtocolCommand(TyperCommand):
    """Command whose argument names a protocol. It also accepts that protocol's options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        protocol_name = next((word for word in args if word in map_protocols()), "")
        known_names = {param.name for param in self.params}
        own_options = ctx.meta[OWN_OPTIONS_KEY] = [
            option
            for option in (list_own_options(protocol_name) if protocol_name else [])
            if option.name not in known_names
        ]
        remaining_args = super().parse_args(ctx, args)
        ctx.obj = {option.name: ctx.params.pop(option.name) for option in own_options}
        return remaining_args

    def get_params(self, ctx: Any) -> list[Any]:
        return [*super().get_params(ctx), *ctx.meta.get(OWN_OPTIONS_KEY, [])]


@estimate.command("estimate", cls=ProtocolCommand)
@flatten_options
async def estimate_run(
    context: Context,
    name: Annotated[str, Argument(metavar="PROTOCOL", help=f"One of {', '.join(map_protocols())}.")],
    topic: Annotated[str, Argument(metavar="TOPIC", help="Topic or question.")] = "",
    material: Material = None,
    repeats: Annotated[
        int | None, Option("--repeats", metavar="N", help="Number of runs of a justice experiment.")
    ] = None,
    *,
    group: GroupOptions,
    options: RunOptions,
    json: AsJson = False,
) -> None:
    """Estimate the cost of a run: low, expected, high, maximum."""
    protocol = get_protocol(name)
    graph_input: dict[str, Any] = (
        {protocol.topic_key: topic or "Should it be done?"} if protocol.topic_key in ("topic", "query") else {}
    )
    values = (
        group.collect_values()
        | {"material": read_text(material, "material") if material else None, "repeats": repeats}
        | context.obj
    )
    graph_input |= {key: value for key, value in values.items() if value is not None}
    request = build_request(protocol, graph_input, options)
    model = await find_request_model(request) or get_configured_model()
    cost_estimate = await estimate_cost(request.with_model(model))
    if json:
        return print(format_json(cost_estimate.model_dump(mode="json")))
    table = Table("", "calls", "tokens in", "tokens out", "money", box=None)
    for label in ("low", "expected", "high", "maximum"):
        cost: Cost = getattr(cost_estimate, label)
        money = "–" if cost.money is None else f"{cost_estimate.currency_sign}{cost.money:,.4g}"
        table.add_row(label, str(cost.calls), f"{cost.input_tokens:,}", f"{cost.output_tokens:,}", money)
    screen = Screen()
    screen.console.print(table)
    unpriced_models = ", ".join(cost_estimate.unpriced)
    lines = {
        (
            "No paper in the library answers this question, so the run would ask no model. Add papers: moot papers add "
            "PATH"
        ): not cost_estimate.maximum.calls,
        cost_estimate.recipients: True,
        f"Prices in US dollars from {cost_estimate.prices}.": cost_estimate.prices,
        f"Price unknown: {unpriced_models}; set prices.input and prices.output.": unpriced_models,
        "To see a price, name a model: --model openai:gpt-5-mini.": not model and cost_estimate.maximum.money is None,
        f"For {cost_estimate.runs} runs together.": cost_estimate.runs > 1,
        "High: if one answer in ten must be repeated, 95 % of runs cost at most this.": True,
        (
            f"Maximum: each answer takes {cost_estimate.attempts} attempts. "
            "Its calls include unpaid requests that servers reject."
        ): True,
    }
    for line, applies in lines.items():
        if applies:
            screen.show_line(line)
