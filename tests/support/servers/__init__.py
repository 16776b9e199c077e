"""Programs that a test runs for itself: PostgreSQL, LangGraph."""
