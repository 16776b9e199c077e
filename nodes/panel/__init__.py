"""Nodes of a panel: the search for papers, and the check of citations and quotations."""
