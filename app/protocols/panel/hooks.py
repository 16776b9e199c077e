"""Hooks of the panel, which shows its conclusion first, then the discussion and the papers."""

import asyncio
from collections.abc import Mapping
from typing import Any

from ....models import load_embeddings
from ....papers.library import list_embedding_requests
from ....state import Call
from ....storage import get_default_database
from ...display.wording import translate_report_phrase
from ...run.request import RunRequest
from ..hooks import TURN_SETTINGS, Hooks
from .answer_blocks import build_answer_blocks, format_relevance
from .experts import parse_expert_options
from .result import build_panel_fields


async def list_search_calls(request: RunRequest, state: Mapping[str, Any]) -> list[Call]:
    """List the calls of the embedding model that finds the papers of a panel before its run."""
    settings: Any = request.settings
    if not state.get("found") or request.input.get("found"):
        return []
    model = await asyncio.to_thread(load_embeddings, settings.embeddings)
    library = settings.library or get_default_database()
    return await list_embedding_requests(request.topic, library, model, settings.sources) if model else []


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
