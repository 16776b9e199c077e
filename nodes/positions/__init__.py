"""Positions that participants declare in private, and the answer of a debate."""
