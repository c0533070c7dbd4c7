#!/bin/bash
# Doctor names the files of a program, or of a process, of which a report would miss symbols, and the package that has them.
. "$(dirname "$0")/lib/prec.sh"
need jq
need gcc
need strip
need ldd

cat >lib.c <<'IN'
static __attribute__((noinline)) int hidden(int x) { return x * x + 1; }
int shown(int x) { return hidden(x) + hidden(x + 1); }
IN
cat >main.c <<'IN'
#include <unistd.h>
int shown(int x);
int main(int argc, char **argv) { (void)argv; if (argc > 1) { write(1, "ready\n", 6); pause(); } return !shown(argc); }
IN
gcc -O1 -shared -fPIC -o libshown.so lib.c
gcc -O1 -o program main.c -L. -lshown -Wl,-rpath,"$PWD"
gcc -O1 -static -o static main.c lib.c
examined() { any_status "$PREC" doctor --json --no-overhead "$@" >json 2>err; }
said() { jq -r --arg f "$1" '.files[] | select(.file | endswith("/" + $f)) | .symbols' json; }
help() { jq -r --arg f "$1" '.files[] | select(.file | endswith("/" + $f)) | .help' json; }

examined ./program
expect "whole files" "yes yes" "$(said program) $(said libshown.so)"
expect "all that it is linked with" "$(ldd ./program | sed -nE 's/^[^/]*(\/[^ ]*) .*/\1/p' | sort)" \
	"$(jq -r '.files[].file' json | grep -v '/program$' | sort)"
strip libshown.so
examined ./program
expect "a library without its symbols" "yes some" "$(said program) $(said libshown.so)"
[[ $(help libshown.so) = *"debug symbols"* ]] || fail "what to do: $(help libshown.so)"
expect_status 0 "$PREC" doctor --no-overhead ./program >out 2>err || true
grep -q "^some .*libshown.so" out || fail "as text: $(cat out)"
strip --strip-section-headers static 2>/dev/null || strip -R .eh_frame -R .eh_frame_hdr static
examined ./static
expect "no symbol at all" no "$(said static)"
# A script is its interpreter's; a program is found by PATH.
printf '#!/usr/bin/env program\n' >script
chmod +x script
PATH=$PWD:$PATH examined script
expect "of a script" "$PWD/program" "$(jq -r '.files[0].file' json)"
# One that is not there.
mv libshown.so elsewhere.so
examined ./program
expect "a library that is not there" "no not found" "$(jq -r '.files[] | select(.file == "libshown.so") | "\(.symbols) \(.why)"' json)"
mv elsewhere.so libshown.so
expect_status 1 "$PREC" doctor --no-overhead ./no-such 2>err >out
grep -q "cannot look at './no-such'" err || fail "$(cat err)"

# A process: what it has mapped.
mkfifo started
./program wait >started &
read -r _ <started
examined -p $!
expect "mapped files" "$(awk '$2 ~ /x/ && $6 ~ /^\// { print $6 }' /proc/$!/maps | sort -u)" "$(jq -r '.files[].file' json | sort)"
expect "of a process" "yes some" "$(said program) $(said libshown.so)"
kill $!
expect_status 1 "$PREC" doctor --no-overhead -p 2147483647 2>err >out

# The package of a stripped file.
if command -v dpkg-query >/dev/null; then
	program=$(command -v sort)
	package=$(dpkg-query -S "$program" 2>/dev/null | cut -d: -f1) || package=
	examined sort
	if [ "$package" ] && [ "$(said sort)" = some ]; then
		[[ $(help sort) = "install $package-dbgsym"* ]] || fail "the package of $program: $(help sort)"
	else
		part_skipped "$program is of no package, or has its symbols"
	fi
fi

expect_status 1 "$PREC" doctor >/dev/full 2>err
grep -q "cannot write 'standard output': No space left" err || fail "a full disk is not told: $(<err)"
