"""Commands that need the optional packages of `moot[web]`."""
