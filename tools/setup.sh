#!/bin/sh
# System packages and the virtual environment. Called by make setup; says what it installs.
set -eu
missing=""
for p in $PACKAGES; do
    dpkg -s "$p" >/dev/null 2>&1 || missing="$missing $p"
done
if [ -n "$missing" ]; then
    echo "installing system packages:$missing"
    $SUDO apt-get update -qq
    # shellcheck disable=SC2086
    $SUDO env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
if [ ! -x "$VENV/bin/python" ]; then
    echo "making the virtual environment $VENV with $($PYTHON --version)"
    "$PYTHON" -m venv "$VENV" 2>/dev/null || {
        echo "installing system packages: python3-venv python3-dev"
        $SUDO apt-get install -y -qq python3-venv python3-dev >/dev/null
        rm -rf "$VENV"
        "$PYTHON" -m venv "$VENV"
    }
fi
echo "installing into $VENV: meson ninja meson-python pytest hypothesis numpy pillow"
"$VENV/bin/pip" install --quiet --disable-pip-version-check \
    "meson>=1.3" ninja "meson-python>=0.16" pytest hypothesis numpy pillow
