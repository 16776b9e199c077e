"""Protocols as agents of inspect_ai: `moot/debate`, `moot/consensus`, `moot/panel` and the others.

All calls go to the model of the evaluation and appear in its log. A spec `openai:inspect/NAME` selects another model of
inspect_ai. Inside a sample, the name of the run follows from the evaluation, the sample and the epoch. A repeated
sample therefore resumes its run.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent, agent_bridge
from inspect_ai.log import transcript
from inspect_ai.log._samples import sample_active
from inspect_ai.model import ChatMessageAssistant, ModelOutput

from ....models.spec import BRIDGE_MODEL
from ....state.errors import InputError
from ...protocols.protocol import get_protocol
from ...run.request import RunRequest, merge_layers
from ...saved import SavedRun
from .logs import append_answer
from .named_runs import run_under_name

LONG_TIMEOUTS = {"total": 86_400, "unstreamed": 86_400}
"""Timeouts of a day, in seconds. inspect_ai waits and retries by its own rules."""


@agent
def debate(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of a debate between two speakers. The last user message is the topic."""
    return make_agent("debate", db, knobs)


@agent
def consensus(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of a consensus dialogue among three or more."""
    return make_agent("consensus", db, knobs)


@agent
def discussion(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of a discussion, in which models speak strictly in turn."""
    return make_agent("discussion", db, knobs)


@agent
def panel(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of a panel of experts, who read papers of the library and reach one conclusion."""
    return make_agent("panel", db, knobs)


@agent
def council(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of a council, whose members answer blind and rank each other's answers.

    A chairman writes the final answer.
    """
    return make_agent("council", db, knobs)


@agent
def jury(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of a jury, which votes in secret and discusses until a verdict or a deadlock."""
    return make_agent("jury", db, knobs)


@agent
def delphi(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of a Delphi, whose experts estimate blind and revise by the group's figures."""
    return make_agent("delphi", db, knobs)


@agent
def justice(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of a justice experiment, in which models choose principles alone and in a group."""
    return make_agent("justice", db, knobs)


@agent
def deliberation(protocol: str, db: str = "", **knobs: Any) -> Agent:
    """Make the agent of any protocol by its name, including protocols of packages."""
    return make_agent(protocol, db, knobs)


def make_agent(name: str, db: str, values: Mapping[str, Any]) -> Agent:
    """Make an agent that deliberates with a protocol.

    `db`: database of its runs. `values`: settings and inputs of the protocol.
    """

    async def deliberate(state: AgentState) -> AgentState:
        """Deliberate on the last user message. System messages become material for everyone."""
        request = _build_request(name, state, values)
        bridge_state = AgentState(messages=list(state.messages))
        async with agent_bridge(bridge_state, forward_generation_config=True):
            saved_run = await run_under_name(_make_run_name(request, values), request, db)
        return _add_answer(state, saved_run)

    return deliberate


def _build_request(name: str, state: AgentState, values: Mapping[str, Any]) -> RunRequest:
    topic_key = get_protocol(name).topic_key
    topic = next((message.text for message in reversed(state.messages) if message.role == "user"), "")
    background = "\n\n".join(message.text for message in state.messages if message.role == "system")
    layer: dict[str, Any] = {topic_key: topic} if topic_key else {}
    layer |= {"material": background} if background and topic_key else {}
    if name != "justice":
        layer |= {"timeouts": LONG_TIMEOUTS}
    request = merge_layers(get_protocol(name), [layer | dict(values)])
    if external_names := [
        participant.name for participant in request.input.get("participants", []) if participant.kind != "model"
    ]:
        raise InputError("participants", external_names, "only models take part in a sample")
    return request.with_model(str(request.settings.model) or f"openai:{BRIDGE_MODEL}")


def _make_run_name(request: RunRequest, values: Mapping[str, Any]) -> str:
    """Return the name of the sample's run, or an empty text outside a sample."""
    sample = sample_active()
    if sample is None:
        return ""
    identity = [sample.eval_id, sample.sample.id, sample.epoch, request.topic, dict(values)]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()
    return f"{request.protocol.name}-inspect-{digest[:16]}"


def _add_answer(state: AgentState, saved_run: SavedRun) -> AgentState:
    """Add the completion to the agent's state, with the outcome of the run as metadata."""
    text, metadata = get_completion(saved_run), {"run": saved_run.run.run, "protocol": saved_run.run.protocol}
    outcome = saved_run.state["outcome"]
    metadata |= {"status": outcome.status, "headline": outcome.headline, "reason": outcome.reason}
    transcript().info(dict(metadata), source="moot")
    model = str(saved_run.state["settings"].model)
    state.messages.append(ChatMessageAssistant(content=text, model=model, metadata=metadata))
    state.output = ModelOutput.from_content(model, text)
    return state


def get_completion(saved_run: SavedRun) -> str:
    """Return the synthesis, or the headline without a synthesis. The run's answer is the last line."""
    text = saved_run.state.get("synthesis") or saved_run.state["outcome"].headline
    answer = saved_run.state.get("answer")
    return append_answer(text, answer.answer if answer else "")
