"""Logs for inspect_ai's viewer, scorers and tables, made from saved runs. Each run is a sample."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, EvalStats, write_eval_log
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, ModelOutput, ModelUsage
from inspect_ai.scorer import Score

from ....state import InputError

LogDocument = Mapping[str, Any]


def write_log(path: Path, name: str, documents: Sequence[LogDocument], truths: Sequence[str] = ()) -> None:
    """Write runs as one log with this name. `truths`: right answers of the runs; empty if unknown.

    Raises `InputError` for a path that does not end in .eval or cannot be written.
    """
    if path.suffix != ".eval":
        raise InputError("-o", str(path), "name a file that ends in .eval")
    try:
        write_eval_log(build_log(name, documents, truths), str(path))
    except OSError as error:
        raise InputError("-o", str(path), f"cannot be written: {error.strerror}") from None


def build_log(name: str, documents: Sequence[LogDocument], truths: Sequence[str] = ()) -> EvalLog:
    """Build a log of inspect_ai from saved runs.

    `documents`: the runs' documents. `truths`: right answers of the runs; empty if unknown. Epochs number the runs with
    the same item and condition.
    """
    epochs: Counter[str] = Counter()
    samples = list[EvalSample]()
    for index, document in enumerate(documents):
        sample_id = " / ".join(filter(None, [document["item"], document["condition"]])) or document["run"]
        epochs[sample_id] += 1
        samples.append(_build_sample(document, sample_id, epochs[sample_id], truths[index] if truths else ""))
    sample_ids = list(epochs)
    return EvalLog(
        status="success" if all(document["status"] == "completed" for document in documents) else "error",
        eval=EvalSpec(
            created=min((document["startedAt"] for document in documents), default=""),
            task=name,
            dataset=EvalDataset(name=name, samples=len(sample_ids), sample_ids=list(sample_ids)),
            # The provider `none` calls no model: scoring a log needs no key and no model package.
            model=f"none/{', '.join(sorted({document['model'] for document in documents}))}",
            config=EvalConfig(epochs=max(epochs.values(), default=1)),
        ),
        stats=EvalStats(model_usage=_sum_usage([call for document in documents for call in document["calls"]])),
        samples=samples,
    )


def _build_sample(document: LogDocument, sample_id: str, epoch: int, truth: str) -> EvalSample:
    messages: list[ChatMessage] = [ChatMessageUser(content=document["topic"], source="input")]
    messages += [
        ChatMessageAssistant(
            content=turn["content"],
            model=document["model"],
            metadata={"speaker": turn["speakerId"], "turn": turn["turnNumber"], "at": turn["timestamp"]},
        )
        for turn in document["turns"]
    ]
    answer = document.get("runAnswer") or document.get("answer")
    answer = str(answer.get("answer") or "") if isinstance(answer, Mapping) else ""
    closing_text = append_answer(document["synthesis"] or document["headline"], answer)
    messages.append(ChatMessageAssistant(content=closing_text, model=document["model"]))
    return EvalSample(
        id=sample_id,
        epoch=epoch,
        input=document["topic"],
        target=truth,
        messages=messages,
        output=ModelOutput.from_content(document["model"], closing_text),
        scores={"moot": Score(value=answer)} if answer else None,
        metadata={
            key: value for key, value in document.items() if key not in ("turns", "course", "topic", "synthesis")
        },
        model_usage=_sum_usage(document["calls"]),
        started_at=document["startedAt"] or None,
        total_time=document["totalTimeMs"] / 1000,
    )


def append_answer(text: str, answer: str) -> str:
    """Return the text with a last line `ANSWER: …` for the answer, as inspect_ai's scorers expect."""
    return f"{text}\n\nANSWER: {answer}" if answer else text


def _sum_usage(calls: Sequence[Mapping[str, Any]]) -> dict[str, ModelUsage]:
    """Return the tokens of the calls, summed by model.

    As in inspect_ai, input tokens exclude cached tokens.
    """
    usage_by_model: dict[str, ModelUsage] = {}
    for call in calls:
        cached_tokens = call["cached_tokens"]
        usage = ModelUsage(
            input_tokens=call["input_tokens"] - cached_tokens,
            output_tokens=call["output_tokens"],
            total_tokens=call["input_tokens"] + call["output_tokens"],
            input_tokens_cache_read=cached_tokens,
        )
        usage_by_model[call["model"]] = (
            usage_by_model[call["model"]] + usage if call["model"] in usage_by_model else usage
        )
    return usage_by_model
