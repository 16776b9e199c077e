"""Nodes that only debates have. The others are shared with further protocols."""
