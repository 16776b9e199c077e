"""Nodes for answers that participants give alone, at once or in rounds, and for their count."""
