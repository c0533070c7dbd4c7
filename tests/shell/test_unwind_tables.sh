#!/bin/bash
# Over every instruction of large programs and libraries the compiled unwind tables say what libdw's evaluation says.
. "$(dirname "$0")/lib/prec.sh"
# Runs: slow
COMPARE=$(helper unit/unwind_rules_test)
CC=${CC:-cc}
HOME_OF_USER=$(getent passwd "$(id -u)" | cut -d : -f 6)

compare() {	# WHAT FILE
	[ -e "${2:-}" ] || { part_skipped "$1: not here"; return; }
	"$COMPARE" "$2" >said || fail "$1: $(tail -20 said)"
	grep -q ' 0 differ$' said || fail "$1: nothing was compared: $(<said)"
	nr=$((nr + 1))
}
# A library by what its name begins with, as programs find it.
library() {
	ldconfig -p | awk -v name="$1" 'index($1, name) == 1 { print $NF; exit }'
}
program() {
	local path
	path=$(command -v "$1") && readlink -f "$path"
}
nr=0
# With no argument: itself, the C library, the loader, others that it has mapped, and the vdso.
"$COMPARE" >said || fail "what is mapped: $(tail -20 said)"
for file in libc.so ld-linux /proc/self/fd/; do
	grep -q "$file.* 0 differ$" said || fail "not compared: $file: $(<said)"
	nr=$((nr + 1))
done
compare 'libstdc++' "$(library libstdc++.so)"
compare Python "$(ls /usr/bin/python3.* 2>/dev/null | grep -v config | head -1 || true)"
compare node "$(program node || true)"
compare libLLVM "$(library libLLVM)"
if command -v go >/dev/null; then
	GO111MODULE=off GOCACHE=$PWD/cache GOFLAGS= go build -o go "$SRC/tests/work/stacks.go"
	chmod -R u+w cache
fi
compare 'a Go program' "$(ls go 2>/dev/null || true)"
compare 'a Rust program' "$(program rustdoc || ls "$HOME_OF_USER"/.rustup/toolchains/*/bin/rustdoc 2>/dev/null | head -1 || true)"
compare bash "$(program bash)"
# shellcheck disable=SC2086
$CC -g -O2 -fno-asynchronous-unwind-tables -fomit-frame-pointer -I"$SRC" -D_GNU_SOURCE -o debug_frame "$SRC/tests/work/demo.c" -lpthread
compare '.debug_frame alone' debug_frame
grep -q '\.debug_frame: .* 0 differ$' said || fail "no .debug_frame: $(<said)"
[ $nr -ge 6 ] || fail "only $nr files were compared"
