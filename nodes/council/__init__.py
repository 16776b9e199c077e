"""Nodes of a council: blind answers, reviews, the count, and the chairman's final answer."""
