"""Recorded examples: complete deliberations with answers written for the documentation."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from langchain_core.messages import AIMessage, BaseMessage

from ..state import InputError
from .brief import Brief
from .failures import RunStoppedError
from .model_spec import EXAMPLE
from .rehearsal import RehearsalModel
from .rehearsal.rehearsal_model import make_reply

EXAMPLE_FOLDER = Path(str(files(__package__.partition(".")[0]))) / "examples" / "recorded"


def list_examples() -> list[str]:
    """List the names of the recorded examples."""
    return sorted(path.stem for path in EXAMPLE_FOLDER.glob("*.yaml"))


@cache
def load_example(name: str) -> Mapping[str, Any]:
    """Load an example: its protocol, input, settings and answers. Raises `InputError` for an unknown name."""
    if name not in list_examples():
        raise InputError("example", name, f"must be one of {', '.join(list_examples())}")
    example: dict[str, Any] = yaml.safe_load((EXAMPLE_FOLDER / f"{name}.yaml").read_text("utf-8"))
    return example


class ExampleModel(RehearsalModel):
    """Offline model that gives the answers of a recorded example, by round, purpose and speaker.

    It reads no prompt, so prompts may change.
    """

    example: str

    def _build_reply(
        self, messages: list[BaseMessage], stop: list[str] | None, settings: Mapping[str, Any]
    ) -> AIMessage:
        return make_reply(
            messages, _find_answer(self.example, settings.get("brief") or Brief()), f"{EXAMPLE}:{self.example}"
        )


def _find_answer(name: str, brief: Brief) -> str:
    """Return the recorded answer to a call. An answer with named fields becomes JSON.

    `name`: name of the example. Raises `RunStoppedError` without a recorded answer.
    """
    example, is_synthesis = load_example(name), brief.purpose == "synthesis"
    answers = example if is_synthesis else example["rounds"].get(brief.round, {}).get(brief.purpose, {})
    is_own_topic = brief.topic in example["input"].values()
    answer = answers.get("synthesis" if is_synthesis else brief.speaker) if is_own_topic else None
    if answer is None:
        raise RunStoppedError(
            f"the example {name} has no recorded answer of {brief.speaker} ({brief.purpose}, round {brief.round}); "
            "name a model with --model"
        )
    return answer.strip() if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
