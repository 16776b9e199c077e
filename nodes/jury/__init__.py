"""Nodes of a jury: its seats, the route to its ballots, their count, and the result."""
