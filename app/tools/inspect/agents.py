"""Protocols as agents of inspect_ai: `moot/debate`, `moot/consensus`, `moot/panel` and the others.

All calls go to the model of the evaluation and appear in its log. A model name `openai:inspect/NAME` selects another
model of inspect_ai. In a sample, the name of the run is derived from evaluation, sample and epoch. So a repeated sample
resumes its run.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent, agent_bridge
from inspect_ai.log import transcript
from inspect_ai.log._samples import sample_active
from inspect_ai.model import ChatMessageAssistant, ModelOutput
from inspect_ai.util import span

from ....models import BRIDGE_MODEL
from ....state import InputError, Statement
from ...display import RunEvent, StatementAdded, Watcher
from ...protocols.registry import PROTOCOLS, get_protocol
from ...run import merge_layers, parse_client_seats, run_and_save, with_default_model
from ...saved import SavedRun
from .logs import append_answer


def make_message(statement: Statement) -> ChatMessageAssistant:
    """Return a statement as a message of inspect_ai."""
    return ChatMessageAssistant(
        content=statement.content, metadata={"speaker": statement.speaker, "turn": statement.turn}
    )


class MessageWatcher(Watcher):
    """Receiver that adds each statement to a sample's messages, in a span of its speaker.

    A limit of the sample then applies to statements, and all statements before the limit stay in the sample.
    """

    def __init__(self, state: AgentState) -> None:
        super().__init__()
        self._state = state

    async def show_event(self, event: RunEvent) -> None:
        if isinstance(event, StatementAdded):
            statement = event.statement
            async with span(statement.speaker, type="agent"):
                transcript().info({"turn": statement.turn, "content": statement.content}, source="moot")
                self._state.messages.append(make_message(statement))


def make_agent(name: str, db: str, values: Mapping[str, Any]) -> Agent:
    """Make the inspect_ai agent that runs the protocol `name`.

    `db`: database of its runs. `values`: settings and inputs of the protocol.
    """

    async def deliberate(state: AgentState) -> AgentState:
        """Run the protocol with the last user message as the topic. System messages become material."""
        protocol = get_protocol(name)
        topic = next((message.text for message in reversed(state.messages) if message.role == "user"), "")
        background = "\n\n".join(message.text for message in state.messages if message.role == "system")
        layer: dict[str, Any] = {protocol.topic_key: topic} if protocol.topic_key else {}
        layer |= {"material": background} if background and protocol.topic_key else {}
        # a day, in seconds: inspect_ai waits and retries by its own rules
        if "timeouts.total" not in protocol.graph.context_schema.unused_settings:
            layer |= {"timeouts": {"total": 86_400, "whole_reply": 86_400}}
        layer |= dict(values)
        if seat_texts := [seat for seat in layer.get("participants") or [] if isinstance(seat, str)]:
            seats = parse_client_seats(protocol, seat_texts, "participants", '["Ada", "Ben=openai:inspect/other"]')
            layer["participants"] = [seats.pop(0) if isinstance(seat, str) else seat for seat in layer["participants"]]
        request = merge_layers(protocol, [layer])
        if external_names := [seat.name for seat in request.named_seats if seat.kind != "model"]:
            raise InputError(
                "participants", external_names, "only models can take part in a sample; leave out people and programs"
            )
        request = await with_default_model(request, f"openai:{BRIDGE_MODEL}")
        run_name = ""  # outside a sample the run gets a new name
        if sample := sample_active():
            identity = [sample.eval_id, sample.sample.id, sample.epoch, request.topic, dict(values)]
            digest = hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()
            run_name = f"{name}-inspect-{digest[:16]}"
            transcript().info({"run": run_name, "protocol": name}, source="moot")
        chat = list(state.messages)
        async with agent_bridge(AgentState(messages=chat), forward_generation_config=True):
            saved_run = await run_and_save(request, db, run_name, MessageWatcher(state))
        if saved_run.state["history"]:  # a resumed run has statements from before
            state.messages = [*chat, *map(make_message, saved_run.state["history"])]
        text, outcome = get_completion(saved_run), saved_run.state["outcome"]
        metadata = {"run": saved_run.run.run, "protocol": name, "status": outcome.status}
        metadata |= {"headline": outcome.headline, "reason": outcome.reason}
        transcript().info(dict(metadata), source="moot")
        model = str(saved_run.state["settings"].model)
        state.messages.append(ChatMessageAssistant(content=text, model=model, metadata=metadata))
        state.output = ModelOutput.from_content(model, text)
        return state

    return deliberate


def define_agent(name: str) -> Callable[..., Agent]:
    """Define the agent `moot/NAME` of a protocol for `inspect eval`.

    The last user message is the topic.
    """

    @agent(name=name)
    def protocol_agent(db: str = "", **settings: Any) -> Agent:
        return make_agent(name, db, settings)

    protocol_agent.__doc__ = PROTOCOLS[name].line
    return protocol_agent


debate, consensus, discussion, panel = map(define_agent, ("debate", "consensus", "discussion", "panel"))
council, jury, delphi, justice = map(define_agent, ("council", "jury", "delphi", "justice"))


@agent
def deliberation(protocol: str, db: str = "", **settings: Any) -> Agent:
    """Make the agent of any protocol by its name, including protocols of packages.

    `db`: database of its runs. `settings`: settings and inputs of the protocol.
    """
    return make_agent(protocol, db, settings)


def get_completion(saved_run: SavedRun) -> str:
    """Return the synthesis or, without one, the headline, with the run's answer as the last line."""
    text = saved_run.state.get("synthesis") or saved_run.state["outcome"].headline
    answer = saved_run.state.get("answer")
    return append_answer(text, answer.answer if answer else "")
