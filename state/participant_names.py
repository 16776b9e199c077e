"""Rule for the names of participants, and the reserved names."""

from collections.abc import Sequence
from typing import Final

from .fence import fold_to_letters

MODERATOR: Final = "moderator"
"""Speaker of a protocol's own lines in the public history; a reserved name."""
OWNER: Final = "owner"
"""Owner of a run, who approves look-ups; a reserved name."""
ROLES = ("synthesizer", "judge", "summarizer")
"""Roles that Moot asks in addition to the participants."""
RESERVED_NAMES = {
    *(MODERATOR, OWNER, *ROLES, "system", "developer", "assistant", "user", "tool", "all", "everyone", "everybody"),
    *("pass", "none", "nobody"),
    *("moderador", "moderadora", "sistema", "todos", "todas", "ninguna", "ninguno", "nadie"),
    *("主持人", "系统", "所有人", "大家", "无"),
}
"""Words that cannot be names, folded: roles, speakers of a chat, and words for everyone."""
MAX_PARTICIPANTS: Final = 1_000
"""Maximum number of participants of one deliberation: each prompt lists all of them."""


def find_name_fault(candidates: Sequence[str]) -> tuple[str, str] | None:
    """Return the first unusable name with its remedy, or `None` if all names are usable.

    Names differ by their letters and digits.
    """
    used_names: set[str] = set()
    for name in candidates:
        folded_name = fold_to_letters(name)
        if "=" in name:
            return name, "a name has no =; give the model by its own key, as in {name: Ada, model: openai:gpt-5-mini}"
        if not folded_name:
            return name, "a name must not be blank; give it a letter or a digit"
        if folded_name in RESERVED_NAMES:
            return name, "this word has a meaning of its own; choose another name"
        if folded_name in used_names:
            return name, "names must differ by their letters, not by case, alphabet or marks alone; choose another"
        used_names.add(folded_name)
    return None
