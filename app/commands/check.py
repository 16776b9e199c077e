"""`moot check`: try a model before a deliberation depends on it."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple

from langgraph.func import entrypoint
from pydantic import BaseModel, ConfigDict, Field
from typer import Exit, Option

from ...models.capabilities import get_capabilities
from ...models.chat import check_spec, close_models, fetch_default_spec
from ...models.failures import NoAnswerError
from ...nodes.ask import CallOptions, Prompt
from ...nodes.ask.ask_with_retries import Answer, ask
from ...prompts import load_templates
from ...state.settings import Settings
from ..display.plain_text import format_json
from ..display.screen import QUIET_STYLE, TITLE_STYLE, Screen
from ..run.command_options import AsJson
from ..run.failure import EXIT_FAILED

CHECK_TEMPLATES = load_templates("check", system="", text="", structured="")
CHECK_TEXT_LIMIT = 80

ShowProgress = Callable[[str], None]


class Colour(BaseModel):
    """A small answer in a fixed form."""

    model_config = ConfigDict(extra="forbid")

    colour: Literal["red", "green", "blue"]
    sure: float = Field(ge=0, le=1)


class CheckResult(NamedTuple):
    """Result of one check. `said`: the model's answer, or Moot's fallback."""

    what: str
    works: bool
    said: str


async def try_model(spec: str, language: str = "en", show_progress: ShowProgress = lambda _: None) -> list[CheckResult]:
    """Check text, streaming, structured output and usage with three small calls. Announce each call.

    Raises `RunStoppedError` if the model cannot be called at all: wrong key, unknown name or no server.
    """
    settings = Settings(model=spec, language=language, statement_tries=2, reasoning_allowance=1000)
    call = CallOptions(
        who="check", purpose="check", spec=spec, settings=settings, max_tokens=100, max_attempts=1, hidden=True
    )
    answers, chunk_count = await _ask_questions(call, show_progress)
    text_answer, streamed_answer, structured_answer = answers
    return [
        _check_text(text_answer),
        _check_streaming(streamed_answer, chunk_count),
        _check_structured(structured_answer, spec),
        _check_usage(streamed_answer),
        *_list_rejected_settings(spec),
    ]


async def _ask_questions(call: CallOptions, show_progress: ShowProgress) -> tuple[list[Answer | str], int]:
    """Ask three questions. Return the answers, and the number of chunks of the second answer.

    An error replaces its answer.
    """

    @entrypoint()
    async def trial(_: str) -> list[Answer | str]:
        streamed_call, structured_call = replace(call, hidden=False), replace(call, schema=Colour)
        calls_by_label = {
            "a text": call,
            "a text, piece by piece": streamed_call,
            "an answer in a fixed form": structured_call,
        }
        answers = []
        for index, (label, labelled_call) in enumerate(calls_by_label.items(), start=1):
            show_progress(f"{index} of {len(calls_by_label)}: asking {call.spec} for {label} …")
            answers.append(await _ask_question("structured" if labelled_call.schema else "text", labelled_call))
        return answers

    answers: list[Answer | str] = []
    chunk_count = 0
    async for chunk in trial.astream("", stream_mode=["messages", "updates"], version="v2"):
        data: Any = chunk["data"]
        if chunk["type"] == "messages":
            chunk_count += bool(data[0].text)
        else:
            answers = data["trial"]
    return answers, chunk_count


async def _ask_question(name: str, call: CallOptions) -> Answer | str:
    language, values = call.settings.language, dict[str, Any]()
    system_text, task = (
        CHECK_TEMPLATES.fill_template(language, "system", values),
        CHECK_TEMPLATES.fill_template(language, name, values),
    )
    try:
        return await ask(Prompt(head=system_text, task=task, language=language), call)
    except NoAnswerError as failure:
        return failure.incidents[-1].what if failure.incidents else failure.kind


def _check_text(answer: Answer | str) -> CheckResult:
    if isinstance(answer, str):
        return CheckResult("text", False, f"{answer}; such a turn would be tried again, then passed over")
    text = " ".join(answer.text.split())
    return CheckResult("text", bool(text), f"“{text[:CHECK_TEXT_LIMIT]}”" if text else "the answer was empty")


def _check_streaming(answer: Answer | str, chunk_count: int) -> CheckResult:
    if isinstance(answer, str):
        return CheckResult("streaming", False, answer)
    remark = "it arrives whole; statements will appear when they are finished"
    return CheckResult("streaming", chunk_count > 1, f"{chunk_count} pieces" if chunk_count > 1 else remark)


def _check_structured(answer: Answer | str, spec: str) -> CheckResult:
    if isinstance(answer, str):
        fallback = "ballots and judgements would be asked for again, then recorded as invalid"
        return CheckResult("structured output", False, f"{answer}; {fallback}")
    lacks_schema = "response_format" in get_capabilities(spec).refused_settings
    return CheckResult(
        "structured output",
        True,
        "asked for in words, as the endpoint takes no schema" if lacks_schema else "by schema",
    )


def _check_usage(answer: Answer | str) -> CheckResult:
    call = answer.calls[-1] if isinstance(answer, Answer) else None
    if call is None or not call.tokens:
        return CheckResult(
            "usage", False, "not reported; caps on tokens and money cannot be kept, those on calls and turns can"
        )
    return CheckResult("usage", True, f"{call.input_tokens} prompt and {call.output_tokens} completion tokens")


def _list_rejected_settings(spec: str) -> list[CheckResult]:
    names = sorted(get_capabilities(spec).refused_settings - {"response_format"})
    return [CheckResult(name, False, "refused by the endpoint; it will be left out") for name in names]


def check(
    model: Annotated[str, Option("--model", metavar="SPEC", help="The model to try; none: what a run would use.")] = "",
    language: Annotated[str, Option("--language", metavar="TAG", help="Language to ask in.")] = "en",
    json: AsJson = False,
) -> None:
    """Try a model: text, structured output, streaming, usage."""
    spec, findings = asyncio.run(_check_model(model, language))
    if not findings[0].works:
        _show_results(spec, findings, to_stderr=True)
        raise Exit(EXIT_FAILED)
    if json:
        print(format_json({"model": spec, "findings": [finding._asdict() for finding in findings]}))
    else:
        _show_results(spec, findings)


async def _check_model(model: str, language: str) -> tuple[str, list[CheckResult]]:
    spec = model or await fetch_default_spec()
    check_spec(spec)
    try:
        return spec, await try_model(spec, language, _show_progress)
    finally:
        await close_models()


def _show_progress(text: str) -> None:
    """Show the current step on a terminal."""
    screen = Screen(to_stderr=True)
    if screen.is_terminal:
        screen.show_line(text, QUIET_STYLE)


def _show_results(spec: str, findings: list[CheckResult], *, to_stderr: bool = False) -> None:
    screen = Screen(to_stderr=to_stderr)
    screen.show_line(spec, TITLE_STYLE)
    for finding in findings:
        screen.show_line(f"  {'yes' if finding.works else 'no '}  {finding.what}: {finding.said}")
