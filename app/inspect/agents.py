"""The protocols as agents of inspect_ai: `moot/debate`, `moot/consensus`, `moot/panel` and the others.

All that is asked goes to the model of the evaluation, or as `openai:inspect/<its name>` to another that inspect_ai
knows, and stands in its log. Inside a sample the run is saved under a name that follows from the evaluation, the sample
and the epoch: a sample that is tried again goes on where it stood.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent, agent_bridge
from inspect_ai.log import transcript
from inspect_ai.log._samples import sample_active
from inspect_ai.model import ChatMessageAssistant, ModelOutput

from ...nodes.models.spec import BRIDGED
from ...state.refused import Refused
from ..protocols import protocol
from ..request import Request, layered
from ..saved import Saved
from .kept import kept_as
from .logs import completed

PATIENT = {"total": 86_400, "unstreamed": 86_400}
"""inspect_ai waits for a provider and asks again by its own rules; Moot does not interrupt it."""


@agent
def debate(db: str = "", **knobs: Any) -> Agent:
    """Two speakers, for and against; what the last user message says is the topic."""
    return deliberating("debate", db, knobs)


@agent
def consensus(db: str = "", **knobs: Any) -> Agent:
    """Three or more look for common ground."""
    return deliberating("consensus", db, knobs)


@agent
def discussion(db: str = "", **knobs: Any) -> Agent:
    """Models speak strictly in turn, until a cap or a rule ends it."""
    return deliberating("discussion", db, knobs)


@agent
def panel(db: str = "", **knobs: Any) -> Agent:
    """Experts read papers of the library and reach one conclusion."""
    return deliberating("panel", db, knobs)


@agent
def council(db: str = "", **knobs: Any) -> Agent:
    """Members answer blind and rank each other's answers; a chairman writes the final one."""
    return deliberating("council", db, knobs)


@agent
def jury(db: str = "", **knobs: Any) -> Agent:
    """Jurors vote in secret and discuss, until a verdict or a deadlock."""
    return deliberating("jury", db, knobs)


@agent
def delphi(db: str = "", **knobs: Any) -> Agent:
    """Experts estimate blind and revise, told the group's figures."""
    return deliberating("delphi", db, knobs)


@agent
def justice(db: str = "", **knobs: Any) -> Agent:
    """Principles of justice, chosen alone and in a group."""
    return deliberating("justice", db, knobs)


@agent
def deliberation(protocol: str, db: str = "", **knobs: Any) -> Agent:
    """Any protocol by its name, those that packages bring among them."""
    return deliberating(protocol, db, knobs)


def deliberating(name: str, db: str, knobs: Mapping[str, Any]) -> Agent:
    """The agent that deliberates by a protocol. `db`: where runs are saved; `knobs`: its knobs, and its inputs."""

    async def deliberate(state: AgentState) -> AgentState:
        """Deliberate on the last user message; what system messages say is material that everyone sees."""
        asked = _asked(name, state, knobs)
        bridged = AgentState(messages=list(state.messages))
        async with agent_bridge(bridged, forward_generation_config=True):
            saved = await kept_as(_name(asked, knobs), asked, db)
        return _told(state, saved)

    return deliberate


def _asked(name: str, state: AgentState, knobs: Mapping[str, Any]) -> Request:
    about = protocol(name).about
    said = next((one.text for one in reversed(state.messages) if one.role == "user"), "")
    background = "\n\n".join(one.text for one in state.messages if one.role == "system")
    given: dict[str, Any] = {about: said} if about else {}
    given |= {"material": background} if background and about else {}
    if name != "justice":
        given |= {"timeouts": PATIENT}
    asked = layered(protocol(name), [given | dict(knobs)])
    if people := [one.name for one in asked.input.get("participants", []) if one.kind != "model"]:
        raise Refused("participants", people, "only models take part in a sample")
    return asked.with_model(str(asked.rules.model) or f"openai:{BRIDGED}")


def _name(asked: Request, knobs: Mapping[str, Any]) -> str:
    """The name of the sample's run; empty: it is no sample's."""
    sample = sample_active()
    if sample is None:
        return ""
    place = [sample.eval_id, sample.sample.id, sample.epoch, asked.topic, dict(knobs)]
    digest = hashlib.sha256(json.dumps(place, sort_keys=True, default=str).encode()).hexdigest()
    return f"{asked.protocol.name}-inspect-{digest[:16]}"


def _told(state: AgentState, saved: Saved) -> AgentState:
    """The state with the closing text as the agent's answer, and what else came of the run beside it."""
    text, found = completion(saved), {"run": saved.run.run, "protocol": saved.run.protocol}
    outcome = saved.state["outcome"]
    found |= {"status": outcome.status, "headline": outcome.headline, "reason": outcome.reason}
    transcript().info(dict(found), source="moot")
    model = str(saved.state["rules"].model)
    state.messages.append(ChatMessageAssistant(content=text, model=model, metadata=found))
    state.output = ModelOutput.from_content(model, text)
    return state


def completion(saved: Saved) -> str:
    """The closing text, or where a protocol has none its headline; its last line is the answer, if there is one."""
    text = saved.state.get("synthesis") or saved.state["outcome"].headline
    answer = saved.state.get("answer")
    return completed(text, answer.answer if answer else "")
