"""Plugins from installed packages: protocols, stopping rules, turn orders and voting rules, by name."""
