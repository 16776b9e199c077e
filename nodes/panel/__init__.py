"""Nodes of a panel: finding its papers, and checking that citations name them."""
