#!/bin/bash
# Each header compiles alone, keeps itself from being read twice by its path's name; each .c includes its own first.
. "$(dirname "$0")/lib/prec.sh"
cd "$SRC"
CC=${CC:-cc}
FLAGS=$(pkg-config --cflags libelf libdw libzstd capstone)
mapfile -t headers < <(sources '*.h')
mapfile -t files < <(sources '*.c')
# The guard has the path's name.
awk 'FNR == 1 { path = FILENAME; guard = toupper(path); gsub("[/.-]", "_", guard); left[path] = guard; own = "#include \"" path "\"" }
	$0 == "#ifndef " guard { delete left[path] }
	index($0, own) == 1 { print path ": includes itself" }
	END { for (path in left) print path ": no #ifndef " left[path] }' "${headers[@]}" >"$WORK/out"
awk 'FNR == 1 { own = FILENAME; sub(/c$/, "h", own); first = !(getline line <own >= 0); close(own) }
	!first && /^#[ \t]*include / { first = 1; sub(/^#[ \t]*include */, "")
		if ($0 != "\"" own "\"") print FILENAME ": its first #include is " $0 ", not its own header" }' "${files[@]}" >>"$WORK/out"
[ ! -s "$WORK/out" ] || fail "$(<"$WORK/out")"
# The build has compiled a header alone that a .c of its name includes first.
for h in "${headers[@]}"; do
	[ ! -f "${h%.h}.c" ] || continue
	# shellcheck disable=SC2086
	printf '#include "%s"\n#include "%s"\n' "$h" "$h" |
		$CC -std=gnu11 -D_GNU_SOURCE -I. $FLAGS -Wall -Wextra -Werror -fsyntax-only -x c - >"$WORK/said" 2>&1 ||
		fail "$h does not compile alone: $(<"$WORK/said")"
done
