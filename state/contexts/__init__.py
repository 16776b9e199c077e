"""Keyword arguments of each protocol, as types for type checkers."""
