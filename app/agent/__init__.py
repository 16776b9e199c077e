"""Deliberations inside other programs: as Runnables, nodes, tools and handoffs."""
