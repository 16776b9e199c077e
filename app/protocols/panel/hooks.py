"""Hooks of the panel: its conclusion comes first, and its experts may have a role and a focus."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ....models import load_embeddings
from ....papers.library import list_embedding_requests
from ....state import Call, Participant
from ....storage import get_default_database
from ...display.wording import translate_report_phrase
from ...run.request import RunRequest
from ..hooks import TURN_SETTINGS, Hooks
from .result import build_answer_blocks, build_panel_fields, format_relevance


def parse_expert(value: Any) -> Any:
    """Return a participant from a name, "Name: role", or a mapping. Other values stay unchanged."""
    if isinstance(value, str):
        name, *role_parts = re.split("[:：]", value, maxsplit=1)
        return {"name": name.strip(), "role": "".join(role_parts).strip()}
    if isinstance(value, Participant) or not isinstance(value, Mapping):
        return value
    entry = {key: value for key, value in value.items() if key != "focus"}
    descriptions = [str(part).strip() for part in (value.get("role"), value.get("focus")) if part]
    return entry | {"role": ", ".join(descriptions)}


def parse_expert_options(texts: Sequence[str]) -> list[Any]:
    """Return participants from the texts of a command-line option.

    Commas separate the names in one text. Only the last name may have a description: `A, B: role, focus`.
    """
    experts = []
    for text in texts:
        names = re.split("[:：]", text, maxsplit=1)[0]
        *other_names, last_name = re.split("[,，]", names)
        experts += [
            parse_expert(entry.strip()) for entry in [*other_names, last_name + text[len(names) :]] if entry.strip()
        ]
    return experts


async def list_search_calls(request: RunRequest, state: Mapping[str, Any]) -> list[Call]:
    """Return the calls to the embedding model that the search for papers makes before a run.

    `state`: final state of the run's rehearsal.
    """
    settings: Any = request.settings
    if not state.get("found") or request.input.get("found"):
        return []
    model = await asyncio.to_thread(load_embeddings, settings.embeddings)
    return (
        await list_embedding_requests(
            request.topic, settings.library or get_default_database(), model, settings.sources
        )
        if model
        else []
    )


HOOKS = Hooks(
    keys=lambda saved_run, envelope: build_panel_fields(
        saved_run.state, envelope, (saved_run.run.started, saved_run.at)
    ),
    answer=build_answer_blocks,
    synthesis_heading=lambda language: translate_report_phrase(language, "closings.panel"),
    names_participants=True,
    tool_settings=(*TURN_SETTINGS, "max_rounds", "n_papers", "min_similarity_threshold"),
    turn_cap=lambda settings, seat_count: 0 if settings.hold_discussion is False else seat_count * settings.max_rounds,
    list_early_calls=list_search_calls,
    papers=lambda page: [
        {**paper, "rating": format_relevance(paper, page.language)} for paper in page.document["papers"]
    ],
    seat_reader=parse_expert_options,
)
