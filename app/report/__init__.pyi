from .block_text import (
    escape_inline as escape_inline,
    list_block_lines as list_block_lines,
    render_blocks_markdown as render_blocks_markdown,
)
from .blocks import (
    MISSING as MISSING,
    Bar as Bar,
    BarChart as BarChart,
    Block as Block,
    BlockQuote as BlockQuote,
    BulletList as BulletList,
    FactList as FactList,
    Figure as Figure,
    FoldedBlocks as FoldedBlocks,
    Heading as Heading,
    LineChart as LineChart,
    Mark as Mark,
    MarkdownText as MarkdownText,
    MarkRow as MarkRow,
    Paragraph as Paragraph,
    TableBlock as TableBlock,
    TableCell as TableCell,
    Tick as Tick,
    format_duration as format_duration,
    format_figure as format_figure,
    format_moment as format_moment,
)
from .chart import (
    CHART_HEIGHT as CHART_HEIGHT,
    CHART_WIDTH as CHART_WIDTH,
    MARGIN_BOTTOM as MARGIN_BOTTOM,
    MARGIN_LEFT as MARGIN_LEFT,
    MARGIN_RIGHT as MARGIN_RIGHT,
    MARGIN_TOP as MARGIN_TOP,
    Axes as Axes,
    build_bar_chart as build_bar_chart,
    build_line_chart as build_line_chart,
    build_mark_chart as build_mark_chart,
    format_rounded as format_rounded,
    format_tick as format_tick,
    list_ticks as list_ticks,
    place_on_axis as place_on_axis,
)
from .conversation import RoundEntry as RoundEntry, TurnEntry as TurnEntry, list_rounds as list_rounds
from .diagram import build_diagram as build_diagram, render_diagram as render_diagram
from .document import (
    Envelope as Envelope,
    RunResult as RunResult,
    TurnLine as TurnLine,
    build_document as build_document,
    build_turn_lines as build_turn_lines,
    compare_documents as compare_documents,
    find_document as find_document,
    load_document as load_document,
)
from .html_page import (
    build_figure_sections as build_figure_sections,
    build_record_sections as build_record_sections,
    format_security_policy as format_security_policy,
    load_report_templates as load_report_templates,
    read_asset as read_asset,
    render_html as render_html,
)
from .markdown_page import render_markdown as render_markdown
from .opening import build_opening as build_opening
from .overview import build_overview as build_overview
from .page import Page as Page, build_page as build_page
from .positions import list_agreement_blocks as list_agreement_blocks
from .votes import (
    build_duel_table as build_duel_table,
    compute_full_value as compute_full_value,
    list_poll_blocks as list_poll_blocks,
    shorten_option as shorten_option,
)
