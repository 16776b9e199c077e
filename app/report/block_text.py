"""Report blocks as Markdown, and as plain lines. The template `blocks.html` renders them as HTML."""

import re
from collections.abc import Iterable, Sequence
from textwrap import indent

from markupsafe import Markup

from ..display.plain_text import align_columns
from .blocks import Block, BlockQuote, BulletList, FactList, FoldedBlocks, Heading, MarkdownText, Paragraph, TableBlock


def escape_inline(text: str) -> str:
    """Return `text` escaped for use inside a Markdown line. A `MarkdownText` is returned as it is."""
    if isinstance(text, MarkdownText):
        return text
    return re.sub(r"([\\`*_{}\[\]<>#|!])", r"\\\1", " ".join(_strip_tags(text).split()))


def render_blocks_markdown(blocks: Iterable[Block]) -> str:
    """Render blocks as Markdown, with an empty line between them. Charts are left out."""
    return "\n\n".join(filter(None, map(_render_block_markdown, blocks)))


def _render_block_markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {escape_inline(text)}"
        case Paragraph(text):
            return escape_inline(text)
        case BulletList(lines, is_numbered):
            signs = (f"{number}." if is_numbered else "-" for number in range(1, len(lines) + 1))
            return "\n".join(f"{sign} {escape_inline(line)}" for sign, line in zip(signs, lines, strict=True))
        case BlockQuote(blocks):
            return indent(render_blocks_markdown(blocks), "> ", lambda line: True).replace("> \n", ">\n")
        case TableBlock(caption, head, rows, total):
            lines = [f"| {' | '.join(map(escape_inline, cells))} |" for cells in [head, *rows, total] if cells]
            table = "\n".join([lines[0], f"{'|---' * len(head)}|", *lines[1:]])
            return f"**{escape_inline(caption)}**\n\n{table}" if caption else table
        case FactList(facts):
            return "\n".join(f"- {escape_inline(name)}: {escape_inline(value)}" for name, value in facts)
        case FoldedBlocks(_, blocks):
            return render_blocks_markdown(blocks)
    return ""


def list_block_lines(blocks: Iterable[Block], table_indent: str = "") -> list[str]:
    """Return the lines of blocks as plain text, without charts.

    `table_indent`: text before each line of a table.
    """
    return [line for block in blocks for line in _list_lines(block, table_indent)]


def _list_lines(block: Block, table_indent: str) -> Sequence[str]:
    match block:
        case Heading(text):
            return ["", text]
        case Paragraph(text):
            return [_strip_tags(text)]
        case BulletList(lines):
            return [*map(_strip_tags, lines)]
        case BlockQuote(blocks) | FoldedBlocks(_, blocks):
            return list_block_lines(blocks, table_indent)
        case TableBlock(caption, head, rows, total):
            table = align_columns([[*map(_strip_tags, cells)] for cells in [head, *rows, total] if cells])
            return [*(["", caption] if caption else []), *(f"{table_indent}{line}" for line in table)]
        case FactList(facts):
            return align_columns([[name, _strip_tags(value)] for name, value in facts])
    return []


def _strip_tags(text: str) -> str:
    return text.striptags() if isinstance(text, Markup) else text
