"""Look-ups of participants: the tools of a run, and the nodes of the graph that runs them."""
