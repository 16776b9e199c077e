"""Cap on the model calls of an agent in a seat."""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult


class AgentCallCap(BaseCallbackHandler):
    """Handler that counts an agent's model calls and stops the agent at the cap.

    `count`: calls that this process sent. `usages`: token counts of the finished ones; `None` if unknown. `has_lost`:
    whether a lost request already counts the calls that an earlier process sent for the same answer.
    """

    raise_error = run_inline = True

    def __init__(self, cap: int, has_lost: bool = False) -> None:
        self.cap, self.has_lost, self.count = cap, has_lost, 0
        self.usages: list[Any] = []

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        """Count a call. Raises `RuntimeError` above the cap."""
        if self.count >= self.cap:
            raise RuntimeError(f"more than {self.cap} model calls for one answer; see agent_calls")
        self.count += 1

    on_llm_start = on_chat_model_start

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """Record the token counts of a call."""
        generation = response.generations[0][0]
        message = generation.message if isinstance(generation, ChatGeneration) else None
        self.usages.append(message.usage_metadata if isinstance(message, AIMessage) else None)

    def list_usages(self, message_usages: Sequence[Any]) -> list[Any]:
        """List the token counts of an answer's calls: those of its messages, or the recorded ones if higher.

        Unfinished calls come first, then calls whose tokens count elsewhere, as an empty mapping.
        """
        is_more = _measure_usages(self.usages) > _measure_usages(message_usages)
        usages = self.usages if self.usages and (self.has_lost or is_more) else message_usages
        elsewhere_count = max(len(self.usages), len(message_usages)) - len(usages)
        return [*[None] * (self.count - len(self.usages)), *[{}] * elsewhere_count, *usages]


def _measure_usages(usages: Sequence[Any]) -> tuple[int, int]:
    return sum(usage["total_tokens"] for usage in usages if usage), len(usages)
