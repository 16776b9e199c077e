"""`moot models`: the default model, and the other available ones."""

import asyncio
from importlib.util import find_spec
from typing import Annotated

from typer import Option

from ...models.chat import REHEARSAL
from ...models.keys import get_base_url
from ...models.spec import DEFAULT_OPENAI, fetch_models, find_default_spec, has_key
from ..display.plain_text import format_json
from ..display.screen import Screen
from ..run.command_options import AsJson

ServerOption = Annotated[
    str, Option("--server", metavar="URL", help="An OpenAI-compatible server to ask for its models.")
]


def models(server: ServerOption = "", json: AsJson = False) -> None:
    """List the models that can be named here."""
    default, remarks = asyncio.run(_find_models(server))
    if json:
        print(format_json({"default": default, "models": remarks}))
        return
    screen = Screen()
    for spec, remark in remarks.items():
        mark = "*" if spec == default else " "
        screen.show_line(f"{mark} {spec}" + (f"   {remark}" if remark else ""))
    screen.show_line("\n* speaks when none is named. Any other name your provider knows can be given as well.")


async def _find_models(server: str) -> tuple[str, dict[str, str]]:
    """Return the spec of the default model, and each other spec with a remark."""
    remarks: dict[str, str] = {}
    url = server or get_base_url()
    if url:
        remarks |= {f"openai:{name}@{url}": "" for name in await fetch_models(url)}
    if has_key():
        remarks.setdefault(DEFAULT_OPENAI, "the key in OPENAI_API_KEY is used")
    if find_spec("langchain"):
        remarks["<provider>:<name>"] = "any provider of LangChain whose package is installed"
    remarks[REHEARSAL] = "no model: text made by rule, free, without network"
    default = await find_default_spec()
    return default, {default: remarks.get(default, "")} | remarks
