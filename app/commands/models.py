"""`moot models`: list the default model and other available models.

Its imports wait, so that its help is quick.
"""

import asyncio
from importlib.util import find_spec
from typing import Annotated

from typer import Option

from ... import models as model_room
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
    if url := server or model_room.get_base_url():
        remarks_by_spec |= {f"openai:{name}@{url}": "" for name in await model_room.fetch_models(url)}
    if not server:
        remarks_by_spec |= await asyncio.to_thread(model_room.find_local_models)
    if model_room.has_openai_key():
        remarks_by_spec.setdefault(model_room.DEFAULT_OPENAI, "uses the key in OPENAI_API_KEY")
    if find_spec("langchain"):
        remarks_by_spec["<provider>:<name>"] = "any provider of LangChain whose package is installed"
    remarks_by_spec[model_room.REHEARSAL] = "no model: text made by rules, free, without a network"
    default_spec = await model_room.fetch_default_spec()
    remarks_by_spec = {default_spec: remarks_by_spec.get(default_spec, "")} | remarks_by_spec
    if json:
        return print(format_json({"default": default_spec, "models": remarks_by_spec}))
    screen = Screen()
    for spec, remark in remarks_by_spec.items():
        screen.show_line(f"{'*' if spec == default_spec else ' '} {spec}" + (f"   {remark}" if remark else ""))
    screen.show_line("\n* is the default. You can also name any other model of your provider.")
