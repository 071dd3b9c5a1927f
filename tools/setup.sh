#!/bin/sh
# System packages and the virtual environment. Called by make setup; says what it installs.
set -eu

install_packages() {
    echo "installing system packages: $*"
    $SUDO apt-get update -qq
    $SUDO env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

missing=""
for p in $PACKAGES; do
    dpkg -s "$p" >/dev/null 2>&1 || missing="$missing $p"
done
# Debian's own Python comes without what makes virtual environments and without its headers.
"$PYTHON" -c "import ensurepip, venv" 2>/dev/null || missing="$missing python3-venv"
"$PYTHON" -c "import os, sysconfig
open(os.path.join(sysconfig.get_path('include'), 'Python.h')).close()" 2>/dev/null ||
    missing="$missing python3-dev"
# shellcheck disable=SC2086
[ -z "$missing" ] || install_packages $missing

if [ ! -x "$VENV/bin/python" ]; then
    echo "making the virtual environment $VENV with $("$PYTHON" --version)"
    "$PYTHON" -m venv "$VENV"
fi
echo "installing into $VENV: meson ninja meson-python pytest hypothesis numpy pillow mypy tabulate"
"$VENV/bin/pip" install --quiet --disable-pip-version-check \
    "meson>=1.3" ninja "meson-python>=0.16" pytest hypothesis numpy pillow mypy tabulate
