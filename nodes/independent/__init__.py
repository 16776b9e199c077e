"""Nodes for answers given alone, in parallel or in rounds, and for their count."""
