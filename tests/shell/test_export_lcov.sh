#!/bin/bash
# Coverage from a trace is what the program counts itself: gcov's lines and functions of the same run, each with its count.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/calls.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
need gcov
cp "$SRC/tests/data/covered.c" .
gcc -O0 -g --coverage -static -no-pie -Wl,--build-id=sha1 -o covered covered.c 2>err || skip "no program with coverage: $(<err)"
PT_BUILD_ID=$(build_id_of covered)

# counts FILE: "kind name-or-line count" of an .info file.
counts() {
	sed -n 's/^DA:\([0-9]*\),\([0-9]*\).*/line \1 \2/p; s/^FNDA:\([0-9]*\),\(.*\)/function \2 \1/p' "$1" | sort
}

for n in 1 3 7; do
	rm -f ./*.gcda
	pt_traces t 3000000 psb=2048 -- ./covered $n
	elf_maps covered >t.maps
	pt_recording t 1 0xe601 -1 100 10000000
	# The traced run counts, too: all of it was traced, but its end.
	rm -f ./*.gcda
	any_status ./covered $n
	gcov -t covered-covered.gcda >text 2>err || { rm -f text; gcov -t -o . covered.gcda >text; }
	awk -F: '$2 + 0 > 0 && $1 !~ /-/ { c = $1; gsub(/[ *]/, "", c); print "line " $2 + 0, c ~ /#/ ? 0 : c }' text | sort >want
	[ "$(wc -l <want)" -gt 25 ] || fail "gcov counts only $(wc -l <want) lines: $(<err)"
	"$PREC" export -q -i t.1.data --dsos covered -o t.info
	counts t.info | grep '^line' >got
	expect_same "lines of covered $n" want got
	expect "lines in all" "LF:$(wc -l <want) LH:$(grep -vc ' 0$' want)" "$(grep '^L[FH]' t.info | xargs)"
done
expect 'functions' 'loops 1 main 1 never 1 pick 7 recurse 7' "$(counts t.info | sed -n 's/^function //p' | xargs)"
# if (n > 2) in never(4): once, and so.
line=$(grep -n 'if (n > 2)' covered.c | cut -d: -f1)
expect 'a condition' "BRDA:$line,0,0,1 BRDA:$line,0,1,0" "$(grep "^BRDA:$line," t.info | xargs)"
# for (...; i < n; ...): seven times on, and once out of it.
line=$(grep -n 'for (int i = 0; i < n; i++) {' covered.c | cut -d: -f1)
expect 'a loop' "1 7" "$(grep "^BRDA:$line," t.info | cut -d, -f4 | sort -n | xargs)"

command -v genhtml >/dev/null || { part_skipped 'what genhtml says: no lcov'; exit 0; }
genhtml --branch-coverage -o html t.info >said 2>&1 || { cat said; fail 'genhtml'; }
grep -E "lines.*: .*\\($(grep -vc ' 0$' want) of $(wc -l <want) lines\\)" said >/dev/null || { cat said; fail 'the totals of genhtml'; }
