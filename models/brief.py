"""Content of a call as data, for offline models, which read no prompt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..state import Exhibit, Statement


@dataclass(frozen=True)
class Brief:
    """Speaker, task and record of a call, as data. Every field may be empty.

    `roles`, `sides`: public role and side in a debate, by participant. `statements`: statements in the prompt.
    `correction`: fault of the last answer. `values`: the step's template values and other data.
    """

    speaker: str = ""
    purpose: str = "statement"
    language: str = "en"
    topic: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    sides: Mapping[str, str] = field(default_factory=dict)
    statements: Sequence[Statement] = ()
    exhibits: Sequence[Exhibit] = ()
    material: str = ""
    private: str = ""
    memory: str = ""
    summary: str = ""
    correction: str = ""
    turn: int = 0
    round: int = 0
    values: Mapping[str, object] = field(default_factory=dict)
