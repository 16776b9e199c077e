"""`moot check-model`: try a model before a deliberation depends on it."""

from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple

from langgraph.func import entrypoint
from pydantic import BaseModel, ConfigDict, Field
from typer import Exit, Option

from ...models import (
    NoAnswerError,
    RunStoppedError,
    check_spec,
    close_models,
    fetch_default_spec,
    get_capabilities,
)
from ...nodes.ask import Answer, CallOptions, Prompt, ask_model
from ...prompts import load_templates
from ...state import Call, Settings, ToolDefinition
from ..display import QUIET_STYLE, TITLE_STYLE, Screen, format_json
from ..run import EXIT_FAILED, AsJson, flatten_options

CHECK_TEMPLATES = load_templates("check", system="", text="", structured="")


class Colour(BaseModel):
    """Small answer in a fixed form, to test structured output."""

    model_config = ConfigDict(extra="forbid")

    colour: Literal["red", "green", "blue"]
    sure: float = Field(ge=0, le=1)


COLOUR_TOOL = ToolDefinition(
    name="colour", description="Take a colour.", parameters=Colour.model_json_schema(), reads_only=True
)


class CheckResult(NamedTuple):
    """Result of one check of a model.

    `detail`: the model's answer, or how Moot works around a failure.
    """

    name: str
    works: bool
    detail: str


async def try_model(spec: str, language: str) -> list[CheckResult]:
    """Check text, streaming, structured output, tools and usage of a model with four small calls.

    Each call is announced on the terminal. Raises `RunStoppedError` if the model cannot be called at all: wrong key,
    unknown name or no server.
    """
    settings = Settings(model=spec, language=language, max_attempts=2, reasoning_tokens=1000, on_outage="skip")
    call = CallOptions(
        who="check", purpose="check", spec=spec, settings=settings, max_tokens=100, max_attempts=1, is_hidden=True
    )
    calls_by_label = {
        "a text": call,
        "a text in pieces": replace(call, is_hidden=False),
        "an answer in a fixed form": replace(call, schema=Colour),
        "a call of a tool": replace(
            call,
            settings=settings.with_choices(tool_definitions=[COLOUR_TOOL.model_dump()]),
            sends_tools=True,
            allowed_tools=[COLOUR_TOOL.name],
            forces_tool=True,
        ),
    }

    @entrypoint()
    async def ask_calls(_: str) -> list[Answer | str]:
        answers, screen = list[Answer | str](), Screen(to_stderr=True)
        for index, (label, labelled_call) in enumerate(calls_by_label.items(), start=1):
            if screen.is_terminal:
                screen.show_line(f"{index} of {len(calls_by_label)}: asking {spec} for {label} …", QUIET_STYLE)
            head = CHECK_TEMPLATES.fill_template(language, "system", {})
            has_form = labelled_call.schema or labelled_call.allowed_tools
            task = CHECK_TEMPLATES.fill_template(language, "structured" if has_form else "text", {})
            try:
                answers.append(await ask_model(Prompt(head=head, task=task, language=language), labelled_call))
            except NoAnswerError as failure:
                answers.append(failure.incidents[-1].what if failure.incidents else failure.kind)
            except RunStoppedError as failure:
                if not labelled_call.allowed_tools:
                    raise
                answers.append(str(failure))
        return answers

    answers, chunk_count = list[Answer | str](), 0
    async for chunk in ask_calls.astream("", stream_mode=["messages", "updates"], version="v2"):
        data: Any = chunk["data"]
        if chunk["type"] == "messages":
            chunk_count += bool(data[0].text)
        else:
            answers = data["ask_calls"]
    return _judge_answers(spec, *answers, chunk_count=chunk_count)


def _judge_answers(
    spec: str,
    text: Answer | str,
    streamed: Answer | str,
    structured: Answer | str,
    tool_request: Answer | str,
    *,
    chunk_count: int,
) -> list[CheckResult]:
    """Return the results of the checks from the four answers.

    A plain text in place of an answer is the reason why the call failed. `chunk_count`: number of pieces of the
    streamed answer.
    """
    refused_settings = get_capabilities(spec).refused_settings
    words = "" if isinstance(text, str) else " ".join(text.text.split())
    call = streamed.calls[-1] if isinstance(streamed, Answer) else Call(purpose="check")
    cases = [
        ("text", isinstance(text, str), False, f"{text}; a run would retry the turn, then record it as missed"),
        ("text", not words, False, "the answer was empty"),
        ("text", True, True, f"“{words[:80]}”"),
        ("streaming", isinstance(streamed, str), False, str(streamed)),
        ("streaming", chunk_count > 1, True, f"{chunk_count} pieces"),
        ("streaming", True, False, "the text arrives whole; statements will appear when they are finished"),
        (
            "structured output",
            isinstance(structured, str),
            False,
            f"{structured}; a run would ask again for ballots and judgements, then record them as invalid",
        ),
        (
            "structured output",
            "response_format" in refused_settings,
            True,
            "by instructions in the prompt, since the server takes no schema",
        ),
        ("structured output", True, True, "by schema"),
        ("tools", isinstance(tool_request, str), False, str(tool_request)),
        ("tools", isinstance(tool_request, Answer) and tool_request.wants_tools, True, "the model calls a tool"),
        ("tools", True, False, "the model called no tool; use it without tools"),
        ("usage", call.tokens > 0, True, f"{call.input_tokens} prompt and {call.output_tokens} completion tokens"),
        ("usage", True, False, "not reported; only limits on calls and turns work, limits on tokens and money do not"),
        *(
            (name, True, False, "refused by the server; Moot leaves it out")
            for name in sorted(refused_settings - {"response_format"})
        ),
    ]
    results: dict[str, CheckResult] = {}
    for what, applies, works, said in cases:  # of each check, the first case that applies
        if applies:
            results.setdefault(what, CheckResult(what, works, said))
    return list(results.values())


@flatten_options
async def check_model(
    model: Annotated[str, Option("--model", metavar="SPEC", help="Model to test [default: as for any run].")] = "",
    language: Annotated[str, Option("--language", metavar="TAG", help="Language of the test.")] = "en",
    json: AsJson = False,
) -> None:
    """Test a model: text, structured output, streaming, tools, usage."""
    spec = model or await fetch_default_spec()
    check_spec(spec)
    try:
        findings = await try_model(spec, language)
    finally:
        await close_models()
    if not findings[0].works:
        _show_results(spec, findings, to_stderr=True)
        raise Exit(EXIT_FAILED)
    if json:
        print(format_json({"model": spec, "findings": [finding._asdict() for finding in findings]}))
    else:
        _show_results(spec, findings)


def _show_results(spec: str, findings: list[CheckResult], *, to_stderr: bool = False) -> None:
    screen = Screen(to_stderr=to_stderr)
    screen.show_line(spec, TITLE_STYLE)
    for finding in findings:
        screen.show_line(f"  {'yes' if finding.works else 'no '}  {finding.name}: {finding.detail}")
