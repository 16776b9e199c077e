"""Nodes of a council: blind answers, reviews, the count of the rankings, and the chairman's final answer."""
