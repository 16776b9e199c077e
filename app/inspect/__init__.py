"""Deliberations in evaluations by inspect_ai: as agents, and saved runs as its logs."""
