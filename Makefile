# make demo   install what is missing, build, and show a node under pressure
# make test   install what is missing, build, and run every test (fast ones, then live ones)
# make bench  the benchmarks behind docs/performance.md
# make chaos  a node of its own in trouble for MINUTES (10), and what must hold all the same; wants root
# make image  a container image of the release program, build/jettison-image.tar, without a registry
# make deb    a package for Debian, build/jettison_VERSION_ARCHITECTURE.deb
# make release-artifacts   what a release consists of, in build/artifacts: package, sources, archive for any distribution, SBOM;
#                          signed with SIGN=KEY
JOBS ?= $(shell nproc)
# As the presets have them, for whatever else builds.
export CCACHE_NOHASHDIR = 1
export CCACHE_DEPEND = 1
export CCACHE_SLOPPINESS = pch_defines,time_macros

.PHONY: demo test build release bench chaos fuzz format deb release-artifacts deps image install clean

demo: release
	build/release/jettison demo

test: build
	scripts/test.sh build/dev

build: deps
	cmake --preset dev $(CMAKE_OPTIONS)
	cmake --build --preset dev -j $(JOBS)

release: deps
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target jettison jettison-shim libjettison

bench: deps
	cmake --preset release
	cmake --build --preset release -j $(JOBS)
	scripts/bench.sh build/release

chaos: release
	scripts/chaos.sh build/release --minutes $(or $(MINUTES),10)

fuzz: deps
	scripts/fuzz.sh $(or $(SECONDS_EACH),60)

format:
	scripts/format.sh --fix

deps:
	@scripts/install-deps.sh

image: release
	scripts/image.sh build/jettison-image.tar $(IMAGE)

deb: release
	scripts/deb.sh build/release build

release-artifacts: release
	scripts/release-artifacts.sh $(if $(SIGN),--sign "$(SIGN)") build/release build/artifacts

PREFIX ?= /usr/local
install: release
	cmake --install build/release --prefix $(PREFIX) --component program

clean:
	rm -rf build
