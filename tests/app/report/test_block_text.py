"""Every block of a report is rendered as HTML, as Markdown and as lines of text."""

import pytest
from markupsafe import Markup
from moot.app.report import (
    Block,
    BlockQuote,
    BulletList,
    FactList,
    FoldedBlocks,
    Heading,
    MarkdownText,
    Paragraph,
    TableBlock,
    list_block_lines,
    load_report_templates,
    render_blocks_markdown,
)

TABLE = TableBlock("Paid", ["Who", "Turn"], [["A|B", Markup('<a href="#turn-3">3</a>')]], ["All", "3"])
RENDERED: list[tuple[Block, str, list[str], str]] = [
    (Heading("One *day*", 3), "### One \\*day\\*", ["", "One *day*"], "<h4"),
    (Paragraph("a < b"), "a \\< b", ["a < b"], "<p"),
    (Paragraph(MarkdownText("**a**")), "**a**", ["**a**"], "<p"),
    (BulletList(["x", "y"]), "- x\n- y", ["x", "y"], "<ul"),
    (BulletList(["x", "y"], is_numbered=True), "1. x\n2. y", ["x", "y"], "<ol"),
    (BlockQuote([Paragraph("of a"), BulletList(["b: 1"])]), "> of a\n>\n> - b: 1", ["of a", "b: 1"], "<blockquote"),
    (
        TABLE,
        "**Paid**\n\n| Who | Turn |\n|---|---|\n| A\\|B | 3 |\n| All | 3 |",
        ["", "Paid", "Who  Turn", "A|B  3", "All  3"],
        "<table",
    ),
    (FactList([("run", "x")]), "- run: x", ["run  x"], "<dl"),
    (FoldedBlocks("More", [Paragraph("a")]), "a", ["a"], "<details"),
]


@pytest.mark.parametrize(("block", "markdown", "lines", "tag"), RENDERED, ids=lambda part: type(part).__name__)
def test_a_block_is_rendered_as_markdown_as_text_and_as_html(
    block: Block, markdown: str, lines: list[str], tag: str
) -> None:
    assert render_blocks_markdown([block]) == markdown
    assert list_block_lines([block]) == lines
    module = load_report_templates().get_template("blocks.html").module
    assert tag in module.draw(block, "id", str)  # type: ignore[attr-defined]
