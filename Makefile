# Every target does what it needs first, so that each works in a fresh clone. Debug and release are built apart, and
# nothing is built twice to pass the tests.

SEEDS ?= 200

SWIFT ?= swift
SOURCES := Sources Tests LoadTests Package.swift
LOAD = "$$($(SWIFT) build -c release --show-bin-path)/roost-load"

# Own sources must compile without a warning, and no target may import what it doesn't declare. The same switches for
# building and testing: others would build everything again.
STRICT_BUILD := ROOST_STRICT=1 $(SWIFT) build --build-tests --explicit-target-dependency-import-check error
STRICT_TEST := ROOST_STRICT=1 Scripts/unit-tests

.DEFAULT_GOAL := help
.PHONY: help setup run build test check simulate load load-tool baselines bench format clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what is missing: Debian packages, and Python packages into .build-venv.
	@Scripts/setup

run: setup ## Build for release and start the relay on 127.0.0.1:8080, with its data in ./data.
	$(SWIFT) build -c release --product roost
	@exec "$$($(SWIFT) build -c release --show-bin-path)/roost" serve

build: setup ## Build for release.
	$(SWIFT) build -c release --product roost

test: setup ## Build for debugging and run all tests.
	$(SWIFT) build --build-tests
	Scripts/unit-tests
	Scripts/end-to-end

check: setup ## What has to hold before a change goes in: format, tidiness, warnings, imports, tests.
	$(SWIFT) format lint --strict --recursive $(SOURCES)
	Scripts/tidy
	$(STRICT_BUILD)
	$(STRICT_TEST)
	ROOST_STRICT=1 Scripts/end-to-end

simulate: setup ## Run the seeded simulation: SEEDS=n seeds (200 by default), or one again by SEED=n STEPS=n.
	$(SWIFT) run -c release roost-simulate $(if $(SEED),--seed $(SEED),--seeds $(SEEDS)) $(if $(STEPS),--steps $(STEPS))

load-tool: setup ## Build the relay and the load tester for release.
	$(SWIFT) build -c release --product roost
	$(SWIFT) build -c release --product roost-load

load: load-tool ## Load a relay of its own for a minute, with everything at once, and report.
	@$(LOAD) run mixed

baselines: load-tool ## Run every scenario as it stands (some 16 minutes) and keep its figures in LoadTests/Baselines.
	@$(LOAD) baseline

bench: load-tool ## Measure Roost against the ceiling: ONLY=name, RUNS=n. Some two hours; nothing else should run.
	$(SWIFT) build -c release --product roost-log-bench
	@LoadTests/Bench/bench.py $(if $(ONLY),--only $(ONLY)) $(if $(RUNS),--runs $(RUNS))

format: ## Format all Swift sources in place.
	$(SWIFT) format --in-place --recursive $(SOURCES)

clean: ## Remove everything that was built. Leaves ./data alone.
	rm -rf .build .build-venv
