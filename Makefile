# `make debate TOPIC="…"` and `make test` do everything, set-up included. Python 3.11 or newer, or uv, is all they need.

TOPIC ?= Should cities ban cars from downtown areas?
MODEL ?=
PORT ?= 2024
export MOOT_TOPIC := $(value TOPIC)
export MOOT_SPEC := $(value MODEL)

PYTHON := .venv/bin/python
WORKERS ?= 2
PYTEST := $(PYTHON) -m pytest -q -n $(WORKERS) --dist worksteal
KEYLESS := env -u OPENAI_API_KEY -u OPENAI_BASE_URL -u OPENAI_API_BASE -u ANTHROPIC_API_KEY -u LANGSMITH_API_KEY -u MOOT_MODEL

.PHONY: debate test test-all proof matrix check install docs samples studio bench

# A debate; MODEL=openai:NAME names a model, MODEL=rehearsal is free. Without a key, this topic plays a recorded example.
debate: .venv/installed
	@.venv/bin/moot debate "$$MOOT_TOPIC" $${MOOT_SPEC:+--model "$$MOOT_SPEC"}

# The tests: no root, no key, no service. What could not run here is listed at the end.
test: .venv/installed-dev
	@$(KEYLESS) $(PYTEST)

# Everything: PostgreSQL and Chromium must be there, and the long matrix runs, and a part of what only `proof` runs whole.
test-all: .venv/installed-dev
	@MOOT_ALL=1 $(KEYLESS) $(PYTEST)

# Everything, with the proofs at their full size; what came of it is written into benchmarks/PROOF.md. Takes long.
proof: .venv/installed-dev
	@$(KEYLESS) $(PYTHON) benchmarks/proof.py -n 4 --dist worksteal --timeout 3600

# Plain installs with the oldest packages that are allowed, and with the other Pythons that are here.
matrix: .venv/installed-dev
	@.ci/matrix

# Lint, format, types and layers.
check: .venv/installed-dev
	@mkdir -p .types && ln -sfn .. .types/moot
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@MYPYPATH=.types .venv/bin/mypy -p moot.state -p moot.prompts -p moot.storage -p moot.models -p moot.papers -p moot.nodes -p moot.graphs -p moot.app -m moot
	@.venv/bin/lint-imports

install: .venv/installed

# LangGraph Studio's server on this machine, offline and without a key.
studio: .venv/installed-dev
	@.venv/bin/langgraph dev --no-browser --port $(PORT)

# The documentation as a site, in build/site; a link that leads nowhere is an error.
docs: .venv/installed-dev
	@NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict

# What pages show and scripts make: outputs of examples and notebooks, every setting, the sample report, the pictures of a
# terminal and of the room, and the diagrams that have changed. Needs npm and Chromium.
samples: .venv/installed-dev
	@$(KEYLESS) $(PYTHON) docs/make/reference.py
	@$(KEYLESS) $(PYTHON) docs/make/samples.py
	@$(PYTHON) docs/make/drawings.py
	@$(KEYLESS) $(PYTHON) docs/make/examples.py
	@$(KEYLESS) $(PYTHON) docs/make/notebooks.py

# What a deliberation costs, beside a bare client and a plain LangGraph loop, put into docs/cost.md: seven minutes on a
# quiet machine.
bench: .venv/installed-dev
	@$(KEYLESS) $(PYTHON) benchmarks/run.py --write

.venv/installed: pyproject.toml
	@sh .ci/install

.venv/installed-dev: pyproject.toml
	@sh .ci/install dev
