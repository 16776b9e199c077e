"""`moot consensus`: three or more look for common ground."""

from ..begin import about, begin
from ..options import Group, Knobs, Material, Topic, View, spread


@spread
def consensus(topic: Topic = None, material: Material = None, *, group: Group, knobs: Knobs, view: View) -> None:
    """Three or more look for common ground; dissent is kept."""
    begin("consensus", about(topic, material) | group.given(), knobs, view)
