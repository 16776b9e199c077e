"""Nodes for answers given alone, in one go or round by round, and their count."""
