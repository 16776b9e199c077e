"""Answers given alone: asked one by one or round by round, and what they come to."""
