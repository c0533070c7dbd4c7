#!/bin/bash
# Each header compiles alone, keeps itself from being read twice by its path's name; each .c includes its own first.
. "$(dirname "$0")/lib/prec.sh"
cd "$SRC"
CC=${CC:-cc}
FLAGS=$(pkg-config --cflags libelf libdw libzstd capstone)
bad=0
complain() {
	echo "$*"
	bad=1
}

while read -r h; do
	guard=$(tr 'a-z/.-' 'A-Z___' <<<"$h")
	grep -q "^#ifndef $guard\$" "$h" || complain "$h: no #ifndef $guard"
	echo "#include \"$h\""
	[ "$(grep -c "^#include \"$h\"" "$h")" = 0 ] || complain "$h includes itself"
	[ ! -f "${h%.h}.c" ] || continue	# the build has compiled it alone
	# shellcheck disable=SC2086
	printf '#include "%s"\n#include "%s"\n' "$h" "$h" |
		$CC -std=gnu11 -D_GNU_SOURCE -I. $FLAGS -Wall -Wextra -Werror -fsyntax-only -x c - >"$WORK/said" 2>&1 ||
		{ cat "$WORK/said"; complain "$h does not compile alone"; }
done < <(sources '*.h') >"$WORK/out"
while read -r c; do
	[ -f "${c%.c}.h" ] || continue
	first=$(sed -n 's/^#[ \t]*include *//p' "$c" | head -1)
	[ "$first" = "\"${c%.c}.h\"" ] || complain "$c: its first #include is $first, not its own header"
done < <(sources '*.c') >>"$WORK/out"
[ $bad = 0 ] || { grep -v '^#include' "$WORK/out"; fail "see above"; }
