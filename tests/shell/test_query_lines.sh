#!/bin/bash
# The table of lines has what report sums up by line, and what samples and frames say of them.
. "$(dirname "$0")/lib/prec.sh"
need gcc

cat >work.c <<'C'
static volatile unsigned long sum;
static inline __attribute__((always_inline)) void add(unsigned long n) {
	for (unsigned long i = 0; i < n; i++)
		sum += i * i;
}
__attribute__((noinline)) void deep(int n) {
	if (n)
		deep(n - 1);
	else
		add(3000000);
	sum++;
}
int main(void) {
	for (int i = 0; i < 10; i++)
		deep(5);
	for (unsigned long i = 0; i < 30000000; i++)
		sum ^= i;
	return 0;
}
C
gcc -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o work work.c
"$PREC" record -q -g -e cpu-clock:u -F 999 -o work.data ./work 2>/dev/null || skip "cpu-clock cannot be recorded"
"$PREC" query -i work.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
rows() { "$PREC" query -q --csv -i work.data "$@" 2>err | tail -n +2 | tr -d '\r' || fail "$*: $(<err)"; }

"$PREC" report -q -i work.data --no-children --inline -g none -s srcline -n -t '|' 2>/dev/null |
	awk -F'|' '$3 ~ /work.c:[1-9]/ { gsub(/ /, ""); sub(/.*work.c:/, "", $3); n[$3] += $2 } END { for (l in n) print l "," n[l] }' | sort >want
[ "$(wc -l <want)" -ge 2 ] || fail "report knows no lines: $(<want)"
rows "SELECT line, sum(samples) FROM lines WHERE file LIKE '%/work.c' AND samples GROUP BY line" | sort >got
expect_same "samples of lines" want got

expect "all samples" "$(rows 'SELECT count(*), sum(period) FROM samples WHERE stack')" "$(rows 'SELECT sum(samples), sum(self) FROM lines')"
rows "SELECT file, line, symbol, sum(n), sum(period) FROM (SELECT DISTINCT s.stack, f.file, f.line, f.symbol, s.n, s.period FROM
	(SELECT stack, sum(samples) AS n, sum(period) AS period FROM sums GROUP BY stack) s JOIN frames f ON f.stack = s.stack)
	WHERE line IS NOT NULL GROUP BY file, line, symbol ORDER BY file, line, symbol" >want
rows 'SELECT file, line, symbol, total_samples, total FROM lines WHERE line IS NOT NULL ORDER BY file, line, symbol' >got
expect_same "totals" want got
rows "SELECT total_samples >= samples, count(*) FROM lines WHERE symbol = 'deep' AND file LIKE '%/work.c' GROUP BY 1" >got
grep -q '^1,' got || fail "deep has no lines"
expect "the call that calls itself counts once" 1 "$(rows "SELECT max(total_samples) <= (SELECT sum(samples) FROM lines) AS fits FROM lines")"
