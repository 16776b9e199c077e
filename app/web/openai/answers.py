"""A deliberation in the words of OpenAI's chat completions: as a whole, in parts, and what it cost."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....nodes.clock import now
from ....state.statement import Statement
from ...saved import Saved
from .asked import Asked


@dataclass(frozen=True)
class Naming:
    """What all parts of one answer share. `at`: seconds since 1970."""

    asked: Asked
    run: str
    at: int

    @property
    def shared(self) -> dict[str, Any]:
        """The keys of each part."""
        return {"id": f"chatcmpl-{self.run}", "created": self.at, "model": self.asked.model}


def naming(asked: Asked, run: str) -> Naming:
    """The shared keys of an answer that begins now."""
    return Naming(asked, run, int(now().timestamp()))


def whole(name: Naming, saved: Saved) -> dict[str, Any]:
    """The answer of a run that has ended."""
    reasoning = "".join(reasoned(one) for one in saved.state["history"])
    message = {"role": "assistant", "content": closing(saved), "reasoning_content": reasoning, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    about = {"usage": usage(saved), "moot": told(name, saved)}
    return {**name.shared, "object": "chat.completion", "choices": [choice], **about}


def part(name: Naming, delta: dict[str, Any], finish: str | None = None, **about: Any) -> bytes:
    """One part of an answer."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return sent({**name.shared, "object": "chat.completion.chunk", "choices": [choice], **about})


def spent(name: Naming, saved: Saved) -> bytes:
    """The part that says what it cost."""
    return sent({**name.shared, "object": "chat.completion.chunk", "choices": [], "usage": usage(saved)})


def sent(told: dict[str, Any]) -> bytes:
    """An event of a stream."""
    return f"data: {json.dumps(told, ensure_ascii=False)}\n\n".encode()


def reasoned(statement: Statement) -> str:
    """A statement as reasoning."""
    return f"{statement.turn}. {statement.speaker}: {statement.content}\n\n"


def closing(saved: Saved) -> str:
    """The closing text; where there is none, how it ended. A rehearsal says first that it is one."""
    outcome, text = saved.state["outcome"], saved.state["synthesis"]
    return f"{outcome.headline}\n\n{text}".strip() if outcome.rehearsal else text or outcome.headline


def told(name: Naming, saved: Saved) -> dict[str, Any]:
    """What OpenAI has no word for: the saved run, how it ended, and settings that were sent for nothing."""
    outcome = saved.state["outcome"]
    ending = {"status": outcome.status, "reason": outcome.reason, "headline": outcome.headline}
    return {"run": name.run, **ending, "rehearsal": outcome.rehearsal, "unused": name.asked.unused}


def usage(saved: Saved) -> dict[str, Any]:
    """Tokens of every call: failed tries, judges and the closing text among them.

    Completion tokens are what was said and written, `reasoning_tokens` of them all but the closing text's.
    """
    calls = saved.state["calls"]
    input, output, cached = (_sum(calls, f"{kind}_tokens") for kind in ("input", "output", "cached"))
    closing = _sum([one for one in calls if one.purpose == "synthesis"], "output_tokens")
    return {
        "prompt_tokens": input,
        "completion_tokens": output,
        "total_tokens": input + output,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": output - closing},
    }


def _sum(calls: Sequence[Any], key: str) -> int:
    return sum(getattr(one, key) for one in calls)
