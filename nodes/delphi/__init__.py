"""Nodes of a Delphi: seats, estimates, feedback and the result."""
