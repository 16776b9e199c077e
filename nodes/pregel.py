"""What langgraph names in ways of its own, in configs and checkpoints, in one place: nothing public gives it."""

READ = "__pregel_read"
"""A function that reads channels."""
CHECKPOINTER = "__pregel_checkpointer"
"""What the run is saved with, if it is."""
EDGE = "~__pregel_pull"
"""How the path of a step begins that an edge led to; the branches of a fan-out are pushed."""
