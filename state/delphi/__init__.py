"""Delphi: estimates given blind, what everyone is told of them, and when the group is done."""

from .estimate import Estimate, Feedback, fed_back, is_enough, movers
from .rules import DelphiRules
from .statistics import pooled_quantile, quantile
