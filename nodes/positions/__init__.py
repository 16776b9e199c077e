"""Positions: everyone says where it stands, unseen; the neutral model of a debate names its answer."""
