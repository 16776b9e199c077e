"""Parsers of the paper library: each takes a file and returns its papers and its broken records."""
