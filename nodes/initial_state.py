"""What holds of every run before its first call: its texts, its models, and what its channels begin with."""

from collections.abc import Sequence

from ..prompts import Catalogue
from ..state.incident import Incident
from ..state.refused import Refused
from ..state.rules import Rules
from ..state.statement import Participant
from ..state.window import Summary
from ..state.writes import Update
from .clock import stamp
from .models.chat import check_spec
from .models.embedding_spec import meaning
from .seats import ROLES

MATERIAL_LIMIT = 2_000_000
"""Characters of material."""


def filled(participants: list[Participant], rules: Rules) -> Update:
    """The channels every protocol has, filled once: nobody has spoken yet."""
    return Update(
        topic="",
        material="",
        exhibits=[],
        participants=participants,
        rules=rules,
        floor=[],
        round=0,
        turn=0,
        view_limits={},
        history=[],
        calls=[],
        incidents=[],
        notices=[],
        memory={one.name: [] for one in participants},
        summary=Summary(),
        outcome=None,
        synthesis="",
    )


def check_text(key: str, text: str, limit: int, *, blank: bool = False) -> None:
    """Refuse text that is blank or longer than `limit` characters."""
    if not blank and not text.strip():
        raise Refused(key, text, "give a text that is not blank")
    if len(text) > limit:
        raise Refused(key, text, f"give at most {limit:,} characters; this has {len(text):,}")


def check_models(rules: Rules, participants: Sequence[Participant]) -> None:
    """Refuse a model for nobody, a spec that names nothing and a measure without its model, before any call."""
    meaning(rules)
    known = [*(one.name for one in participants), *ROLES]
    for who, spec in rules.models.items():
        if who not in known:
            raise Refused(f"models.{who}", spec, f"nobody has this name; there are {', '.join(known)}")
    named = {one.model for one in participants} | set(rules.models.values()) | {rules.model}
    for spec in sorted(str(spec) for spec in named if spec):
        if not (rules.replay or spec.startswith("object:")):
            check_spec(spec)


def noted(what: str) -> Incident:
    """An incident of the opening: something filled in or fallen back on."""
    return Incident(where="convene", what=what, kind="note", tries=0, at=stamp(), category="logic")


def language_notes(rules: Rules, participants: Sequence[Participant], words: Catalogue) -> list[str]:
    """What is said on record of languages without templates among `words`."""
    tags = dict.fromkeys([rules.language, *(one.language for one in participants if one.kind == "model")])
    lacking = [tag for tag in tags if tag and tag.split("-")[0].lower() not in words.languages]
    used = {"en": "English templates"}
    return [
        f"no templates in {tag}: {used.get(one := words.language(tag), f'templates in {one}')} are used, "
        f"and replies are asked for in {tag}"
        for tag in lacking
    ]
