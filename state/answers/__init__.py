"""Answers in text: their form, their values and their record."""
