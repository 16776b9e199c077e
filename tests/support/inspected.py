"""Evaluations by inspect_ai with its mock model, in a process of their own: prints what their logs hold, as JSON.

`python inspected.py JOBS`: a list of objects, one for each evaluation. Each has one sample, whose target is Lyon. Keys:
`solver`, `arguments`; `breaks_at`: the number of the request at which the model breaks down, once; `epochs`: how often
the sample is put; `message_limit`: that of the sample.
"""

import json
import sys
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import SolverSpec
from inspect_ai.tool import ToolChoice, ToolInfo


def saying(name: str, asked: list[dict[str, Any]], breaks_at: int) -> Any:
    """A model that says who it is, and breaks down once at the answer of this number; notes what it is asked."""

    def reply(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        content = messages[-1].text
        asked.append(
            {"model": name, "told": content, "max_tokens": config.max_tokens, "temperature": config.temperature}
        )
        if len(asked) == breaks_at:
            raise RuntimeError("the provider broke down")
        text = f"{name} says for the {len(asked)}th time that Lyon it is, and has its reasons."
        if '"confidence"' in content or '"choice"' in content:
            text = json.dumps({"stance": "for", "choice": "A", "answer": "A", "confidence": 80, "reason": "Lyon."})
        output = ModelOutput.from_content(name, text)
        output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output

    return reply


def evaluate_job(
    solver: str, arguments: dict[str, Any], breaks_at: int = 0, epochs: int = 1, message_limit: int | None = None
) -> dict[str, Any]:
    """Return what the log of one evaluation holds."""
    asked: list[dict[str, Any]] = []
    first = get_model("mockllm/first", custom_outputs=saying("first", asked, breaks_at), memoize=False)
    second = get_model("mockllm/second", custom_outputs=saying("second", asked, breaks_at), memoize=False)
    [log] = evaluate(
        Task(dataset=[Sample(input="Lyon or Nice?", target="Lyon")], scorer=includes()),
        solver=SolverSpec(solver, args=arguments, args_passed=arguments),
        model=first,
        model_roles={"other": second},
        display="none",
        log_dir=str(Path.cwd()),
        retry_on_error=1,
        epochs=epochs,
        message_limit=message_limit,
    )
    assert log.samples is not None
    sample = log.samples[0]
    told = {"status": log.status, "answer": sample.output.completion, "metadata": sample.messages[-1].metadata}
    told["messages"] = [
        [message.role, (message.metadata or {}).get("speaker"), message.text] for message in sample.messages
    ]
    told["spans"] = [event.name for event in sample.events if event.event == "span_begin" and event.type == "agent"]
    told["infos"] = [event.data for event in sample.events if event.event == "info" and event.source == "moot"]
    told["limit"] = sample.limit and sample.limit.type
    told |= {"error": sample.error and sample.error.message, "scores": {}, "asked": asked}
    told["runs"] = {sample.epoch: (sample.messages[-1].metadata or {}).get("run") for sample in log.samples}
    told["scores"] = {name: score.value for name, score in (sample.scores or {}).items()}
    told["usage"] = {name: usage.total_tokens for name, usage in sample.model_usage.items()}
    return told


print(json.dumps([evaluate_job(**job) for job in json.loads(sys.argv[1])]))
