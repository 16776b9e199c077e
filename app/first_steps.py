"""What `moot` without a command shows: the models that can be used here, and what to do next."""

import os
import sys

import typer

from ..models import (
    DEFAULT_OPENAI,
    KEY_OWNERS,
    LOCAL_SERVERS,
    OPENAI_KEY,
    find_local_models,
    get_base_url,
    get_environment_model,
    has_openai_key,
)
from .display.plain_text import align_columns, flatten_line, format_command

TOPIC = "Should cities ban cars from downtown areas?"


def show_first_steps() -> list[str]:
    """Show the models that can be used here, and the next commands.

    On a terminal, also ask for a topic. Return the words of the command that debates the topic, or an empty list.
    """
    defaults = {
        get_environment_model(): "MOOT_MODEL",
        DEFAULT_OPENAI if has_openai_key() else "": f"the key in {OPENAI_KEY}",
        get_base_url(): "OPENAI_BASE_URL",
    }
    defaults = {model: source for model, source in defaults.items() if model}
    local_models = find_local_models()
    model_options = [] if defaults or not local_models else ["--model", next(iter(local_models))]
    rows = [(flatten_line(model), source) for model, source in (defaults | local_models).items()]
    rows += [
        (f"openai:NAME@{origin.removesuffix(':443')}/…", f"the key in {variable}")
        for origin, variable in KEY_OWNERS.items()
        if variable != OPENAI_KEY and os.environ.get(variable, "").strip()
    ]
    steps = [
        (format_command("debate", TOPIC, *model_options), "debate a motion"),
        (format_command("example"), "play a recorded example, without a model"),
        (format_command("serve"), "use Moot in the browser"),
        (format_command("--help"), "list all commands"),
    ]
    print("Moot: deliberation protocols for language models and people\n")
    if rows:
        print("Models:", *align_columns(rows), sep="\n  ")
    else:
        print(f"No model was found: no key is set, and no server answers on this machine ({', '.join(LOCAL_SERVERS)}).")
        print("Without a model, Moot rehearses debates: free, with made-up text.")
    print("\nNext:", *align_columns(steps), sep="\n  ")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return []
    topic = typer.prompt("\nTopic of a debate (Enter: none)", default="", show_default=False).strip()
    return ["debate", *model_options, "--", topic] if topic else []
