"""Deliberations in evaluations with inspect_ai: as agents, and as logs of saved runs."""
