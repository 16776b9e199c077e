"""What installed packages bring: protocols, endings, orders and counting rules, each by its name."""
