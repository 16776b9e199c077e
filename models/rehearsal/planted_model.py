"""Offline model whose answers are right with known chances, to check the figures of an experiment."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from ...state import InputError, make_rng
from ..brief import Brief
from .rehearsal_model import RehearsalModel, make_reply

RIGHT, WRONG = "right", "wrong"
"""Texts of the two options of a planted question."""


@dataclass(frozen=True)
class PlantedWorld:
    """Known chances, 0 to 1, of a right answer after each step of an experiment.

    `alone`: blind. `wrote`: after an own statement. `read`: after everybody's first statement. `rethought`: after
    further own statements. `talked`: after further statements of others. `spread`: difference between the chances of
    the first and the middle seat, and of the middle and the last seat. `follows_majority`: whether a reader gives the
    answer of most statements. `failure_share`: share of deliberations that fail.
    """

    alone: float
    wrote: float
    read: float
    rethought: float
    talked: float
    spread: float = 0.0
    follows_majority: bool = False
    failure_share: float = 0.0

    def list_chances(self, step: str, seat_count: int) -> list[float]:
        """Return the chances of a right answer after `step`, in seat order.

        `step`: name of a field, such as `alone`.
        """
        middle = (seat_count - 1) / 2
        return [getattr(self, step) + self.spread * (middle - seat) / (middle or 1) for seat in range(seat_count)]


PLANTED_WORLDS = {
    "gain": PlantedWorld(0.5, 0.5, 0.8, 0.8, 0.8),
    "null": PlantedWorld(0.5, 0.5, 0.5, 0.5, 0.5),
    "equal": PlantedWorld(0.98, 0.98, 0.98, 0.98, 0.98),
    "conformist": PlantedWorld(0.6, 0.6, 0.6, 0.6, 0.6, follows_majority=True),
    "voting": PlantedWorld(0.7, 0.7, 0.7, 0.7, 0.7),
    "reasoning": PlantedWorld(0.5, 0.7, 0.7, 0.7, 0.7),
    "exchange": PlantedWorld(0.5, 0.5, 0.7, 0.7, 0.7),
    "failing": PlantedWorld(0.5, 0.5, 0.8, 0.8, 0.8, failure_share=0.3),
    "mixed": PlantedWorld(0.5, 0.56, 0.62, 0.68, 0.8, spread=0.15),
    "stopped": PlantedWorld(0.5, 0.5, 0.8, 0.8, 0.8),
}
"""Worlds by name: which step of a talk helps, and how much."""


def get_world(name: str) -> PlantedWorld:
    """Return the set of chances with this name. Raises `InputError` for an unknown one."""
    if name not in PLANTED_WORLDS:
        raise InputError("model", f"planted:{name}", f"choose one of {', '.join(PLANTED_WORLDS)}")
    return PLANTED_WORLDS[name]


class PlantedModel(RehearsalModel):
    """Offline model whose answers are right with the chances of a `PlantedWorld`.

    A random number, derived from seed, item, seat and draw, decides whether an answer is right. A planted question has
    the options `right` and `wrong`. A statement names one of them, and is right with the chance of a blind answer. All
    other calls get a rehearsed reply.
    """

    world: str

    def _build_reply(
        self, messages: list[BaseMessage], stop: list[str] | None, settings: Mapping[str, Any]
    ) -> AIMessage:
        brief, world, text = settings.get("brief") or Brief(), get_world(self.world), ""
        choices: Any = brief.values.get("choices") or {}
        options = {name: option for option, name in choices.items()}
        if not {RIGHT, WRONG} <= options.keys() or brief.speaker not in brief.roles:
            return super()._build_reply(messages, stop, settings)
        counts = Counter(entry.speaker for entry in brief.statements if entry.content.startswith(brief.topic))
        others = max((counts[name] for name in counts if name != brief.speaker), default=0)
        step = "alone" if not counts else "wrote" if not others else "talked" if others > 1 else "read"
        step = "rethought" if others == 1 and counts[brief.speaker] > 1 else step
        chances = world.list_chances("alone" if brief.purpose == "statement" else step, len(brief.roles))
        rng = make_rng(self.seed, self.world, brief.topic, brief.speaker, settings.get("seed", 0))
        is_right = rng.random() < chances[list(brief.roles).index(brief.speaker)]
        if brief.purpose != "statement":
            if world.follows_majority and others:
                right_count = sum(entry.content.endswith(f"{RIGHT}.") for entry in brief.statements)
                is_right = 2 * right_count > len(brief.statements)
            text = json.dumps({"answer": options[RIGHT if is_right else WRONG], "certainty": 50})
        elif make_rng(self.seed, self.world, brief.topic).random() >= world.failure_share:
            text = f"{brief.topic} I looked at it closely, and my answer is: {RIGHT if is_right else WRONG}."
        return make_reply(messages, text, f"planted:{self.world}")
