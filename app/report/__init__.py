"""The report: a run as one self-contained HTML file."""

from .render import html

__all__ = ["html"]
