"""Comparison of two runs: their differences, and their statements side by side."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..report import TableBlock, build_page, compare_documents, list_rounds
from ..saved import check_run_name, load_saved_run
from .rendering import detect_browser_language, render_response
from .room import get_room
from .run_page import require_document


async def render_comparison(request: Request) -> Response:
    """Return the comparison of two runs, or the choice of runs."""
    store, language = get_room(request).store, detect_browser_language(request)
    names = [request.query_params.get(key, "") for key in ("a", "b")]
    if not all(names):
        return render_response(
            "choose.html",
            language,
            runs=[(run.run, run.topic) for run in await store.runs.list_runs()][:500],
            chosen=names,
        )
    first, second = [require_document(await load_saved_run(store, check_run_name(name))) for name in names]
    return render_response("compare.html", first["language"], **build_comparison_context(first, second))


def build_comparison_context(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template values of a page that compares two documents."""
    pages = [build_page(first), build_page(second)]
    first_turns, second_turns = (
        {entry.turn: entry for part in list_rounds(page) for entry in part.entries if not entry.is_protocol_line}
        for page in pages
    )
    pairs = []
    for turn in sorted({*first_turns, *second_turns}):
        before, after = first_turns.get(turn), second_turns.get(turn)
        pairs.append(
            {
                "turn": turn,
                "first": before,
                "second": after,
                "same": bool(before and after and (before.who, before.text) == (after.who, after.text)),
            }
        )
    names = [first["run"], second["run"]]
    rows = [list(row) for row in compare_documents(first, second) if not row[0].startswith("statement ")]
    return {
        "pages": pages,
        "differences": TableBlock(" · ".join(names), ["", *names], rows, has_long_names=True),
        "pairs": pairs,
        "names": names,
    }
