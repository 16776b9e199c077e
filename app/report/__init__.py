"""Report of a run: one self-contained HTML file, or a page of Markdown.

A name is imported at first use, because some modules are slow to load.
"""

from typing import TYPE_CHECKING

from ...state.first_use import import_at_first_use

if TYPE_CHECKING:
    from .blocks import (
        MISSING,
        Bar,
        BarChart,
        Block,
        Facts,
        Figure,
        Fold,
        Mark,
        MarkRow,
        Note,
        TableBlock,
        TableCell,
        format_duration,
        format_figure,
        format_moment,
    )
    from .chart import (
        CHART_HEIGHT,
        CHART_WIDTH,
        MARGIN_BOTTOM,
        MARGIN_LEFT,
        MARGIN_RIGHT,
        MARGIN_TOP,
        Axes,
        build_bar_chart,
        build_line_chart,
        build_mark_chart,
    )
    from .conversation import RoundEntry, TurnEntry, list_rounds
    from .diagram import list_phases, render_diagram
    from .difference import compare_documents
    from .document import Envelope, TurnLine, build_document, build_turn_lines, find_document, load_document
    from .html_page import (
        build_figure_sections,
        build_record_sections,
        format_security_policy,
        load_report_templates,
        read_asset,
        render_html,
    )
    from .markdown_page import render_markdown
    from .opening import build_opening
    from .overview import build_overview
    from .page import Page, build_page
    from .positions import format_position_answer
    from .votes import build_duel_table, compute_full_value, shorten_option

__getattr__ = import_at_first_use(
    __name__,
    {
        "blocks": (
            "Bar BarChart Block Facts Figure Fold MISSING Mark MarkRow Note TableBlock TableCell "
            "format_duration format_figure format_moment"
        ),
        "chart": (
            "Axes CHART_HEIGHT CHART_WIDTH MARGIN_BOTTOM MARGIN_LEFT MARGIN_RIGHT MARGIN_TOP build_bar_chart "
            "build_line_chart build_mark_chart"
        ),
        "conversation": "RoundEntry TurnEntry list_rounds",
        "diagram": "list_phases render_diagram",
        "difference": "compare_documents",
        "document": "Envelope TurnLine build_document build_turn_lines find_document load_document",
        "html_page": (
            "build_figure_sections build_record_sections format_security_policy load_report_templates read_asset "
            "render_html"
        ),
        "markdown_page": "render_markdown",
        "opening": "build_opening",
        "overview": "build_overview",
        "page": "Page build_page",
        "positions": "format_position_answer",
        "votes": "build_duel_table compute_full_value shorten_option",
    },
)
