# The verbs of this repository; each works from a fresh clone.

# A Swift that scripts/swift has installed is found in the same call.
export PATH := $(or $(SWIFTLY_BIN_DIR),$(HOME)/.local/share/swiftly/bin):$(PATH)

.PHONY: run test build-tests release dist image-test test-release soak cluster-test check format mutants bench \
	clients client-test schemathesis screenshots setup

# Everything a developer needs in one process: a private MariaDB, a signing authority, the demo catalogue, and
# customers with stories. Ctrl-C ends all.
run: setup
	swift build --product gatepass
	.build/debug/gatepass dev --customers

# All tests, against a MariaDB that they start and stop themselves (scripts/test/run).
test: build-tests
	scripts/test/run

build-tests: setup
	swift build --build-tests

# What people run, made as docs/production.md says to deploy it; under SCRATCH where that is given, so that it can be
# built beside the tests. No path of this machine stands in it, and nothing is exported, which nobody looks up; of
# ICU's data it has what it asks for (scripts/icu).
release: setup
	swift build -c release --static-swift-stdlib --product gatepass $(if $(SCRATCH),--scratch-path $(SCRATCH)) \
		-Xcc '-ffile-prefix-map=$(CURDIR)=.' -Xswiftc -file-prefix-map -Xswiftc '$(CURDIR)=.' \
		-Xswiftc -file-compilation-dir -Xswiftc . -Xlinker --no-export-dynamic \
		$$(scripts/icu '$(or $(SCRATCH),.build)/icu')

# What is deployed, under dist/: an archive, the program's symbols, and a Debian package (docs/deploy/vm.md).
dist: release
	PROGRAM='$(or $(SCRATCH),.build)/release/gatepass' scripts/dist

# The image of what is deployed, built without an engine and run as compose.yaml says, but for the first stage of the
# Dockerfile (docs/deploy/compose.md). It needs root and a mirror of Debian.
image-test: dist
	@scripts/setup image
	scripts/image/run

# The tests that start the program, against what people run.
test-release: release
	GATEPASS_TEST_PROGRAM=$(CURDIR)/.build/release/gatepass swift test --filter GatepassTests

# Random histories by the thousands: WALKS of them against the rules taken literally, then at once over HTTP, on
# loopback; 10,000 users of both stores against scripts/oracle, and 1,000 of whom much was lost; an outbox through 1,000
# faults; lists over a million purchases; 10,000 tries of passwords; and mutants.
soak: setup
	GATEPASS_WALKS=$${WALKS:-20000} swift test --filter WholeWalkTests
	GATEPASS_TEST_SOAK=1 swift test --filter 'StandingTests|UsersWalkTests|PlanTests|OperatorReaderTests' \
		--filter 'DashboardAbuseTests' --filter \
		'EndToEnd/(Histories|Racing|CreditRacing|CardOrder|InboxFaults|Oracle|Outbox|ReconcileApple)/'
	scripts/browser/dashboard/run walk-all
	$(MAKE) cluster-test
	scripts/mutants/run

# Three nodes of a Galera cluster, HAProxy, and instances that write to one or two of them at once, through 200 faults:
# an hour and a half. SMALL=1 does a part of it in five minutes.
cluster-test:
	@scripts/setup cluster
	GATEPASS_TEST_CLUSTER=1 $(if $(SMALL),,GATEPASS_TEST_SOAK=1) swift test --filter ClusterAbortTests
	$(if $(SMALL),GATEPASS_TEST_CLUSTER=1 swift test --filter 'EndToEnd/Cluster/(Skew|HostLists)/',\
		GATEPASS_TEST_CLUSTER=1 GATEPASS_TEST_SOAK=1 swift test --filter 'EndToEnd/Cluster/')

# COUNT small mistakes (500 if not given) in Sources/Entitlements, drawn by SEED; prints those that EntitlementsTests do
# not notice. An hour on two cores. AGAIN=FILE judges only those that FILE lists.
mutants: setup
	scripts/mutants/run

# What a reviewer should not have to say.
check:
	swift format lint --strict --recursive $(formatted)

format:
	swift format --in-place --recursive $(formatted)

formatted := Package.swift Sources Tests $(addprefix client/,Package.swift Sources Tests Examples)

# Speed as ratios within one run (a table, and JSON under .build/). FIGURES, ROUNDS and SECONDS choose: see
# docs/performance.md.
bench: setup
	scripts/bench/run

# Clients from openapi.yaml in four languages, under .build/; those in Python and Swift read every kind of answer, which
# tests keep in the file that GATEPASS_TEST_ANSWERS names.
clients: setup
	scripts/clients/run

# The Swift package for apps: all its calls against PROGRAM, or a debug build; an app that depends on it; and what only
# Apple's systems compile, against stubs.
client-test: setup
	$(if $(PROGRAM),,swift build --product gatepass)
	CLIENT_TEST_PROGRAM='$(or $(abspath $(PROGRAM)),$(CURDIR)/.build/debug/gatepass)' client/Tests/run
	client/Tests/consumer
	client/Tests/Stubs/check

# Random requests against what openapi.yaml says: EXAMPLES for each operation and phase.
schemathesis: setup
	swift build --product gatepass
	scripts/schemathesis/run

# A picture of each page of the dashboard in every theme and language, into .build/screenshots.
screenshots: setup
	swift build --product gatepass
	scripts/browser/dashboard/run pictures .build/screenshots

setup:
	@scripts/setup
