"""Which key goes to which server: a provider's to its own host, another's where a spec names it, else none."""

import os
import re
from urllib.parse import urlsplit

from ...state.refused import Refused

NO_KEY = "none"
"""What is sent to servers that get no key."""
OPENAI_KEY = "OPENAI_API_KEY"
OPENAI = "https://api.openai.com:443"
OWNERS = {
    OPENAI: OPENAI_KEY,
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
"""Well-known servers, by origin, and the variable of each one's key, which goes nowhere else."""
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*_API_KEY")
"""What a variable that holds a key is called."""
ADDRESS = re.compile(r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?(/[^\s?#\\@]*)?")
"""A base URL that every client reads in the same way."""
_LOOPBACK = re.compile(r"https?://(localhost|127\.\d+\.\d+\.\d+|::1):\d+")


def base_url() -> str:
    """The OpenAI-compatible server named by the environment; empty: OpenAI's own."""
    return os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or ""


def origin(url: str) -> str:
    """Scheme, host and port of a URL, the port written out; empty for what is no base URL."""
    if not ADDRESS.fullmatch(url):
        return ""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def is_own(url: str) -> bool:
    """Whether a server is OpenAI, or the one that OPENAI_BASE_URL names: those that get OPENAI_API_KEY."""
    at = origin(url)
    return bool(at) and at in (OPENAI, origin(base_url()))


def variable_for(url: str, named: str = "") -> str:
    """The variable whose key goes to the server at `url`; empty: none does. `named`: the one its spec names."""
    if named:
        return named
    return OPENAI_KEY if is_own(url) else OWNERS.get(origin(url), "")


def check_variable(spec: str, url: str, named: str) -> None:
    """Refuse a variable that is no key's, or that of a provider who lives elsewhere; `spec` is told, without it."""
    if not VARIABLE.fullmatch(named):
        raise Refused("model", spec, "behind # stands the variable that holds the server's key; it ends in _API_KEY")
    at = origin(url)
    owners = [owner for owner, variable in OWNERS.items() if variable == named]
    near = named != OPENAI_KEY and _LOOPBACK.fullmatch(at)
    if owners and at not in owners and not near and not (named == OPENAI_KEY and is_own(url)):
        elsewhere = "; another server gets it by OPENAI_BASE_URL" if named == OPENAI_KEY else ""
        raise Refused("model", spec, f"{named} goes to {owners[0].removesuffix(':443')} alone{elsewhere}")


def key_in(variable: str) -> str:
    """The key that a variable holds, or the placeholder."""
    return (os.environ.get(variable, "").strip() if variable else "") or NO_KEY
