"""Deliberations in evaluations by inspect_ai: as agents, and as logs of saved runs."""
