"""`moot consensus`: three or more participants look for common ground."""

from ..run.command_options import Material, Topic, ViewOptions, flatten_options
from ..run.deliberation_options import GroupOptions, RunOptions
from ..run.start import build_topic_input, start_run


@flatten_options
def consensus(
    topic: Topic = None, material: Material = None, *, group: GroupOptions, options: RunOptions, view: ViewOptions
) -> None:
    """Look for common ground among three or more; keep the dissent."""
    start_run("consensus", build_topic_input(topic, material) | group.collect_values(), options, view)
