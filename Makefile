# Headrace: the commands of the README. `make help` lists them.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# Meson looks for ninja on the path.
export PATH := $(abspath $(BIN)):$(PATH)
STAMP = $(VENV)/.setup-done
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
PACKAGES = build-essential pkg-config libjpeg62-turbo-dev libspng-dev zlib1g-dev libwebp-dev \
  libtiff-dev libcmocka-dev
PIP = $(BIN)/pip install --quiet --disable-pip-version-check

.PHONY: help setup build demo test test-c test-python dev generate clean

help:
	@echo "make setup     system packages, virtual environment, build"
	@echo "make demo      the main job on real photos (DATA=folder for your own)"
	@echo "make test      all tests"
	@echo "make dev       quick rebuild into build/site (PYTHONPATH=build/site)"
	@echo "make generate  stubs and docs/reference anew from the operators (after make dev)"

setup: build

$(STAMP): tools/setup.sh Makefile pyproject.toml
	PACKAGES="$(PACKAGES)" SUDO="$(SUDO)" PYTHON="$(PYTHON)" VENV="$(VENV)" sh tools/setup.sh
	@touch $@

# The package is built as a wheel and installed, as a user would have it.
build: $(STAMP)
	@echo "building the package and installing it into $(VENV)"
	@$(PIP) --no-build-isolation --no-deps --force-reinstall --config-settings=build-dir=build/wheel .

demo: build
	@$(PIP) scikit-image scikit-learn pillow
	$(BIN)/headrace demo $(DATA)

test: test-c test-python

# The C library with its tests, in a build of their own.
build/build.ninja: $(STAMP)
	$(BIN)/meson setup build -Dtests=true -Dfuzzing=replay >build-setup.log 2>&1 \
	  || { cat build-setup.log; exit 1; }
	@mv build-setup.log build/

test-c: build/build.ninja
	$(BIN)/meson compile -C build
	$(BIN)/meson test -C build --print-errorlogs

test-python: build
	$(BIN)/python -m pytest tests/python tests/parity

dev: build/build.ninja
	@$(BIN)/meson compile -C build | grep -E "error|warning|FAILED" ; true
	@rm -rf build/dest && DESTDIR=$(CURDIR)/build/dest $(BIN)/meson install -C build --no-rebuild --quiet
	@rm -rf build/site && mkdir build/site
	@cp -r $$(find build/dest -type d -path "*-packages/headrace") build/site/

# What is made from the operators' descriptors and kept in the tree.
generate: dev
	PYTHONPATH=build/site $(BIN)/python tools/make_stubs.py
	PYTHONPATH=build/site $(BIN)/python tools/make_reference.py

clean:
	rm -rf build dist
