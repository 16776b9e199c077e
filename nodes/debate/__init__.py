"""Nodes of a debate."""
