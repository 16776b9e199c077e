"""Saved runs as logs of inspect_ai, for its viewer, its scorers and its tables: a run is a sample."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, EvalStats, write_eval_log
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, ModelOutput, ModelUsage
from inspect_ai.scorer import Score

from ...state.refused import Refused

Document = Mapping[str, Any]

NOBODY = "none"
"""The provider of inspect_ai that asks nobody: to score a log needs neither key nor package of who took part."""

TOLD = ("turns", "course", "topic", "synthesis")
"""Keys of a document that a sample holds elsewhere."""


def write_log(path: Path, name: str, documents: Sequence[Document], truths: Sequence[str] = ()) -> None:
    """Write runs as one log named after `name`. `truths`: each run's right answer; none: not known."""
    if path.suffix != ".eval":
        raise Refused("-o", str(path), "name a file that ends in .eval")
    try:
        write_eval_log(eval_log(name, documents, truths), str(path))
    except OSError as fault:
        raise Refused("-o", str(path), f"cannot be written: {fault.strerror}") from None


def eval_log(name: str, documents: Sequence[Document], truths: Sequence[str] = ()) -> EvalLog:
    """The log of runs. The epoch counts those that share an item and a condition, in their order."""
    seen: Counter[str] = Counter()
    samples = list[EvalSample]()
    for place, one in enumerate(documents):
        id = " / ".join(filter(None, [one["item"], one["condition"]])) or one["run"]
        seen[id] += 1
        samples.append(_sample(one, id, seen[id], truths[place] if truths else ""))
    ids = list(seen)
    return EvalLog(
        status="success" if all(one["status"] == "completed" for one in documents) else "error",
        eval=EvalSpec(
            created=min((one["startedAt"] for one in documents), default=""),
            task=name,
            dataset=EvalDataset(name=name, samples=len(ids), sample_ids=list(ids)),
            model=f"{NOBODY}/{', '.join(sorted({one['model'] for one in documents}))}",
            config=EvalConfig(epochs=max(seen.values(), default=1)),
        ),
        stats=EvalStats(model_usage=_usage([call for one in documents for call in one["calls"]])),
        samples=samples,
    )


def _sample(document: Document, id: str, epoch: int, truth: str) -> EvalSample:
    messages: list[ChatMessage] = [ChatMessageUser(content=document["topic"], source="input")]
    messages += [
        ChatMessageAssistant(
            content=turn["content"],
            model=document["model"],
            metadata={"speaker": turn["speakerId"], "turn": turn["turnNumber"], "at": turn["timestamp"]},
        )
        for turn in document["turns"]
    ]
    answer = _answer(document)
    closing = completed(document["synthesis"] or document["headline"], answer)
    messages.append(ChatMessageAssistant(content=closing, model=document["model"]))
    return EvalSample(
        id=id,
        epoch=epoch,
        input=document["topic"],
        target=truth,
        messages=messages,
        output=ModelOutput.from_content(document["model"], closing),
        scores={"moot": Score(value=answer)} if answer else None,
        metadata={key: value for key, value in document.items() if key not in TOLD},
        model_usage=_usage(document["calls"]),
        started_at=document["startedAt"] or None,
        total_time=document["totalTimeMs"] / 1000,
    )


def _answer(document: Document) -> str:
    """What the run answers; empty where it answers nothing."""
    found = document.get("runAnswer") or document.get("answer")
    return str(found.get("answer") or "") if isinstance(found, Mapping) else ""


def completed(text: str, answer: str) -> str:
    """A closing text whose last line, `ANSWER: …`, is the answer, as inspect_ai's own scorers look for it."""
    return f"{text}\n\nANSWER: {answer}" if answer else text


def _usage(calls: Sequence[Mapping[str, Any]]) -> dict[str, ModelUsage]:
    """What the calls cost, by model, as inspect_ai counts: tokens from a cache are no input tokens."""
    found: dict[str, ModelUsage] = {}
    for one in calls:
        cached = one["cached_tokens"]
        usage = ModelUsage(
            input_tokens=one["input_tokens"] - cached,
            output_tokens=one["output_tokens"],
            total_tokens=one["input_tokens"] + one["output_tokens"],
            input_tokens_cache_read=cached,
        )
        found[one["model"]] = found[one["model"]] + usage if one["model"] in found else usage
    return found
