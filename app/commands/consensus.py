"""`moot consensus`: three or more participants look for common ground."""

from ..run import GroupOptions, Material, RunOptions, Topic, ViewOptions, build_topic_input, flatten_options, start_run


@flatten_options
def consensus(
    topic: Topic = None, material: Material = None, *, group: GroupOptions, options: RunOptions, view: ViewOptions
) -> None:
    """Look for common ground among three or more; keep the dissent."""
    start_run("consensus", build_topic_input(topic, material) | group.collect_values(), options, view)
