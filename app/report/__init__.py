"""Report of a run: one self-contained HTML file, or a page of Markdown."""

from .html_page import render_html
from .markdown_page import render_markdown

__all__ = ["render_html", "render_markdown"]
