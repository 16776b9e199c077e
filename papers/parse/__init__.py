"""Parsers of the paper library: a file in, its papers and its broken records out."""
