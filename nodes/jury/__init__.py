"""Nodes of a jury: seats, the route to a ballot, the count, and the result."""
