"""A jury: its seats, the road to its ballots, their count, and the result."""
