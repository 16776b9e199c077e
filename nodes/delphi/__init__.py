"""Nodes of a Delphi: its seats, its estimates, the feedback on them, and the result."""
