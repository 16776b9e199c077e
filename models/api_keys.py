"""API keys of servers. Moot sends a provider's key only to its own host.

A model name can name a variable with another key, which Moot sends only to that model's server.
"""

import os
import re

from ..state import BASE_URL, InputError, parse_origin

NO_KEY = "none"
"""Placeholder for servers that get no key."""
OPENAI_KEY = "OPENAI_API_KEY"
OPENAI_ORIGIN = "https://api.openai.com:443"
KEY_OWNERS = {
    OPENAI_ORIGIN: OPENAI_KEY,
    "https://openrouter.ai:443": "OPENROUTER_API_KEY",
    "https://api.anthropic.com:443": "ANTHROPIC_API_KEY",
    "https://api.groq.com:443": "GROQ_API_KEY",
    "https://api.mistral.ai:443": "MISTRAL_API_KEY",
    "https://api.deepseek.com:443": "DEEPSEEK_API_KEY",
    "https://api.together.xyz:443": "TOGETHER_API_KEY",
    "https://api.fireworks.ai:443": "FIREWORKS_API_KEY",
    "https://api.cerebras.ai:443": "CEREBRAS_API_KEY",
    "https://api.perplexity.ai:443": "PERPLEXITY_API_KEY",
    "https://api.x.ai:443": "XAI_API_KEY",
    "https://api.moonshot.ai:443": "MOONSHOT_API_KEY",
    "https://dashscope.aliyuncs.com:443": "DASHSCOPE_API_KEY",
    "https://generativelanguage.googleapis.com:443": "GEMINI_API_KEY",
    "https://integrate.api.nvidia.com:443": "NVIDIA_API_KEY",
}
"""Variable with the key of each well-known server, by the server's origin. The key goes to no other server."""
KEY_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*_API_KEY")


def get_base_url() -> str:
    """Return the server's address in `OPENAI_BASE_URL`; empty for OpenAI's own.

    Raises `InputError` if it is no base URL.
    """
    url = (os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or "").strip()
    if url and not BASE_URL.fullmatch(url):  # it may contain a key by mistake, so the error does not show it
        raise InputError("OPENAI_BASE_URL", "…", "must be an address such as http://HOST/v1, without a key or a query")
    return url


def is_openai_server(url: str) -> bool:
    """Return whether the server at `url` gets OPENAI_API_KEY: OpenAI, or the server in OPENAI_BASE_URL."""
    server = parse_origin(url)
    return bool(server) and server in (OPENAI_ORIGIN, parse_origin(get_base_url()))


def get_key_variable(url: str, spec_variable: str = "") -> str:
    """Return the name of the environment variable with the key for the server at `url`; empty without one.

    `spec_variable`: variable in the model name, which takes precedence.
    """
    if spec_variable:
        return spec_variable
    return OPENAI_KEY if is_openai_server(url) else KEY_OWNERS.get(parse_origin(url), "")


def check_key_variable(spec: str, url: str, spec_variable: str, setting: str = "model") -> None:
    """Check that an environment variable may hold the key for the server at `url`.

    `spec`: model name, which the error shows without the variable. `setting`: setting that the error names. Raises
    `InputError` for a variable that cannot hold a key, and for a provider's key at another address.
    """
    if not KEY_VARIABLE.fullmatch(spec_variable):
        place = "write after #" if setting == "model" else "give"
        raise InputError(
            setting, spec, f"{place} the name of the variable that holds the server's key; the name ends in _API_KEY"
        )
    server = parse_origin(url)
    owner_origins = [origin for origin, variable in KEY_OWNERS.items() if variable == spec_variable]
    is_local = spec_variable != OPENAI_KEY and re.fullmatch(r"https?://(localhost|127\.\d+\.\d+\.\d+|::1):\d+", server)
    if (
        owner_origins
        and server not in owner_origins
        and not is_local
        and not (spec_variable == OPENAI_KEY and is_openai_server(url))
    ):
        hint = "; to use it with another server, set OPENAI_BASE_URL" if spec_variable == OPENAI_KEY else ""
        raise InputError(
            setting, spec, f"Moot sends {spec_variable} only to {owner_origins[0].removesuffix(':443')}{hint}"
        )


def read_key(variable: str) -> str:
    """Return the key in an environment variable, or `NO_KEY` if it is not set.

    Raises `InputError`, which does not show the key, if no HTTP header can hold it.
    """
    key = (os.environ.get(variable, "").strip() if variable else "") or NO_KEY
    if not re.fullmatch("[!-~]+", key):
        raise InputError(variable, "…", "must be printable ASCII without spaces; copy the key again")
    return key
