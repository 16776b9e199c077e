"""Deliberations as models of an OpenAI-compatible endpoint, in the process of the room."""
