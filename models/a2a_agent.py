"""Agents of other programs, asked by the Agent2Agent protocol (A2A). Needs the extra `a2a`.

A question becomes a task on the agent's server. The context id of the task identifies the question, so that a run
resumed after a crash finds the task that was already sent.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Any

import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, get_message_text, new_text_message
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import A2AError
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.func import entrypoint, task
from langgraph.pregel import Pregel

from ..state import QUESTION_KEY, parse_origin
from .answer_size_limit import ENCODING_HEADERS, limit_answer
from .api_keys import NO_KEY
from .error_classification import extract_message, find_call_failure
from .failures import CallFailure, FailedAttemptError, RunStoppedError
from .http_clients import make_http_client
from .model_spec import CONNECT_SECONDS, parse_spec
from .operator_policy import get_server_key

POLL_SECONDS, CANCEL_SECONDS = 1.0, 5.0
"""Seconds between two looks at a task that is not streamed, and maximum seconds to cancel one."""
OPEN_STATES = (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING)
"""States of a task whose agent is still working."""
KEPT_STATES = (*OPEN_STATES, TaskState.TASK_STATE_AUTH_REQUIRED, TaskState.TASK_STATE_COMPLETED)
"""States of a task that a resumed run follows instead of sending its question again."""


class StatusError(httpx.HTTPError):
    """Error for an HTTP response that is no answer, such as a redirect, which Moot does not follow."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(f"{response.status_code} {response.reason_phrase}")
        self.response, self.status_code = response, response.status_code


async def check_status(response: httpx.Response) -> None:
    """Check that an HTTP response is an answer.

    Raises `FailedAttemptError` for status 303, and for status 401 without a key; `StatusError` for all other faults.
    """
    has_key = "authorization" in response.request.headers
    remedies = {
        303: "there is no agent at this address; Moot serves agents at /a2a/NAME",
        401: "" if has_key else "the agent needs a key; name the variable that holds it: a2a:URL#NAME_API_KEY",
    }
    if remedy := remedies.get(response.status_code):
        fault = f"{response.status_code} {response.reason_phrase}; {remedy}"
        raise FailedAttemptError(CallFailure("refused", fault, is_fatal=True))
    if not response.is_success:
        raise StatusError(response)


@cache
def make_remote_agent(spec: str) -> Pregel[Any, Any, Any, Any]:
    """Make the agent that asks the other program which `spec` names.

    The agent sends its question, saves the id of the task, and follows the task to its end. It raises
    `FailedAttemptError`, or `RunStoppedError` if its server asks for a login.
    """

    @task
    async def send_question(text: str, question: str) -> dict[str, str]:
        """Send `text` to the agent. Return the id of the new task or, from an agent without tasks, the answer.

        `question`: context id that identifies the question.
        """
        async with connect_agent(spec) as client:
            for sent_task in await list_tasks(client, question):
                if sent_task.status.state in KEPT_STATES:
                    return {"task": sent_task.id}
            message = new_text_message(text, context_id=question, role=Role.ROLE_USER)
            reply = await anext(aiter(client.send_message(SendMessageRequest(message=message))))
            return {"task": reply.task.id} if reply.HasField("task") else {"text": get_message_text(reply.message)}

    @task
    async def follow_task(task_id: str) -> AIMessage:
        async with connect_agent(spec, streaming=True) as client:
            remote_task = await wait_for_end(client, task_id)
            if remote_task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:  # nobody will answer it
                await cancel_tasks(client, [task_id])
        return extract_answer(spec, remote_task)

    @entrypoint()
    async def ask(input: dict[str, Any], config: RunnableConfig) -> AIMessage:
        question, sent_reply = config["metadata"][QUESTION_KEY], dict[str, str]()
        try:
            sent_reply = await send_question(input["messages"][-1].text, question)
            return await follow_task(sent_reply["task"]) if "task" in sent_reply else AIMessage(sent_reply["text"])
        except asyncio.CancelledError:
            with suppress(A2AError, httpx.HTTPError, TimeoutError):
                async with asyncio.timeout(CANCEL_SECONDS), connect_agent(spec) as client:
                    sent_ids = [sent_task.id for sent_task in await list_tasks(client, question)]
                    await cancel_tasks(client, [sent_reply["task"]] if sent_reply else sent_ids)
            raise
        except (A2AError, httpx.HTTPError) as error:
            if failure := find_call_failure(error, has_succeeded=bool(sent_reply)):
                raise FailedAttemptError(failure) from None
            raise

    return ask


