#!/bin/sh
# A run of each fuzz target by libFuzzer, from its corpus:  tools/fuzz.sh [SECONDS [TARGET...]]
# Needs clang, and `make setup` first. What it finds that is new lies in build/fuzz/new/TARGET, an
# input that fails in build/fuzz/TARGET-*.
set -eu
cd "$(dirname "$0")/.."
BIN=$(cd "${VENV:-.venv}/bin" && pwd)
export PATH="$BIN:$PATH" # meson looks for ninja there
TIME=${1:-20}
[ $# -gt 0 ] && shift
BUILD=build/fuzz
CC=$(command -v clang || command -v clang-14)
export CC
mkdir -p build
reconfigure=""
if [ -f "$BUILD/build.ninja" ]; then reconfigure=--reconfigure; fi
# shellcheck disable=SC2086
"$BIN/meson" setup $reconfigure "$BUILD" -Dfuzzing=libfuzzer -Dpython=false -Dtests=false \
    -Dinstall_c=false -Dbuildtype=debugoptimized -Dwerror=true -Db_lundef=false \
    -Db_sanitize=address,undefined \
    -Dc_args="-fsanitize=fuzzer-no-link -fno-sanitize-recover=all" \
    >"$BUILD.log" 2>&1 || { cat "$BUILD.log"; exit 1; }
"$BIN/meson" compile -C "$BUILD" -j "${JOBS:-2}" >"$BUILD.log" 2>&1 ||
    { cat "$BUILD.log"; exit 1; }

export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1

run() {
    mkdir -p "$BUILD/new/$1"
    "$BUILD/fuzz/$1" -max_total_time="$TIME" -timeout=20 -rss_limit_mb=2500 -max_len=65536 \
        -artifact_prefix="$BUILD/$1-" "$BUILD/new/$1" "fuzz/corpus/$1" >"$BUILD/$1.log" 2>&1 ||
        echo "$1" >>"$BUILD/failed"
}

: >"$BUILD/failed"
targets=""
running=0
for source in fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    case " ${*:-$target} " in *" $target "*) ;; *) continue ;; esac
    targets="$targets $target"
    run "$target" &
    running=$((running + 1))
    if [ $((running % ${JOBS:-2})) = 0 ]; then wait; fi
done
wait
for target in $targets; do
    log=$BUILD/$target.log
    edges=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
    if grep -qx "$target" "$BUILD/failed"; then
        tail -n 60 "$log"
        echo "$target: FAILED"
    else
        echo "$target: $(grep -a '^Done' "$log"), $edges edges"
    fi
done
[ ! -s "$BUILD/failed" ]
