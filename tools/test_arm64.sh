#!/bin/bash
# The C library for arm64: built by a cross compiler with warnings as errors, its C tests run by an
# emulator. Debian's packages are installed where they are missing. Exit status 77: they cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."
BUILD=${1:-build/arm64}
BIN=$(cd "${VENV:-.venv}/bin" && pwd)
export PATH="$BIN:$PATH" # meson looks for ninja there
SUDO=$([ "$(id -u)" = 0 ] || echo sudo)
PACKAGES="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"
for library in libjpeg62-turbo-dev libspng-dev zlib1g-dev libwebp-dev libtiff-dev libcmocka-dev; do
    PACKAGES+=" $library:arm64"
done

if [ "$(uname -m)" != x86_64 ]; then echo "skipped: made for x86-64 machines"; exit 77; fi
if ! dpkg -s $PACKAGES >/dev/null 2>&1; then
    echo "installing $PACKAGES"
    $SUDO dpkg --add-architecture arm64
    $SUDO apt-get update -qq || true
    $SUDO apt-get install -y -qq --no-install-recommends $PACKAGES >/dev/null ||
        { echo "skipped: the packages for arm64 cannot be had"; exit 77; }
fi

mkdir -p "$BUILD"
cat >"$BUILD.ini" <<'END'
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkg-config = 'pkg-config'
exe_wrapper = ['qemu-aarch64-static', '-L', '/']
[properties]
pkg_config_libdir = '/usr/lib/aarch64-linux-gnu/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
[ -f "$BUILD/build.ninja" ] ||
    "$BIN/meson" setup "$BUILD" --cross-file "$BUILD.ini" -Dpython=false -Dtests=true \
        -Dwerror="${WERROR:-false}"
"$BIN/meson" compile -C "$BUILD"
# The emulator has threads of its own and stops in forks of processes with threads: not for `pool_fork`.
tests=$("$BIN/meson" test -C "$BUILD" --list 2>/dev/null | sed 's/.*[:/] *//' | grep -vx pool_fork)
# shellcheck disable=SC2086
"$BIN/meson" test -C "$BUILD" --no-rebuild --timeout-multiplier 10 --print-errorlogs $tests
