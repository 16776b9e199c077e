"""Positions of the participants, declared unseen by the others, and the answer of a debate."""
