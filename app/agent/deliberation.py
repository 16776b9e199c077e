"""Deliberation as a LangChain Runnable: alone, as a graph node, as an agent's tool, or as a handoff."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Generic, cast, overload

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig, RunnableLambda, RunnableSequence
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, ToolException
from langgraph.prebuilt import InjectedState
from langgraph.types import Command

from ...graphs.form_graph import add_form
from ...models import RunStoppedError, check_spec
from ...state import InputError, check_budget, clip_text
from ..protocols.registry import get_protocol
from ..run.request import build_client_request
from .response_form import make_form, parse_filled_form
from .result import Result, T, build_result

FORM_CALLS = 1
QUESTION_LIMIT = 4000
"""Maximum characters of a topic."""
NAME_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,50}")


class Deliberation(RunnableSequence[Any, dict[str, Any]], Generic[T]):
    """Protocol bound to its settings, as a Runnable.

    The input is a text or messages. The output has `messages` with the synthesis, `structured_response`, and the
    `Result` as `deliberation`.
    """

    def run(self, question: Any, config: RunnableConfig | None = None) -> Result[T]:
        """Deliberate on a question, which is a text or messages, and return the result."""
        return cast(Result[T], self.invoke(question, config)["deliberation"])

    async def arun(self, question: Any, config: RunnableConfig | None = None) -> Result[T]:
        """Deliberate on a question, which is a text or messages, and return the result."""
        return cast(Result[T], (await self.ainvoke(question, config))["deliberation"])

    def as_tool(
        self, args_schema: Any = None, *, name: str | None = None, description: str | None = None, **_: Any
    ) -> BaseTool:
        """Return a tool for an agent. A call returns the `Result` as artifact and its text as content.

        `args_schema`, `name`, `description`: arguments, name and description of the tool; by default, those of the
        protocol.
        """

        def deliberate(question: str, config: RunnableConfig, background: str = "") -> tuple[str, Result[T]]:
            result = self.run(make_messages(question, background), config)
            return result.text, result

        async def deliberate_async(
            question: str, config: RunnableConfig, background: str = ""
        ) -> tuple[str, Result[T]]:
            result = await self.arun(make_messages(question, background), config)
            return result.text, result

        return StructuredTool.from_function(
            deliberate,
            deliberate_async,
            name=name or self.get_name(),
            description=description or describe_tool(self.get_name()),
            args_schema=args_schema,
            response_format="content_and_artifact",
            handle_tool_error=True,
        )

    def as_handoff(self, description: str = "") -> BaseTool:
        """Return the tool `transfer_to_NAME`, which sends the outer graph to the node NAME.

        NAME is the name of the deliberation. `description`: description of the tool.
        """
        node = self.get_name()

        def transfer(
            messages: Annotated[list[AnyMessage], InjectedState("messages")],
            tool_call_id: Annotated[str, InjectedToolCallId],
        ) -> Command[Any]:
            return Command(
                goto=node,
                graph=Command.PARENT,
                update={"messages": [*messages, ToolMessage(f"Transferred to {node}.", tool_call_id=tool_call_id)]},
            )

        return StructuredTool.from_function(
            transfer, name=f"transfer_to_{node}", description=description or describe_tool(node)
        )


def make_messages(question: str, background: str) -> list[AnyMessage]:
    """Make the messages of a tool call, from a question and the material for everyone.

    Raises `ToolException` for an empty question.
    """
    if not question.strip():
        raise ToolException("question is empty")
    return [*([HumanMessage(background)] if background.strip() else []), HumanMessage(question)]


def describe_tool(name: str) -> str:
    """Return the tool description of a deliberation, for the model that may call it.

    `name`: name of the protocol.
    """
    return f"Let a group of models deliberate ({name}) on a question and return its conclusion."


@overload
def agent(protocol: str, *, response_format: type[T], name: str = "", **settings: Any) -> Deliberation[T]: ...


@overload
def agent(
    protocol: str, *, response_format: Mapping[str, Any] | None = None, name: str = "", **settings: Any
) -> Deliberation[Any]: ...


def agent(protocol: str, *, response_format: Any = None, name: str = "", **settings: Any) -> Deliberation[Any]:
    """Bind a protocol to its settings and inputs, such as `participants`.

    `response_format`: pydantic model, TypedDict or JSON schema of the answer, which costs one additional call. `name`:
    name of the node and the tool; default: the protocol's. Raises `InputError` for unusable settings at once, before
    any run.
    """
    entry = get_protocol(protocol)
    if not entry.topic_key:
        raise InputError("protocol", protocol, "this protocol takes no question; run its graph instead")
    if not NAME_PATTERN.fullmatch(name or entry.name):
        raise InputError("name", name, "give up to 50 of the characters A-Z, a-z, 0-9, _ and -")
    material = str(settings.pop("material", None) or "")
    request = build_client_request(entry, {**settings, entry.topic_key: "?"})
    fixed_input = {key: value for key, value in request.input.items() if key != entry.topic_key}
    form, builder, bound_settings = (
        response_format and make_form(response_format),
        entry.build_graph(),
        request.settings,
    )
    for spec in [bound_settings.model, *bound_settings.models.values(), *(seat.model for seat in request.named_seats)]:
        if isinstance(spec, str) and spec and not bound_settings.replay:
            check_spec(spec, needs_key=False)  # the key may be set later
    if form:
        budget = bound_settings.budget
        if budget.calls is not None:  # one call is reserved for the form
            budget = budget.model_copy(update={"calls": max(1, budget.calls - FORM_CALLS)})
            bound_settings = bound_settings.model_copy(update={"budget": budget})
            check_budget(bound_settings)
        add_form(builder, form, entry.module.TEMPLATES, FORM_CALLS)
    graph = builder.compile(name=entry.name)
    graph.bound_settings = bound_settings
    graph.stream_mode = "values"  # a stream of the deliberation then ends with the whole state
    if form:
        graph.output_channels = [*graph.output_channels, "filled_form"]

    def build_input(input: Any) -> dict[str, Any]:
        topic, background = parse_question(input)
        texts = [text for text in (material, background) if text.strip()]
        return {**fixed_input, entry.topic_key: topic} | ({"material": "\n\n".join(texts)} if texts else {})

    def write_answer(state: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
        if state.get("outcome") is None:
            remedy = "make the deliberation a node of a graph with a checkpointer"
            raise RunStoppedError(f"{entry.name}: a tool waits for your approval, so the run must be saved; {remedy}")
        result = build_result(
            state,
            run=str(config.get("configurable", {}).get("thread_id", "")),
            answer=parse_filled_form(form, state.get("filled_form")) if form else None,
        )
        return {
            "messages": [AIMessage(result.text, name=name or entry.name, usage_metadata=result.usage)],
            "structured_response": result.answer,
            "deliberation": result,
        }

    return Deliberation[Any](
        first=RunnableLambda(build_input),
        middle=[graph],
        last=RunnableLambda(write_answer),
        name=name or entry.name,
    )


def parse_question(input: Any) -> tuple[str, str]:
    """Return topic and material of a text, a message, a list of messages, or a mapping with `messages`.

    The last human message is the topic. Earlier messages are material. If the topic is longer than `QUESTION_LIMIT`
    characters, its first line becomes the topic, and its full text becomes material too. Raises `InputError` if there
    is no question.
    """
    if isinstance(input, Mapping):
        input = input.get("messages")
    if isinstance(input, str):
        input = [HumanMessage(input)]
    try:
        messages = convert_to_messages([input] if isinstance(input, BaseMessage) else input)
    except (TypeError, ValueError, NotImplementedError):
        raise InputError("input", input, "give a text, messages, or a mapping with messages") from None
    question_indexes = [index for index, message in enumerate(messages) if isinstance(message, HumanMessage)]
    question = messages[question_indexes[-1]].text.strip() if question_indexes else ""
    if not question:
        raise InputError(
            "messages", [message.type for message in messages], "end with a human message that asks something"
        )
    roles = {HumanMessage: "user", AIMessage: "assistant"}
    material = [
        f"{roles[type(message)]}: {message.text}"
        for message in messages[: question_indexes[-1]]
        if type(message) in roles and message.text.strip()
    ]
    if len(question) > QUESTION_LIMIT:
        material.append(question)
        question = clip_text(question.splitlines()[0], QUESTION_LIMIT)
    return question, "\n\n".join(material)
