#!/bin/sh
# Tests under the sanitizers of gcc:
#   tools/sanitize.sh asan [pytest arguments]   addresses, leaks, undefined behaviour: C tests, fuzz
#                                               corpora, Python tests
#   tools/sanitize.sh tsan                      data races: the C tests that have threads, and the
#                                               Python tests of captured loops and of graphs
# Needs `make setup` first. Builds in build/asan and build/tsan.
set -eu
cd "$(dirname "$0")/.."
VENV=${VENV:-.venv}
BIN=$(cd "$VENV/bin" && pwd)
export PATH="$BIN:$PATH" # meson looks for ninja there
KIND=${1:?asan or tsan}
shift
BUILD=build/$KIND
mkdir -p build
CC=${CC:-gcc}
JOBS=${JOBS:-$(nproc)}
export CC
# The reports name lines of ours; a debug build would be too slow for the pictures.
COMMON="-Dbuildtype=debugoptimized -Db_ndebug=false -Db_lundef=false -Dinstall_c=false
        -Dwerror=${WERROR:-false} -Dtests=true -Ddefault_library=static"

# build SANITIZERS MESON-OPTIONS...
build() {
    sanitizers=$1
    shift
    reconfigure=""
    if [ -f "$BUILD/build.ninja" ]; then reconfigure=--reconfigure; fi
    # shellcheck disable=SC2086
    "$BIN/meson" setup $reconfigure "$BUILD" $COMMON -Db_sanitize="$sanitizers" \
        -Dc_args=-fno-sanitize-recover=all "$@" >"$BUILD.log" 2>&1 || { cat "$BUILD.log"; exit 1; }
    "$BIN/meson" compile -C "$BUILD" -j "$JOBS" >"$BUILD.log" 2>&1 || { cat "$BUILD.log"; exit 1; }
}

# The package, as Python finds it: $site
make_site() {
    site=$(pwd)/$BUILD/site
    rm -rf "$BUILD/dest" "$site"
    mkdir "$site"
    DESTDIR=$(pwd)/$BUILD/dest "$BIN/meson" install -C "$BUILD" --no-rebuild --quiet
    cp -r "$(find "$BUILD/dest" -type d -path '*-packages/headrace' -print -quit)" "$site/"
}

mkdir -p build
case $KIND in
asan)
    build address,undefined -Dpython=true -Dfuzzing=replay
    export UBSAN_OPTIONS=print_stacktrace=1
    ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1 \
        "$BIN/meson" test -C "$BUILD" --no-rebuild --print-errorlogs --timeout-multiplier 4

    # Python: the interpreter is not instrumented, so the runtime is loaded before it, its own
    # allocator is turned off, and leaks (its own are many) are the C tests' matter. A fork may
    # find the sanitizer's allocator locked by another thread, for ever.
    make_site
    runtime=$("$CC" -print-file-name=libasan.so)
    echo "Python tests with $runtime"
    # Where pytest-xdist is installed, on all CPUs. A report goes to the terminal, past pytest.
    parallel=""
    if "$BIN/python" -c 'import xdist' 2>/dev/null; then parallel="-n $JOBS"; fi
    # shellcheck disable=SC2086
    LD_PRELOAD=$runtime PYTHONMALLOC=malloc PYTHONPATH=$site HEADRACE_SANITIZED=address \
        ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
        "$BIN/python" -m pytest -q -p no:cacheprovider -k "not fork_in_the_middle and not forked_process_ends_as_usual" \
        --capture=sys $parallel "${@:-tests/python}"
    ;;
tsan)
    build thread -Dpython=true -Dfuzzing=off
    # Its shadow memory wants addresses that are not spread at random over the whole space.
    fixed=""
    if setarch "$(uname -m)" -R true 2>/dev/null; then fixed="setarch $(uname -m) -R"; fi
    # Some tests fork while threads run, which is what they are for.
    # shellcheck disable=SC2086
    TSAN_OPTIONS=halt_on_error=1:allocator_may_return_null=1:die_after_fork=0 \
        $fixed "$BIN/meson" test -C "$BUILD" --no-rebuild --print-errorlogs \
        --timeout-multiplier 4 pool pool_fork memory args args_defaults call \
        call_failures executor executor_threads reader reader_file reader_file_errors graph_router

    # The interpreter's locks are the C library's, which the runtime knows: so the extension's own
    # accesses are checked. Reports go to files, past pytest.
    make_site
    runtime=$("$CC" -print-file-name=libtsan.so)
    rm -f "$BUILD"/report.*
    echo "Python tests with $runtime"
    # shellcheck disable=SC2086
    LD_PRELOAD=$runtime PYTHONPATH=$site HEADRACE_SANITIZED=thread \
        TSAN_OPTIONS=halt_on_error=0:exitcode=66:die_after_fork=0:log_path=$(pwd)/$BUILD/report \
        $fixed "$BIN/python" -m pytest -q -p no:cacheprovider tests/python/test_capture_threads.py \
        tests/python/test_capture_life.py tests/python/test_capture_bodies.py \
        tests/python/test_graphs_threads.py
    if ls "$BUILD"/report.* >/dev/null 2>&1; then cat "$BUILD"/report.*; exit 1; fi
    ;;
*)
    echo "sanitize.sh: asan or tsan, not $KIND" >&2
    exit 2
    ;;
esac
