"""Comparison of a talk with its arms: other ways to answer the same question.

Arms are, for example, single answers, votes without a talk, and independent samples.
"""
