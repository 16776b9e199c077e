"""Nodes of a panel: the seats of its experts, and the search for papers."""
