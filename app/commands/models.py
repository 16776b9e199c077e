"""`moot models`: list the default model and other available models."""

import asyncio
from importlib.util import find_spec
from typing import Annotated

from typer import Option

from ...models import (
    DEFAULT_OPENAI,
    REHEARSAL,
    fetch_default_spec,
    fetch_models,
    find_local_models,
    get_base_url,
    has_openai_key,
)
from ..display import Screen, format_json
from ..run.command_options import AsJson, flatten_options


@flatten_options
async def models(
    server: Annotated[
        str, Option("--server", metavar="URL", help="OpenAI-compatible server whose models to list.")
    ] = "",
    json: AsJson = False,
) -> None:
    """List the models that you can use here."""
    remarks_by_spec: dict[str, str] = {}
    if url := server or get_base_url():
        remarks_by_spec |= {f"openai:{name}@{url}": "" for name in await fetch_models(url)}
    if not server:
        remarks_by_spec |= await asyncio.to_thread(find_local_models)
    if has_openai_key():
        remarks_by_spec.setdefault(DEFAULT_OPENAI, "the key in OPENAI_API_KEY is used")
    if find_spec("langchain"):
        remarks_by_spec["<provider>:<name>"] = "any provider of LangChain whose package is installed"
    remarks_by_spec[REHEARSAL] = "no model: text made by rule, free, without network"
    default_spec = await fetch_default_spec()
    remarks_by_spec = {default_spec: remarks_by_spec.get(default_spec, "")} | remarks_by_spec
    if json:
        print(format_json({"default": default_spec, "models": remarks_by_spec}))
        return
    screen = Screen()
    for spec, remark in remarks_by_spec.items():
        mark = "*" if spec == default_spec else " "
        screen.show_line(f"{mark} {spec}" + (f"   {remark}" if remark else ""))
    screen.show_line("\n* speaks when none is named. Any other name your provider knows can be given as well.")
