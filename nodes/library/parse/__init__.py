"""Parsers of the paper library: one file in, papers and what was broken out."""
