"""Deliberations as models of an OpenAI-compatible endpoint, in the room's own process."""
