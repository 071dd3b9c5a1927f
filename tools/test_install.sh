#!/bin/sh
# Installs the C library to temporary places and uses it as a stranger would:
#   - with PREFIX and with DESTDIR, shared and static, through pkg-config and CMake (where it is);
#   - each public header by itself as C11 and C++17;
#   - the symbols of libheadrace.so are exactly those that the headers declare.
# Needs `make setup` first. Says what it does; exits with 1 at the first fault.
set -eu
cd "$(dirname "$0")/.."
ROOT=$(pwd)
BIN=$(cd "${VENV:-.venv}/bin" && pwd)
export PATH="$BIN:$PATH" # meson looks for ninja there
CC=${CC:-cc}
CXX=${CXX:-c++}
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT

say() { printf '%s\n' "install: $*"; }
die() { printf '%s\n' "install: FAILED: $*" >&2; exit 1; }

say "build with PREFIX $TMP/prefix"
[ -f build/install/build.ninja ] && again=--reconfigure || again=""
"$BIN/meson" setup $again build/install -Dpython=false -Dtests=false -Dfuzzing=off \
    -Dwerror="${WERROR:-false}" \
    --prefix "$TMP/prefix" >build/install.log 2>&1 || { cat build/install.log; exit 1; }
"$BIN/meson" compile -C build/install -j "${JOBS:-2}" >build/install.log 2>&1 ||
    { cat build/install.log; exit 1; }
"$BIN/meson" install -C build/install --quiet --no-rebuild
LIB=$(dirname "$(find "$TMP/prefix" -name libheadrace.a)")
[ -f "$LIB/libheadrace.so" ] || die "no libheadrace.so"
[ -f "$LIB/pkgconfig/headrace.pc" ] || die "no headrace.pc"

say "the same tree under DESTDIR"
DESTDIR=$TMP/stage "$BIN/meson" install -C build/install --quiet --no-rebuild
(cd "$TMP/prefix" && find . | sort) >"$TMP/list"
(cd "$TMP/stage$TMP/prefix" && find . | sort) | diff "$TMP/list" - || die "DESTDIR differs"

say "manual pages, one a header, without warnings"
MAN=$(dirname "$(dirname "$(find "$TMP/prefix" -name headrace.1)")")
for header in include/headrace/*.h; do
    name=$(basename "$header" .h)
    [ "$name" = headrace ] && page=$MAN/man3/headrace.3 || page=$MAN/man3/headrace_$name.3
    [ -s "$page" ] || die "no manual page of $header"
    for f in $(sed -n 's/.*HR_API.* \**\(hr_[a-z0-9_]*\)(.*/\1/p' "$header"); do
        grep -q "$f(" "$page" || die "$page does not have $f"
    done
done
for page in "$MAN"/man1/*.1 "$MAN"/man3/*.3; do
    if mandoc -V >/dev/null 2>&1; then
        mandoc -Tlint -W warning "$page" || die "mandoc: $page"
    elif groff --version >/dev/null 2>&1; then
        warnings=$(LC_ALL=C.UTF-8 groff -ww -man -Tutf8 -z "$page" 2>&1)
        [ -z "$warnings" ] || die "groff: $warnings"
    fi
done
say "$(ls "$MAN"/man*/* | wc -l) pages"

say "headers, each by itself, as C11 and C++17"
INCLUDE=$TMP/prefix/include
strict="-pedantic-errors -Wall -Wextra -Werror"
for header in "$INCLUDE"/headrace/*.h; do
    name=headrace/$(basename "$header")
    [ -f "include/$name" ] || die "$name is installed but not in include"
    printf '#include <%s>\n#include <%s>\nextern int x;\n' "$name" "$name" >"$TMP/h.c"
    cp "$TMP/h.c" "$TMP/h.cc"
    "$CC" -std=c11 $strict -I"$INCLUDE" -c "$TMP/h.c" -o "$TMP/h.o"
    "$CXX" -std=c++17 $strict -I"$INCLUDE" -c "$TMP/h.cc" -o "$TMP/h.o"
done
for header in include/headrace/*.h; do
    [ -f "$INCLUDE/headrace/$(basename "$header")" ] || die "$header is not installed"
done

say "symbols against headers"
nm -D --defined-only "$LIB/libheadrace.so" | awk '{ print $3 }' | sort >"$TMP/exported"
cat "$INCLUDE"/headrace/*.h | "$CC" -fpreprocessed -dD -E -P -x c - 2>/dev/null |
    grep -v '^#' | tr '\n' ' ' | tr ';{}' '\n\n\n' | grep 'HR_API' |
    sed -E 's/.*HR_API//; s/\(.*//; s/.*[ *]//' |
    sort >"$TMP/declared"
diff "$TMP/declared" "$TMP/exported" ||
    die "declared (<) and exported (>) symbols differ"
grep -v '^hr_' "$TMP/exported" && die "symbols without the prefix"
say "$(wc -l <"$TMP/exported") symbols, all declared, all hr_"

say "no printing, no ending of the program, no constructor"
nm -D --undefined-only "$LIB/libheadrace.so" | awk '{ sub(/@.*/, "", $2); print $2 }' >"$TMP/used"
grep -xE '_?exit|abort|(__)?v?f?printf(_chk)?|f?puts|putchar|perror|stdout|stderr|__assert_fail' "$TMP/used" &&
    die "the library prints, or ends the program"
