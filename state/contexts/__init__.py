"""What protocols are called with, for type checkers."""
