"""Moot: deliberation protocols for language models and people, as LangGraph state graphs."""

__version__ = "0.1.0"
