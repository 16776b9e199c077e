"""Nodes of a panel: the retrieval of its papers, and the checks that citations name them."""
