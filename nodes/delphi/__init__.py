"""A Delphi: its seats, its estimates, what is told of them, and the result."""
