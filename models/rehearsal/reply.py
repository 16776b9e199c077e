"""Reply to a prompt: its kind, its text, and its token count."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage, ToolCall
from langchain_core.messages.ai import UsageMetadata
from pydantic import BaseModel

from . import group_summary, justice, notes, panel
from .form.choice import order_values
from .form.field_values import decide_yes_no
from .form.schema import SchemaFiller
from .prompt import find_schema, parse_prompt
from .scene import Scene, build_scene
from .speech import write_statement
from .verdict import judge_record
from .views import describe_lesson, describe_position, describe_thoughts, update_memory

_OPTION = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class RehearsalReply:
    """Answer of the offline model."""

    text: str
    usage: UsageMetadata
    tool_calls: list[ToolCall] = field(default_factory=list)
    finish: str = "stop"

    @property
    def metadata(self) -> dict[str, Any]:
        """Return the metadata in the form that endpoints report."""
        return {"model_name": "rehearsal", "finish_reason": self.finish}


CallValues = Mapping[str, Any]


def build_reply(
    seed: int, messages: Sequence[BaseMessage], metadata: CallValues, settings: CallValues
) -> RehearsalReply:
    """Build the reply: a tool call if one is demanded, an instance of a given schema, or text within `max_tokens`."""
    prompt = parse_prompt(messages, metadata)
    scene = build_scene(seed, prompt)
    input_tokens = sum(estimate_tokens(message.text) for message in messages)
    if tool := _find_demanded_tool(settings):
        arguments = SchemaFiller(scene, tool.get("parameters", {})).fill_node(tool.get("parameters", {}))
        call = ToolCall(name=tool["name"], args=arguments, id=f"call_{prompt.turn}_{tool['name']}", type="tool_call")
        return RehearsalReply(
            "", _make_usage(input_tokens, estimate_tokens(json.dumps(arguments))), [call], "tool_calls"
        )
    schema = _find_reply_schema(settings) or find_schema(prompt.task)
    if schema is not None:
        instance_text = json.dumps(SchemaFiller(scene, schema).fill_node(schema), ensure_ascii=False)
        return RehearsalReply(instance_text, _make_usage(input_tokens, estimate_tokens(instance_text)))
    cap = settings.get("max_tokens") or settings.get("max_completion_tokens")
    text, finish = _cut_reply(write_reply(scene), cap)
    return RehearsalReply(text, _make_usage(input_tokens, estimate_tokens(text)), finish=finish)


def write_reply(scene: Scene) -> str:
    """Write the text that the purpose of the call asks for."""
    match scene.prompt.purpose:
        case "synthesis" | "conclusion" as purpose:
            is_on_papers = purpose == "conclusion" or scene.prompt.papers
            return panel.write_conclusion(scene) if is_on_papers else group_summary.write_synthesis(scene)
        case "summary":
            return group_summary.write_summary(scene)
        case "memory":
            is_justice = justice.is_about_justice(scene)
            return update_memory(scene, justice.write_justice_lesson(scene) if is_justice else describe_lesson(scene))
        case "reasoning":
            return (
                justice.write_justice_thoughts(scene) if justice.is_about_justice(scene) else describe_thoughts(scene)
            )
        case "judgement":
            return judge_record(scene).reason
        case "position":
            return describe_position(scene, scene.prompt.speaker)
        case "comprehension":
            return justice.answer_comprehension(scene.prompt.task)
        case "initiation" | "confirmation" | "ballot" | "amount" | "ranking" | "choice" | "explanation" as purpose:
            return justice.answer_in_text(scene) if justice.is_about_justice(scene) else _write_vote(scene, purpose)
        case _:
            return " ".join(filter(None, [_write_statement(scene), notes.share_notes(scene)]))


def _write_statement(scene: Scene) -> str:
    if scene.prompt.papers:
        return panel.write_panel_statement(scene)
    if justice.is_about_justice(scene):
        return justice.write_justice_statement(scene)
    has_context = scene.prompt.participants or scene.prompt.statements
    return write_statement(scene) if has_context else scene.stock.get_phrase("answers", "greeting")


def _write_vote(scene: Scene, purpose: str) -> str:
    """Write a vote as text: one of the options listed in the task, or 1 for yes and 0 for no."""
    options = _OPTION.findall(scene.prompt.task)
    if purpose in ("initiation", "confirmation") or not options:
        return str(int(decide_yes_no(scene, purpose, purpose)))
    ranking = [str(value) for value in order_values(scene, purpose, options, purpose)]
    return "\n".join(ranking) if purpose == "ranking" else ranking[0]


def _find_demanded_tool(settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the tool that must be called, or `None`."""
    tools = [tool.get("function", tool) for tool in settings.get("tools") or []]
    choice = settings.get("tool_choice")
    if isinstance(choice, Mapping):
        choice = choice.get("function", choice).get("name")
    if not tools or choice in (None, False, "auto", "none"):
        return None
    demanded_tool: dict[str, Any] = next((tool for tool in tools if tool.get("name") == choice), tools[0])
    return demanded_tool


def _find_reply_schema(settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema of a bound response format, or `None`; for `json_object`, the schema of any object."""
    response_format = settings.get("response_format")
    if isinstance(response_format, type) and issubclass(response_format, BaseModel):
        model_schema: dict[str, Any] = response_format.model_json_schema()
        return model_schema
    if not isinstance(response_format, Mapping) or response_format.get("type") == "text":
        return None
    format_fields = response_format.get("json_schema", response_format)
    schema = format_fields.get("schema", format_fields)
    any_object: dict[str, Any] = {"type": "object", "properties": {"answer": {"type": "string"}}}
    return (
        any_object if response_format.get("type") == "json_object" or not isinstance(schema, Mapping) else dict(schema)
    )


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: a quarter of its letters, and four fifths of its ideographs."""
    if text.isascii():
        return -(-len(text) // 4)
    ideographs = (len(text.encode("utf-8", "replace")) - len(text)) // 2
    return -(-(len(text) - ideographs) // 4) + -(-ideographs * 4 // 5)


def _make_usage(input_tokens: int, output_tokens: int) -> UsageMetadata:
    return UsageMetadata(
        input_tokens=input_tokens, output_tokens=output_tokens, total_tokens=input_tokens + output_tokens
    )


def _cut_reply(text: str, cap: int | None) -> tuple[str, str]:
    """Cut a reply to a token limit, as an endpoint would; return it with its finish reason."""
    if not cap or estimate_tokens(text) <= cap:
        return text, "stop"
    cut_text = text[: max(1, int(len(text) * cap / estimate_tokens(text)))]
    while len(cut_text) > 1 and estimate_tokens(cut_text) > cap:
        cut_text = cut_text[:-1]
    return cut_text, "length"
