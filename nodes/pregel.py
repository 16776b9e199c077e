"""What langgraph puts into a run's config under names of its own, in one place: nothing public gives it."""

READ = "__pregel_read"
"""A function that reads channels."""
CHECKPOINTER = "__pregel_checkpointer"
"""What the run is saved with, if it is."""
