"""Positions: everyone says where it stands, unseen by the others, and the neutral model of a debate names the answer."""
