"""Stopping: the rules that end a deliberation, and what they read in its statements."""
