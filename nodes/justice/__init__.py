"""Nodes of the justice experiment."""
