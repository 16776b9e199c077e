"""`moot check`: try a model before a deliberation depends on it."""

import asyncio
from typing import Annotated

from typer import Exit, Option

from ..nodes.models import check_spec, close_models, default_spec
from .failure import FAILED
from .options import AsJson
from .plain import as_json
from .screen import TITLE, Screen
from .trial import Finding, tried


def check(
    model: Annotated[str, Option("--model", metavar="SPEC", help="The model to try; none: what a run would use.")] = "",
    language: Annotated[str, Option("--language", metavar="TAG", help="Language to ask in.")] = "en",
    json: AsJson = False,
) -> None:
    """Try a model: text, structured output, streaming, usage."""
    spec, findings = asyncio.run(_checked(model, language))
    if not findings[0].works:
        _told(spec, findings, to_stderr=True)
        raise Exit(FAILED)
    if json:
        print(as_json({"model": spec, "findings": [one._asdict() for one in findings]}))
    else:
        _told(spec, findings)


async def _checked(model: str, language: str) -> tuple[str, list[Finding]]:
    spec = model or await default_spec()
    check_spec(spec)
    try:
        return spec, await tried(spec, language)
    finally:
        await close_models()


def _told(spec: str, findings: list[Finding], *, to_stderr: bool = False) -> None:
    screen = Screen(to_stderr=to_stderr)
    screen.line(spec, TITLE)
    for one in findings:
        screen.line(f"  {'yes' if one.works else 'no '}  {one.what}: {one.said}")
