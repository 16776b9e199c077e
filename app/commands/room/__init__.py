"""Commands that need the extra `moot[web]`."""
