# On a fresh machine with Python 3.11+ and make: `make demo` and `make test` need nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt
OUT ?= runs
EXPERIMENTS ?= gridworlds gridworlds-skip gridworlds-committed skip-length exploration exploration-sensitivity

DEEP_EXPERIMENTS ?= featurized featurized-skip architectures pendulum continuous
SEEDS ?= 3

QUICK := $(addprefix tests/,skipping tabular replay networks environments experiments) \
	$(addprefix tests/learning/test_,probes.py gridworlds.py deep_faults.py) \
	$(addprefix tests/agreement/test_,compiled_equals_oracle.py transition_tables.py) \
	$(addprefix tests/report/test_,tables.py deep_tables.py statistics.py update_results.py) \
	$(filter-out %interrupting.py %other_packages.py,$(wildcard tests/agents/test_*.py)) \
	$(filter-out %sb3.py %imports.py %doctests.py,$(wildcard tests/test_*.py))

.PHONY: demo quick test check docs results deep-results benchmark chaos clean

demo: $(VENV)/installed  ## the paper's gridworld table at full scale, beside the published numbers
	$(BIN)/temporl reproduce gridworlds --out $(OUT)

quick: $(VENV)/installed-dev  ## the idea, the maths of every agent, tables and names: under a minute
	$(BIN)/pytest -n 2 --dist worksteal $(QUICK)

test: check  ## everything that can fail: at most ten minutes on two cores
	$(BIN)/pytest -n auto --dist worksteal

check: $(VENV)/installed-dev  ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(VENV)/installed-dev  ## the documentation site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

results: $(VENV)/installed  ## all tabular experiments, and the tables and pictures of the documentation from them
	$(BIN)/temporl reproduce $(EXPERIMENTS) --out $(OUT)
	$(BIN)/python docs/update_results.py $(OUT)

deep-results: $(VENV)/installed-dev  ## the same for deep agents: hours; interrupt it and run it again at will
	$(BIN)/temporl reproduce $(DEEP_EXPERIMENTS) --seeds $(SEEDS) --out $(OUT)
	$(BIN)/python docs/update_results.py $(OUT)

benchmark: $(VENV)/installed-dev  ## ours beside peers, in one run
	$(BIN)/python benchmarks/tabular.py
	$(BIN)/python benchmarks/featurized.py
	$(BIN)/python benchmarks/continuous.py
	$(BIN)/python benchmarks/pixels.py
	$(BIN)/python benchmarks/returns.py

chaos: $(VENV)/installed-dev  ## kill, fill and remove, and compare bits: an hour or more
	$(BIN)/python benchmarks/chaos.py kills
	$(BIN)/python benchmarks/chaos.py disk
	$(BIN)/python benchmarks/chaos_cluster.py
	$(BIN)/python benchmarks/scaling.py checkpoints overhead folder memory estimates

clean:  ## everything that can be made again, but no results
	rm -rf $(VENV) site .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(INSTALL) --editable '.[dev,docs,atari,box2d,mujoco,ray,tensorboard,wandb,tune,sb3,minari,video]'
	touch $@
