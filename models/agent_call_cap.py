"""Cap on the model calls of an agent in a seat."""

from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult


class AgentCallCap(BaseCallbackHandler):
    """Handler that counts an agent's model calls and stops the agent at the cap.

    `usages`: token counts of the finished calls.
    """

    raise_error = run_inline = True

    def __init__(self, cap: int) -> None:
        self.cap, self.count = cap, 0
        self.usages: list[Any] = []

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        """Count a call. Raises `RuntimeError` above the cap."""
        self.count += 1
        if self.count > self.cap:
            raise RuntimeError(f"more than {self.cap} model calls for one answer; see agent_calls")

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """Record the token counts of a call."""
        generation = response.generations[0][0]
        if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage):
            self.usages.append(generation.message.usage_metadata)
