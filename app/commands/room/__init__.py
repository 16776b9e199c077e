"""Commands that need the extra `web`."""
