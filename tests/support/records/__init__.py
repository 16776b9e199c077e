"""Documents and tables of runs."""
