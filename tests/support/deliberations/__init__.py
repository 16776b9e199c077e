"""Whole deliberations held by scripted models: who says what, and how it ends."""
