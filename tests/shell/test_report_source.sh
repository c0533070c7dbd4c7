#!/bin/bash
# The sort keys srcline and srcfile: where in the source the time goes, as the source and perf say.
. "$(dirname "$0")/lib/prec.sh"
need_events
SHARES=$(workload shares)
"$PREC" record -q -e cpu-clock:u -o data "$SHARES" 2 150 >/dev/null

rows() {	# PROGRAM OPTIONS...: the rows of a report, blanks squeezed
	"$1" report -i data --stdio "${@:2}" </dev/null 2>/dev/null | grep -v '^#' | tr -s ' ' | sed 's/^ //; s/ $//' | grep .
}

# Each function is one line of a macro, so all that is in it is in that line.
rows "$PREC" -s sym >functions
rows "$PREC" -s sym,srcline >lines
for f in a_70 b_20 c_10; do
	line=$(grep -n "^FUNCTION($f" "$SRC/tests/work/shares.c" | cut -d: -f1)
	expect "the lines of $f" "$(grep " $f\$" functions) shares.c:$line" "$(grep " $f shares" lines)"
	expect "how many" 1 "$(grep -c " $f " lines)"
	rows "$PREC" -s srcline | grep -q " shares.c:$line\$" || fail "no shares.c:$line"
done
rows "$PREC" -s sym,srcfile >files
for f in a_70 b_20 c_10; do
	expect "the file of $f" "$(grep " $f\$" functions) shares.c" "$(grep " $f " files)"
done
expect 'the file' 'shares.c' "$(rows "$PREC" -s srcfile | head -1 | cut -d' ' -f2)"
rows "$PREC" -s srcfile --full-source-path | head -1 | grep -q '/shares\.c$' || fail "no directory: $(rows "$PREC" -s srcfile --full-source-path | head -1)"

# The same whoever looks it up, and as perf has it, but that the old one names other files for inlined functions of libraries.
for keys in srcline srcfile sym,srcline comm,srcline; do
	"$PREC" report -j1 -i data -s $keys >one
	"$PREC" report -j8 -i data -s $keys >eight
	expect_same "$keys by one thread" one eight
	for perf in $(perfs); do
		[ "$perf" ] && "$perf" --version >/dev/null 2>&1 || continue
		rows "$perf" -s $keys | grep "shares[.]c" >want || continue
		rows "$PREC" -s $keys | grep "shares[.]c" >got
		expect_same "$keys as $perf has it" want got
	done
done

# What no debug information knows: the place in the function, or in the file.
# Without its build id, by which somebody may have kept the whole program.
objcopy --strip-debug -R .note.gnu.build-id "$SHARES" bare
"$PREC" record -q -e cpu-clock:u -o data ./bare 1 100 >/dev/null
rows "$PREC" -s sym,srcline | grep -qE ' a_70 a_70\+[0-9]+$' || fail "without lines: $(rows "$PREC" -s sym,srcline | head -3)"
strip bare
"$PREC" record -q -e cpu-clock:u -o data ./bare 1 100 >/dev/null
rows "$PREC" -s srcline | grep -qE ' bare\[[0-9a-f]+\]$' || fail "without names: $(rows "$PREC" -s srcline | head -3)"
for perf in $(perfs); do
	[ "$perf" ] && "$perf" --version >/dev/null 2>&1 || continue
	rows "$perf" -s srcline | grep bare >want || continue
	rows "$PREC" -s srcline | grep bare >got
	expect_same "addresses as $perf has them" want got
done
