"""Steps of a debate."""
