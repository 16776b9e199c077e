"""What langgraph names in ways of its own, in configs and checkpoints, in one place: nothing public gives it."""

READ = "__pregel_read"
"""A function that reads channels."""
CHECKPOINTER = "__pregel_checkpointer"
"""What the run is saved with, if it is."""
INTERRUPT = "__interrupt__"
"""The name under which the question of a step that waits is saved."""
