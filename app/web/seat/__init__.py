"""Seat of a person in the browser: its link, its view of the run, and its answers."""
