"""The report: a run as one self-contained HTML file, or as a page of Markdown."""

from .markdown import markdown
from .render import html

__all__ = ["html", "markdown"]
