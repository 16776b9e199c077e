"""Protocols as agents of inspect_ai: `moot/debate`, `moot/consensus`, `moot/panel` and the others.

All calls go to the model of the evaluation, or as `openai:inspect/<its name>` to another that inspect_ai knows, and
stand in its log. Inside a sample the run's name follows from the evaluation, the sample and the epoch. A repeated
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
from .named_runs import run_named

LONG_TIMEOUTS = {"total": 86_400, "unstreamed": 86_400}
"""Timeouts of a day, in seconds. inspect_ai waits and retries by its own rules."""


@agent
def debate(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of two speakers, for and against. The last user message is the topic."""
    return make_agent("debate", db, knobs)


@agent
def consensus(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of three or more who look for common ground."""
    return make_agent("consensus", db, knobs)


@agent
def discussion(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of models that speak strictly in turn, until a cap or a rule ends it."""
    return make_agent("discussion", db, knobs)


@agent
def panel(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of experts who read papers of the library and reach one conclusion."""
    return make_agent("panel", db, knobs)


@agent
def council(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of members who answer blind and rank each other's answers.

    A chairman writes the final answer.
    """
    return make_agent("council", db, knobs)


@agent
def jury(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of jurors who vote in secret and discuss, until a verdict or a deadlock."""
    return make_agent("jury", db, knobs)


@agent
def delphi(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of experts who estimate blind and revise by the group's figures."""
    return make_agent("delphi", db, knobs)


@agent
def justice(db: str = "", **knobs: Any) -> Agent:
    """Make the agent of principles of justice, chosen alone and in a group."""
    return make_agent("justice", db, knobs)


@agent
def deliberation(protocol: str, db: str = "", **knobs: Any) -> Agent:
    """Make the agent of any protocol by its name, including those of packages."""
    return make_agent(protocol, db, knobs)


def make_agent(name: str, db: str, values: Mapping[str, Any]) -> Agent:
    """Make the agent that deliberates by a protocol.

    `db`: database of its runs; `values`: settings and inputs of the protocol.
    """

    async def deliberate(state: AgentState) -> AgentState:
        """Deliberate on the last user message; what system messages say is material that everyone sees."""
        request = _build_request(name, state, values)
        bridge_state = AgentState(messages=list(state.messages))
        async with agent_bridge(bridge_state, forward_generation_config=True):
            saved = await run_named(_make_run_name(request, values), request, db)
        return _add_answer(state, saved)

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


def _add_answer(state: AgentState, saved: SavedRun) -> AgentState:
    """Return the state with the synthesis as the agent's answer, and the outcome of the run as metadata."""
    text, metadata = get_completion(saved), {"run": saved.run.run, "protocol": saved.run.protocol}
    outcome = saved.state["outcome"]
    metadata |= {"status": outcome.status, "headline": outcome.headline, "reason": outcome.reason}
    transcript().info(dict(metadata), source="moot")
    model = str(saved.state["settings"].model)
    state.messages.append(ChatMessageAssistant(content=text, model=model, metadata=metadata))
    state.output = ModelOutput.from_content(model, text)
    return state


def get_completion(saved: SavedRun) -> str:
    """Return the synthesis, or the headline without one, with the answer as its last line if there is one."""
    text = saved.state.get("synthesis") or saved.state["outcome"].headline
    answer = saved.state.get("answer")
    return append_answer(text, answer.answer if answer else "")
