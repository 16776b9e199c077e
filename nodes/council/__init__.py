"""The steps only a council has: answering blind, reviewing, counting the rankings, the chairman's answer."""
