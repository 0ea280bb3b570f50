# Every target works in a fresh clone, because it first does what it needs. The tests need the debug build only.

SEEDS ?= 200

SWIFT ?= swift
SOURCES := Sources Tests LoadTests Package.swift
LOAD = "$$($(SWIFT) build -c release --show-bin-path)/roost-load"

# Without the cache of manifests, in which `roost version` would keep the commit of an earlier build. SwiftPM builds one
# product at a time; the second has little left to do.
BUILD_ROOST := $(SWIFT) build -c release --product roost --manifest-cache none && \
	$(SWIFT) build -c release --product roost-services

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests run echo build test check check-deep fuzz sanitize simulate load load-tool baselines
.PHONY: bench format docs js package package-test clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what is missing: Debian packages, and Python packages into .build-venv.
	@Scripts/setup

setup-tests: ## The same, and what only tests need: a browser.
	@Scripts/setup --tests

# Pages that are being developed come from any port of this machine.
LOCAL_ORIGINS := http://localhost:*,http://127.0.0.1:*,https://localhost:*,https://127.0.0.1:*

# A user who tries it finds the people who are there.
run: setup ## Build for release and start it all on 127.0.0.1:8080 and :8081, with its data in ./data.
	$(BUILD_ROOST)
	@exec env ROOST_DIRECTORY_FIND="$${ROOST_DIRECTORY_FIND-everyone}" \
		ROOST_LISTEN_ORIGINS="$${ROOST_LISTEN_ORIGINS-$(LOCAL_ORIGINS)}" \
		ROOST_SERVICES_ORIGINS="$${ROOST_SERVICES_ORIGINS-$(LOCAL_ORIGINS)}" \
		"$$($(SWIFT) build -c release --show-bin-path)/roost" up

echo: setup ## Build a WebSocket echo server on the relay's transport, for conformance suites, and start it on PORT.
	$(SWIFT) build -c release --product roost-echo
	@exec "$$($(SWIFT) build -c release --show-bin-path)/roost-echo" $(or $(PORT),9001)

build: setup ## Build for release.
	$(BUILD_ROOST)

test: setup-tests ## Build for debugging and run all tests, or only those of a part: ONLY=core, TEST=name.
ifdef ONLY
	@Scripts/test-part "$(ONLY)" "$(TEST)"
else
	Scripts/build-tests
	ROOST_STRICT=1 Scripts/unit-tests
	ROOST_STRICT=1 Scripts/end-to-end
endif

check: setup-tests ## Run what every change must pass: format, warnings, imports, documentation, tests, sanitizers.
	$(SWIFT) format lint --strict --recursive $(SOURCES)
	Scripts/tidy
	Scripts/build-tests
	Scripts/docs
	Scripts/beside "ROOST_STRICT=1 Scripts/unit-tests && ROOST_STRICT=1 Scripts/end-to-end" "Scripts/sanitize short" \
		"Tests/Fuzz/run.sh 4 commands json frames requests proxies" Tests/PackageTests/dependency.sh

# With ROOST_DEEP, tests that take a sample in `check` run as often as is stated.
check-deep: setup-tests ## Run the tests that take a sample in `check` with their full counts. Takes longer.
	Scripts/build-tests
	ROOST_STRICT=1 ROOST_DEEP=1 timeout 3600 $(SWIFT) test --skip-build --filter "StaleBytesTests|ServicesDatabaseTests"

js: setup ## Make .build/js, a folder for npm: the client's modules for browsers and Node, with their types.
	@Scripts/js

docs: setup ## Build the documentation of what apps link, check it, and say how to read it.
	Scripts/build-tests
	Scripts/docs

package: setup ## Build a Debian package with everything that running needs. VERSION=v for a release.
	@Scripts/package $(VERSION)

package-test: setup ## Install that package into a fresh Debian, use, upgrade and remove it. As root, with debootstrap.
	@Tests/PackageTests/debian.sh

fuzz: setup ## Fuzz what reads foreign bytes: SECONDS=n (60) for each of TARGETS (all that Tests/Fuzz/run.sh names).
	Scripts/build-tests
	Tests/Fuzz/run.sh $(or $(SECONDS),60) $(TARGETS)

sanitize: setup ## Run the tests under AddressSanitizer and ThreadSanitizer; SHORT=1 for those of `check`.
	Scripts/sanitize $(if $(SHORT),short)

simulate: setup ## Run the seeded simulation: SEEDS=n, or one SEED=n STEPS=n again; DISK=1 on the real store.
	$(SWIFT) run -c release roost-simulate $(if $(SEED),--seed $(SEED),--seeds $(SEEDS)) \
		$(if $(STEPS),--steps $(STEPS)) $(if $(DISK),--disk)

load-tool: setup ## Build the relay and the load tester for release.
	$(BUILD_ROOST)
	$(SWIFT) build -c release --product roost-load

load: load-tool ## Start a relay, put mixed load on it for a minute, and print a report.
	@$(LOAD) run mixed

baselines: load-tool ## Run every scenario unchanged (some 25 minutes) and keep the figures in LoadTests/Baselines.
	@.build-venv/bin/python LoadTests/Bench/bench.py --only scenarios --runs $(if $(RUNS),$(RUNS),1)

bench: load-tool ## Compare Roost with the ceiling: ONLY=name, RUNS=n. Takes two hours; nothing else should run.
	$(SWIFT) build -c release --product roost-log-bench
	@.build-venv/bin/python LoadTests/Bench/bench.py $(if $(ONLY),--only $(ONLY)) $(if $(RUNS),--runs $(RUNS))

format: ## Format all Swift sources in place.
	$(SWIFT) format --in-place --recursive $(SOURCES)

clean: ## Remove everything that was built, but not ./data.
	rm -rf .build .build-asan .build-tsan .build-package .build-venv