@asynccontextmanager
async def connect_agent(spec: str, *, streaming: bool = False) -> AsyncIterator[Client]:
    """Connect to the agent of `spec` by its agent card. The key goes to no other origin.

    `streaming`: whether to follow tasks; otherwise a sent message returns at once. Raises `FailedAttemptError` if the
    card names no address of this origin.
    """
    url, key = parse_spec(spec).base_url, get_server_key(spec)
    async with make_http_client(
        timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
        event_hooks={"response": [limit_answer, check_status]},
        headers=ENCODING_HEADERS | ({} if key == NO_KEY else {"authorization": f"Bearer {key}"}),
    ) as http_client:
        card = await A2ACardResolver(http_client, url).get_agent_card()
        interfaces = [interface for interface in card.supported_interfaces if interface.protocol_binding == "JSONRPC"]
        own_interfaces = [interface for interface in interfaces if parse_origin(interface.url) == parse_origin(url)]
        if not own_interfaces:
            addresses = ", ".join(interface.url for interface in interfaces) or "no address for JSON-RPC"
            fault = extract_message(A2AError(f"its agent card names {addresses}; use that address"))
            raise FailedAttemptError(CallFailure("refused", fault, is_fatal=True))
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(own_interfaces)
        config = ClientConfig(streaming=streaming, polling=not streaming, httpx_client=http_client)
        yield ClientFactory(config).create(card)


async def list_tasks(client: Client, question: str) -> list[Task]:
    """Return the tasks already sent for a question, newest first; empty if the server cannot list them.

    Some servers list the tasks of other questions too.
    """
    with suppress(A2AError, NotImplementedError):
        listed_tasks = (await client.list_tasks(ListTasksRequest(context_id=question))).tasks
        return [sent_task for sent_task in listed_tasks if sent_task.context_id == question]
    return []


async def cancel_tasks(client: Client, task_ids: Sequence[str]) -> None:
    """Cancel tasks on the agent's server. Errors are ignored."""
    for task_id in task_ids:
        with suppress(A2AError, httpx.HTTPError):
            await client.cancel_task(CancelTaskRequest(id=task_id))


async def wait_for_end(client: Client, task_id: str) -> Task:
    """Wait until the agent no longer works on a task, and return the task."""
    while True:
        with suppress(A2AError, httpx.HTTPError, NotImplementedError):  # it is over, or is not streamed
            async for event in client.subscribe(SubscribeToTaskRequest(id=task_id)):
                status = event.status_update.status if event.HasField("status_update") else event.task.status
                if status.state not in (TaskState.TASK_STATE_UNSPECIFIED, *OPEN_STATES):
                    break
        remote_task = await client.get_task(GetTaskRequest(id=task_id, history_length=1))
        if remote_task.status.state not in OPEN_STATES:
            return remote_task
        await asyncio.sleep(POLL_SECONDS)


def extract_answer(spec: str, remote_task: Task) -> AIMessage:
    """Return the answer of a task: its artifacts or, without any, its last message.

    Raises `FailedAttemptError` for a task without an answer, and `RunStoppedError` if the task requires a login.
    """
    state, message = remote_task.status.state, get_message_text(remote_task.status.message)
    if state == TaskState.TASK_STATE_COMPLETED:
        history = [get_message_text(entry) for entry in remote_task.history if entry.role == Role.ROLE_AGENT]
        artifacts = [get_artifact_text(artifact) for artifact in remote_task.artifacts]
        return AIMessage("\n\n".join(filter(None, artifacts)) or message or "".join(history[-1:]))
    fault = extract_message(A2AError(message or "the agent gave no reason"))
    if state == TaskState.TASK_STATE_AUTH_REQUIRED:
        remedy = "log in there, and resume the run"
        raise RunStoppedError(f"model = {spec}: the agent's task {remote_task.id} requires a login: {fault}; {remedy}")
    if state == TaskState.TASK_STATE_INPUT_REQUIRED:
        raise FailedAttemptError(CallFailure("asks_back", fault, phrase_key="asks_back"))
    name = TaskState.Name(state).removeprefix("TASK_STATE_").lower()
    raise FailedAttemptError(CallFailure("agent_failed", f"{name}: {fault}", phrase_key="agent_failed"))
