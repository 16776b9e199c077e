"""Rules that end a deliberation, and the texts in statements that they look for."""
