"""Look-ups of participants: the tools of a run, the inner graph's nodes, and the checks of citations."""