[ "$(grep -rlE '__attribute__.*constructor' src | wc -l)" = 0 ] || die "a constructor in src"

say "pictures"
"$BIN/python" - "$TMP/pictures" <<'EOF'
import os, sys
from PIL import Image
folder = sys.argv[1]
os.mkdir(folder)
for i in range(20):
    colour = (250, 10 * i, 30)
    name = f"{folder}/p{i:02}." + ("png" if i % 2 else "jpg")
    Image.new("RGB", (40 + i, 30), colour).save(name)
with open(f"{folder}/p03.png", "r+b") as f:
    f.truncate(60)
EOF

# check PROGRAM: runs it on the pictures; one of them is broken.
check() {
    status=0
    "$1" "$TMP/pictures" 32 48 >"$TMP/out" 2>&1 || status=$?
    [ "$status" = 1 ] || { cat "$TMP/out"; die "$1: exit status $status"; }
    grep -q '^p05.png  45 x 30 -> 48 x 32  mean 250.0 50.0 30.0$' "$TMP/out" &&
        grep -q '^p03.png  .*[a-z]' "$TMP/out" && grep -q '^20 pictures, 1 broken, ' "$TMP/out" ||
        { cat "$TMP/out"; die "$1: wrong output"; }
    status=0
    "$1" "$TMP/no such folder" >"$TMP/out" 2>&1 || status=$?
    [ "$status" = 2 ] && grep -q 'no such folder": No such file' "$TMP/out" ||
        { cat "$TMP/out"; die "$1: a missing folder"; }
}

# check_learner PROGRAM: the graphs of a file of calls.
check_learner() {
    "$1" "$TMP/calls.txt" >"$TMP/out" 2>&1 || { cat "$TMP/out"; die "$1: failed"; }
    [ "$(grep -c '^graph ' "$TMP/out")" = 3 ] && grep -q '^graph 0, 3 calls$' "$TMP/out" &&
        grep -q '^    axis 0: batch0  (1 times the batch size in all 3 samples' "$TMP/out" &&
        grep -q '^    axis 1: dim1  (from 12 to 30' "$TMP/out" &&
        grep -q '^    axis 2: 224  (always 224 in 2 samples of batch sizes 8 to 16' "$TMP/out" ||
        { cat "$TMP/out"; die "$1: wrong output"; }
    status=0
    echo '2 x=2,three' >"$TMP/broken.txt"
    "$1" "$TMP/broken.txt" >"$TMP/out" 2>&1 || status=$?
    [ "$status" = 2 ] && grep -q '^line 1: x: sizes are' "$TMP/out" ||
        { cat "$TMP/out"; die "$1: a broken line"; }
}

export PKG_CONFIG_PATH="$LIB/pkgconfig"
export LD_LIBRARY_PATH="$LIB"
say "pkg-config: $(pkg-config --modversion headrace), shared"
cp examples/c/* "$TMP/"
make -s -C "$TMP" clean all CC="$CC" CFLAGS="-O1 -Wall -Wextra -Werror"
ldd "$TMP/decode_folder" | grep -q "$LIB/libheadrace.so.0" || die "not linked with libheadrace.so.0"
check "$TMP/decode_folder"
check_learner "$TMP/learn_shapes"

say "pkg-config --static: $(pkg-config --static --libs-only-l headrace)"
needed=$(readelf -d "$LIB/libheadrace.so" | sed -n 's/.*(NEEDED).*\[lib\(.*\)\.so.*/-l\1/p')
for lib in $needed; do
    case $lib in -lc | -lpthread) continue ;; esac
    case " $(pkg-config --static --libs headrace) " in
    *" $lib "*) ;;
    *) die "headrace.pc: --static lacks $lib" ;;
    esac
    case " $(pkg-config --libs headrace) " in
    *" $lib "*) die "headrace.pc: $lib is private" ;;
    esac
done
mkdir "$TMP/archive"
cp "$LIB/libheadrace.a" "$TMP/archive/"
make -s -C "$TMP" clean decode_folder STATIC=1 CC="$CC" LDFLAGS="-L$TMP/archive"
ldd "$TMP/decode_folder" | grep -q libheadrace && die "the archive was not taken"
check "$TMP/decode_folder"

if cmake --version >/dev/null 2>&1; then
    say "CMake: $(cmake --version | head -n 1), from a tree that was moved"
    mv "$TMP/stage$TMP/prefix" "$TMP/moved"
    cat >"$TMP/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.13)
project(example C)
find_package(headrace 0.1 REQUIRED)
foreach(kind headrace headrace_static)
  add_executable(with_${kind} decode_folder.c)
  target_compile_definitions(with_${kind} PRIVATE _DEFAULT_SOURCE)
  target_link_libraries(with_${kind} PRIVATE headrace::${kind})
endforeach()
EOF
    unset LD_LIBRARY_PATH
    cmake -S "$TMP" -B "$TMP/cm" -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$TMP/moved" \
        >"$TMP/log" 2>&1 && cmake --build "$TMP/cm" >>"$TMP/log" 2>&1 ||
        { cat "$TMP/log"; die "CMake"; }
    check "$TMP/cm/with_headrace"
    check "$TMP/cm/with_headrace_static"
else
    say "CMake is not here: its config file is not tested"
fi
say "all in order"
