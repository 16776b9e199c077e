"""Comparison of a talk with its arms: single answers, votes, samples and the other baselines."""
