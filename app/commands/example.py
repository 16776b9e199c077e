"""`moot example`: play a recorded example."""

from typing import Annotated

from typer import Argument, Option

from ...models import list_examples, load_example
from ..display.screen import Screen
from ..run import ViewOptions, build_example_request, execute_request, flatten_options


@flatten_options
def example(
    name: Annotated[str, Argument(metavar="[NAME]", help=f"One of {', '.join(list_examples())}.")] = "debate",
    lists_names: Annotated[bool, Option("--list", help="List the examples.")] = False,
    *,
    view: ViewOptions,
) -> None:
    """Play a recorded example; --list lists them.

    Moot plays answers that were written for this example through the whole protocol. It asks no model.
    """
    if not lists_names:
        execute_request(build_example_request(name), view)
        return
    for listed_name in list_examples():
        Screen().show_line(f"{listed_name}: {load_example(listed_name)['story']}")
