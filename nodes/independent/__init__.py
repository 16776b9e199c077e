"""Nodes for answers that participants give alone, in parallel or in rounds, and for the count of these answers."""
