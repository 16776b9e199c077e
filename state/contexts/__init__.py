"""Arguments of the protocols, for type checkers."""
