"""From a prompt to a reply: which kind is asked for, and what it costs."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage, ToolCall
from langchain_core.messages.ai import UsageMetadata
from pydantic import BaseModel

from . import group_summary, justice, panel
from .form.choice import ordered
from .form.meaning import decides
from .form.schema import Form
from .prompt import read_prompt, schema_in
from .scene import Scene, set_scene
from .speech import speak
from .verdict import verdict
from .views import lesson, position, remembered, thinking

_OPTION = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Reply:
    """What the model answers."""

    text: str
    usage: UsageMetadata
    tool_calls: list[ToolCall] = field(default_factory=list)
    finish: str = "stop"

    @property
    def metadata(self) -> dict[str, Any]:
        """As endpoints report it."""
        return {"model_name": "rehearsal", "finish_reason": self.finish}


Loose = Mapping[str, Any]


def reply(seed: int, messages: Sequence[BaseMessage], metadata: Loose, settings: Loose) -> Reply:
    """The reply to a prompt: a tool call or an instance where a schema is given, else text within `max_tokens`."""
    prompt = read_prompt(messages, metadata)
    scene = set_scene(seed, prompt)
    spent = sum(tokens(message.text) for message in messages)
    if tool := _demanded(settings):
        arguments = Form(scene, tool.get("parameters", {})).fill(tool.get("parameters", {}))
        call = ToolCall(name=tool["name"], args=arguments, id=f"call_{prompt.turn}_{tool['name']}", type="tool_call")
        return Reply("", _usage(spent, tokens(json.dumps(arguments))), [call], "tool_calls")
    schema = _schema(settings) or schema_in(prompt.task)
    if schema is not None:
        written = json.dumps(Form(scene, schema).fill(schema), ensure_ascii=False)
        return Reply(written, _usage(spent, tokens(written)))
    cap = settings.get("max_tokens") or settings.get("max_completion_tokens")
    said, finish = _capped(say(scene), cap)
    return Reply(said, _usage(spent, tokens(said)), finish=finish)


def say(scene: Scene) -> str:
    """The text that the purpose of the call asks for."""
    match scene.prompt.purpose:
        case "synthesis" | "conclusion" as asked:
            on_papers = asked == "conclusion" or scene.prompt.papers
            return panel.conclusion(scene) if on_papers else group_summary.synthesis(scene)
        case "summary":
            return group_summary.summary(scene)
        case "memory":
            about_rules = justice.concerns_justice(scene)
            return remembered(scene, justice.lesson(scene) if about_rules else lesson(scene))
        case "reasoning":
            return justice.thought(scene) if justice.concerns_justice(scene) else thinking(scene)
        case "judgement":
            return verdict(scene).reason
        case "position":
            return position(scene, scene.prompt.me)
        case "comprehension":
            return justice.understood(scene.prompt.task)
        case "initiation" | "confirmation" | "ballot" | "amount" | "ranking" | "choice" | "explanation" as asked:
            return justice.plain_answer(scene) if justice.concerns_justice(scene) else _voted(scene, asked)
        case _:
            return _statement(scene)


def _statement(scene: Scene) -> str:
    if scene.prompt.papers:
        return panel.speak_on_panel(scene)
    if justice.concerns_justice(scene):
        return justice.speak_of_principles(scene)
    known = scene.prompt.people or scene.prompt.heard
    return speak(scene) if known else scene.stock.line("answers", "greeting")


def _voted(scene: Scene, asked: str) -> str:
    """A vote in text: one of the options listed in the task, or 1 for yes and 0 for no."""
    options = _OPTION.findall(scene.prompt.task)
    if asked in ("initiation", "confirmation") or not options:
        return str(int(decides(scene, asked, asked)))
    preferred = [str(one) for one in ordered(scene, asked, options, asked)]
    return "\n".join(preferred) if asked == "ranking" else preferred[0]


def _demanded(settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """The tool that has to be called, if one has to be."""
    tools = [one.get("function", one) for one in settings.get("tools") or []]
    choice = settings.get("tool_choice")
    if isinstance(choice, Mapping):
        choice = choice.get("function", choice).get("name")
    if not tools or choice in (None, False, "auto", "none"):
        return None
    demanded: dict[str, Any] = next((tool for tool in tools if tool.get("name") == choice), tools[0])
    return demanded


def _schema(settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema of a bound response format; any object will do for `json_object`."""
    wanted = settings.get("response_format")
    if isinstance(wanted, type) and issubclass(wanted, BaseModel):
        named: dict[str, Any] = wanted.model_json_schema()
        return named
    if not isinstance(wanted, Mapping) or wanted.get("type") == "text":
        return None
    inner = wanted.get("json_schema", wanted)
    schema = inner.get("schema", inner)
    plain: dict[str, Any] = {"type": "object", "properties": {"answer": {"type": "string"}}}
    return plain if wanted.get("type") == "json_object" or not isinstance(schema, Mapping) else dict(schema)


def tokens(text: str) -> int:
    """About how many tokens a text has: a quarter of its letters, and four fifths of its ideographs."""
    if text.isascii():
        return -(-len(text) // 4)
    wide = (len(text.encode("utf-8", "replace")) - len(text)) // 2
    return -(-(len(text) - wide) // 4) + -(-wide * 4 // 5)


def _usage(spent: int, made: int) -> UsageMetadata:
    return UsageMetadata(input_tokens=spent, output_tokens=made, total_tokens=spent + made)


def _capped(said: str, cap: int | None) -> tuple[str, str]:
    """`said` within a cap on tokens; cut where it does not fit, as an endpoint would."""
    if not cap or tokens(said) <= cap:
        return said, "stop"
    cut = said[: max(1, int(len(said) * cap / tokens(said)))]
    while len(cut) > 1 and tokens(cut) > cap:
        cut = cut[:-1]
    return cut, "length"
