"""`moot models`: the default model, and the others that can be named."""

import asyncio
from importlib.util import find_spec
from typing import Annotated

from typer import Option

from ...nodes.models.chat import REHEARSAL
from ...nodes.models.keys import base_url
from ...nodes.models.spec import DEFAULT_OPENAI, default_spec, has_key, served
from ..display.plain import as_json
from ..display.screen import Screen
from ..options import AsJson

Server = Annotated[str, Option("--server", metavar="URL", help="An OpenAI-compatible server to ask for its models.")]


def models(server: Server = "", json: AsJson = False) -> None:
    """List the models that can be named here."""
    default, listed = asyncio.run(_found(server))
    if json:
        print(as_json({"default": default, "models": listed}))
        return
    screen = Screen()
    for spec, remark in listed.items():
        mark = "*" if spec == default else " "
        screen.line(f"{mark} {spec}" + (f"   {remark}" if remark else ""))
    screen.line("\n* speaks when none is named. Any other name your provider knows can be given as well.")


async def _found(server: str) -> tuple[str, dict[str, str]]:
    """The spec of the default model, and every other spec with a remark."""
    listed: dict[str, str] = {}
    url = server or base_url()
    if url:
        listed |= {f"openai:{name}@{url}": "" for name in await served(url)}
    if has_key():
        listed.setdefault(DEFAULT_OPENAI, "the key in OPENAI_API_KEY is used")
    if find_spec("langchain"):
        listed["<provider>:<name>"] = "any provider of LangChain whose package is installed"
    listed[REHEARSAL] = "no model: text made by rule, free, without network"
    default = await default_spec()
    return default, {default: listed.get(default, "")} | listed
