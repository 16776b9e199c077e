"""`moot check`: try a model before a deliberation depends on it."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple

from langgraph.func import entrypoint
from pydantic import BaseModel, ConfigDict, Field
from typer import Exit, Option

from ...nodes.asking import Asking, Brief
from ...nodes.asking.ask import Answer, ask
from ...nodes.models.chat import check_spec, close_models, default_spec, manners
from ...nodes.models.failures import Unavailable
from ...prompts import catalogue
from ...state.rules import Rules
from ..display.plain import as_json
from ..display.screen import QUIET, TITLE, Screen
from ..failure import FAILED
from ..options import AsJson

WORDS = catalogue("check", system="", text="", structured="")
LONGEST = 80

Tell = Callable[[str], None]


class Colour(BaseModel):
    """A small answer in a fixed form."""

    model_config = ConfigDict(extra="forbid")

    colour: Literal["red", "green", "blue"]
    sure: float = Field(ge=0, le=1)


class Finding(NamedTuple):
    """The result of one check. `said`: what the model did, or what Moot will do instead."""

    what: str
    works: bool
    said: str


async def tried(spec: str, language: str = "en", tell: Tell = lambda _: None) -> list[Finding]:
    """Text, streaming, structured output and usage, with three small calls, each told of before it is made.

    Raises `Stopped` if the model cannot be called at all: wrong key, unknown name, no server.
    """
    rules = Rules(model=spec, language=language, statement_tries=2, reasoning_allowance=1000)
    asking = Asking(who="check", purpose="check", spec=spec, rules=rules, max_tokens=100, tries=1, hidden=True)
    answers, chunks = await _asked(asking, tell)
    text, streamed, structured = answers
    return [_text(text), _streaming(streamed, chunks), _structured(structured, spec), _usage(streamed), *_dropped(spec)]


async def _asked(asking: Asking, tell: Tell) -> tuple[list[Answer | str], int]:
    """The answers, or what went wrong, and how many pieces the second one came in."""

    @entrypoint()
    async def trial(_: str) -> list[Answer | str]:
        streamed, by_schema = replace(asking, hidden=False), replace(asking, schema=Colour)
        questions = {"a text": asking, "a text, piece by piece": streamed, "an answer in a fixed form": by_schema}
        answers = []
        for place, (what, one) in enumerate(questions.items(), start=1):
            tell(f"{place} of {len(questions)}: asking {asking.spec} for {what} …")
            answers.append(await _answer("structured" if one.schema else "text", one))
        return answers

    answers: list[Answer | str] = []
    chunks = 0
    async for part in trial.astream("", stream_mode=["messages", "updates"], version="v2"):
        found: Any = part["data"]
        if part["type"] == "messages":
            chunks += bool(found[0].text)
        else:
            answers = found["trial"]
    return answers, chunks


async def _answer(name: str, asking: Asking) -> Answer | str:
    language, values = asking.rules.language, dict[str, Any]()
    head, task = WORDS.fill(language, "system", values), WORDS.fill(language, name, values)
    try:
        return await ask(Brief(head=head, task=task, language=language), asking)
    except Unavailable as lost:
        return lost.incidents[-1].what if lost.incidents else lost.kind


def _text(answer: Answer | str) -> Finding:
    if isinstance(answer, str):
        return Finding("text", False, f"{answer}; such a turn would be tried again, then passed over")
    said = " ".join(answer.text.split())
    return Finding("text", bool(said), f"“{said[:LONGEST]}”" if said else "the answer was empty")


def _streaming(answer: Answer | str, chunks: int) -> Finding:
    if isinstance(answer, str):
        return Finding("streaming", False, answer)
    whole = "it arrives whole; statements will appear when they are finished"
    return Finding("streaming", chunks > 1, f"{chunks} pieces" if chunks > 1 else whole)


def _structured(answer: Answer | str, spec: str) -> Finding:
    if isinstance(answer, str):
        instead = "ballots and judgements would be asked for again, then recorded as invalid"
        return Finding("structured output", False, f"{answer}; {instead}")
    in_words = "response_format" in manners(spec).refused
    return Finding(
        "structured output", True, "asked for in words, as the endpoint takes no schema" if in_words else "by schema"
    )


def _usage(answer: Answer | str) -> Finding:
    call = answer.calls[-1] if isinstance(answer, Answer) else None
    if call is None or not call.tokens:
        return Finding(
            "usage", False, "not reported; caps on tokens and money cannot be kept, those on calls and turns can"
        )
    return Finding("usage", True, f"{call.input_tokens} prompt and {call.output_tokens} completion tokens")


def _dropped(spec: str) -> list[Finding]:
    names = sorted(manners(spec).refused - {"response_format"})
    return [Finding(name, False, "refused by the endpoint; it will be left out") for name in names]


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
        return spec, await tried(spec, language, _telling)
    finally:
        await close_models()


def _telling(what: str) -> None:
    """Say on a terminal what is done now."""
    screen = Screen(to_stderr=True)
    if screen.live:
        screen.line(what, QUIET)


def _told(spec: str, findings: list[Finding], *, to_stderr: bool = False) -> None:
    screen = Screen(to_stderr=to_stderr)
    screen.line(spec, TITLE)
    for one in findings:
        screen.line(f"  {'yes' if one.works else 'no '}  {one.what}: {one.said}")
