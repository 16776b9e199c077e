"""Chat models of a test's own, and what they were told."""
