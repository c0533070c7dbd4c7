#!/bin/bash
# Answers in SQL are those of script, report and export, whichever way a statement makes the tables be read.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tables.sh"
need jq

"$PREC" query -h >help 2>&1
"$PREC" record -q -o probe.data -- true 2>/dev/null || skip "no event can be recorded"
"$PREC" query -i probe.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
ask() { "$PREC" query -q "$@" 2>err || fail "query $*: $(<err)"; }
rows() { ask --csv "$@" | tail -n +2 | tr -d '\r'; }
exits() { expect_status "$1" "$PREC" query -i "$2" "$3" 2>err; grep -q "$4" err || fail "'$3' says: $(<err)"; }

cat >in.txt <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,WEIGHT read=ID sample_id_all mmap comm task mmap2
attr page-faults:u config=2 exclude_kernel exclude_hv sample=IP,TID,TIME,IDENTIFIER read=ID sample_id_all
feature hostname=vm arch=x86_64 osrelease=6.18.0 nrcpus=2
comm 100/100 "a parent" exec t=1000000000
mmap2 100/101 0x400000+0x1000@0x1000 r-xp "/nowhere/a,b;c" dev=8:1 ino=77 t=1000001000
sample 100/101 t=1000004000 ip=0x400123 cpu=1 period=250000 weight=7
sample 100/101 t=1000005000 ip=0x400124 event=page-faults:u
sample 100/101 t=1000006000 ip=0x700222 cpu=0 period=500000 weight=12345678901
T
"$(helper mkdata/mkdata)" in.txt in.data

# Values, and null where a fact is not recorded.
expect "samples" "1000004000,cpu-clock,250000,100,101,1,\"a,b;c\",7
1000005000,page-faults:u,1,100,101,,\"a,b;c\",
1000006000,cpu-clock,500000,100,101,0,,12345678901" "$(rows -i in.data 'SELECT time, event, period, pid, tid, cpu, dso, weight FROM samples')"
expect "sums" "cpu-clock,2,750000
page-faults:u,1,1" "$(rows -i in.data 'SELECT event, sum(samples), sum(period) FROM sums GROUP BY event')"
expect "orders of a statement" "101,101,cpu-clock,page-faults:u" "$(rows -i in.data 'SELECT (SELECT tid FROM sums ORDER BY tid, event LIMIT 1),
	(SELECT tid FROM samples ORDER BY tid, event LIMIT 1), (SELECT event FROM sums ORDER BY event LIMIT 1),
	(SELECT event FROM sums ORDER BY event DESC LIMIT 1) AS n' | tail -1)"
expect "JSON" '[{"cpu":1,"weight":7,"symbol":null},{"cpu":null,"weight":null,"symbol":null},{"cpu":0,"weight":12345678901,"symbol":null}]' \
	"$(ask --json -i in.data 'SELECT cpu, weight, symbol FROM samples ORDER BY time' | jq -c .)"
expect "equal names" '[{"tid":101,"tid_2":102,"tid_3":103}]' "$(ask --json -i in.data 'SELECT 101 AS tid, 102 AS tid, 103 AS tid' | jq -c .)"
# A statement that names no column has no addresses to name.
expect "a count alone" "3" "$(rows -i in.data 'SELECT count(*) FROM samples')"
expect "an event's name alone" "cpu-clock
page-faults:u" "$(rows -i in.data 'SELECT name FROM events')"
expect "maps" "4194304,4096,4096,\"/nowhere/a,b;c\"" "$(rows -i in.data 'SELECT start, size, pgoff, file FROM maps')"
expect "a name" "a parent" "$(rows -i in.data 'SELECT comm FROM processes WHERE pid = 100')"

# The parts of time that a statement leaves out are not read, and nothing else is missing.
for where in 'time >= 1000005000' 'time BETWEEN 1000004500 AND 1000005500' 'time < 1000005000 OR time > 1000005000' 'time = 1000006000' \
	     'time > 1000004000 AND tid = 101' 'time < 5 AND time > 7' 'time > 1000005000.5'; do
	expect "$where" "$(rows -i in.data "SELECT count(*), sum(period) FROM samples WHERE ${where//time/(time + 0)}")" \
		"$(rows -i in.data "SELECT count(*), sum(period) FROM samples WHERE $where")"
done
expect "two times in a statement" "1,2" \
	"$(rows -i in.data 'SELECT (SELECT count(*) FROM samples WHERE time < 1000005000), (SELECT count(*) FROM samples WHERE time >= 1000005000)')"

# Without times there are none, and neighbours of a number are no numbers.
cat >in.txt <<'T'
attr cpu-clock sample=IP,TID,PERIOD,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
comm 100/100 "p" exec
fork 101/101 parent=100/100
sample 101/101 ip=0x400123 period=250000
exit 101/101
fork 102/102 parent=101/101
fork 102/103 parent=102/102
sample 102/102 ip=0x400123 period=1
T
"$(helper mkdata/mkdata)" in.txt timeless.data
expect "no times" "100,,,
101,100,,
102,101,,
,250000
,1
0
0" "$(rows -i timeless.data 'SELECT pid, parent, begin, end FROM processes WHERE pid; SELECT time, period FROM samples;
	SELECT count(*) FROM samples WHERE time < 5; SELECT count(*) FROM samples WHERE time + 0 < 5' | grep -v '[a-z]')"
expect "numbers equal to 0" "5" "$(rows -i timeless.data "SELECT (SELECT count(*) FROM stacks WHERE id = 0) + (SELECT count(*) FROM stacks WHERE id = 0.0) +
	(SELECT count(*) FROM stacks WHERE id = '0') + (SELECT count(*) FROM stacks WHERE id = ' 0.0 ') + (SELECT count(*) FROM stacks WHERE id IN (-1, 0.5, 'a', NULL)) +
	(SELECT count(*) FROM stacks s JOIN (SELECT 0.0 AS n) ON s.id = n) AS n")"
# A tracepoint that was recorded twice, with more fields than a statement can have with the optional columns of samples.
{ printf 'name: hit\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n'
  for ((k = 0; k < 128; k++)); do printf '\tfield:u8\e[31m f%d;\toffset:8;\tsize:1;\tsigned:0;\n' $k; done
  printf '\tfield:u8 f%d;\toffset:8;\tsize:1;\tsigned:0;\n' 0; printf '\nprint fmt: "hit"\n'; } >format
cat >in.txt <<'T'
attr sys:hit type=tracepoint config=7 sample=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER ids=1
attr sys:hit2 type=tracepoint config=7 sample=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER ids=2
feature tracing=sys:format
sample 7/7 t=4 ip=0x400123 period=1 cpu=0 event=sys:hit raw=070000000000000009
sample 7/7 t=5 ip=0x400123 period=1 cpu=0 event=sys:hit2 raw=070000000000000008
T
"$(helper mkdata/mkdata)" in.txt twice.data
expect "both recordings of a tracepoint" "4,9,9
5,8,8" "$(rows -i twice.data 'SELECT time, f0, f127 FROM sys_hit')"
exits 1 twice.data 'SELECT * FROM sys_hit JOIN samples' "141 fields"
expect "one message" 1 "$(wc -l <err)"
exits 1 in.data "SELECT 'a', x'4100'" "x'4100'.*hex"
expect "types in the schema" "128 0" "$(ask --schema -i twice.data >out; echo "$(grep -c 'x1b' out) $(grep -c $'\e' out || true)")"
expect "controls" "\\x9b\\x1b[31m" "$(ask -i in.data 'SELECT char(155, 27) || '"'[31m'" | tail -1)"

# Only questions are answered, and wrong ones get an answer, too.
exits 1 in.data 'SELECT symbl FROM samples' "symbl"
exits 1 in.data $'SELECT 1;\nSELECT symbl FROM samples' "line 2"
exits 1 in.data 'SELECT * FROM nowhere' "schema"
for wrong in "ATTACH 'x.db' AS x" 'CREATE TABLE t(x)' 'PRAGMA user_version = 3' "VACUUM INTO 'x.db'" 'DELETE FROM samples' \
	     'CREATE TEMP TABLE t AS SELECT 1' 'BEGIN'; do
	exits 1 in.data "$wrong" "not a query\|may not be modified"
done
exits 1 in.data "SELECT load_extension('x')" "load_extension\|not authorized\|not a query"
[ ! -e x.db ] || fail "a query wrote a file"
expect_status 129 "$PREC" query -i in.data 2>err
expect_status 129 "$PREC" query -i in.data " ; " 2>err
expect_status 129 "$PREC" query -i in.data --json --csv 'SELECT 1' 2>err
exits 1 in.data @nothing "prec query -l"
for form in json parquet; do
	expect_status 1 "$PREC" query -i in.data --$form -o two 'SELECT 1; SELECT 2' 2>err
	grep -q 'second statement' err || fail "two results: $(<err)"
	[ ! -e two ] || fail "two results in one file"
done
expect_status 1 "$PREC" query -i in.data --max-memory=8 \
	'WITH RECURSIVE r(n, t) AS (SELECT 1, zeroblob(100000) UNION SELECT n + 1, zeroblob(100000 + n) FROM r) SELECT count(*) FROM r' 2>err
grep -q 'max-memory' err || fail "too much memory: $(<err)"
command "$PREC" query -i in.data 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r' 2>err & endless=$!
await 30 has_run $endless 50
kill $endless
wait $endless && fail "a query that was killed succeeded"

# Every table is in the man page with its columns, and its statement in the schema runs.
ask --schema -i in.data >schema
for table in $(sed -n 's/^\([a-z_]*\): .*/\1/p' schema); do
	[ $table != pairs ] || continue		# it takes arguments
	ask --json -i in.data "SELECT * FROM $table" >all.json
	jq -e 'type == "array"' all.json >/dev/null || fail "$table is no JSON"
done
if [ -e "$SRC/man/prec-query.1" ]; then
	man_words=$(sed 's/\\-/-/g; s/\\(en/-/g; s/\\&//g' "$SRC/man/prec-query.1")
	for word in $(awk '/^[a-z_]+: / { sub(/:.*/, ""); print } /^    / { print $1 }' schema); do
		grep -qw -- "$word" <<<"$man_words" || fail "prec-query(1) lacks '$word' of the schema"
	done
fi

# Real ones: the same sums as script and report, whatever the number of threads and the way a table is read.
"$PREC" record -q -g -e cpu-clock -e page-faults -F 999 -o real.data -- sh -c 'ls -lR /usr/include | sort >/dev/null' 2>/dev/null
"$PREC" script -q -i real.data -F comm,tid,event,period 2>/dev/null >lines
by_script=$(sed 's/^ *//' lines | awk '{ n[$(NF)]++; p[$(NF)] += $(NF - 1) } END { for (e in n) printf "%s,%d,%d\n", e, n[e], p[e] }' | sed 's/:,/,/' | sort)
for table in 'count(*), sum(period) FROM samples' 'sum(samples), sum(period) FROM sums'; do
	expect "$table" "$by_script" "$(rows -i real.data "SELECT event, $table GROUP BY event" | sort)"
done
rows -i real.data 'SELECT comm, symbol, count(*) FROM samples GROUP BY 1, 2 ORDER BY 1, 2' >by_sums
rows -i real.data 'SELECT comm, symbol, count(*) FROM samples WHERE time IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2' >by_time
rows -j1 -i real.data 'SELECT comm, symbol, sum(samples) FROM sums GROUP BY 1, 2 ORDER BY 1, 2' >by_table
cmp by_sums by_time || fail "sums and samples differ"
cmp by_sums by_table || fail "samples and the table of sums differ"
"$PREC" report -q -i real.data --stdio --no-children -g none -s symbol -F sample,symbol -t '|' -e page-faults 2>/dev/null | grep -v '^#' |
	awk -F'|' 'NF > 1 && $2 !~ /0x/ { sub(/^\[.\] /, "", $2); gsub(/^ +| +$/, "", $2); print $2 "," $1 + 0 }' | sort >by_report
rows --no-inline -i real.data "SELECT symbol, sum(samples) FROM sums WHERE event = 'page-faults' AND symbol IS NOT NULL AND symbol NOT LIKE '%@0x%' GROUP BY symbol" |
	tr -d '"' | sort >by_query
expect "page faults by function" "$(<by_report)" "$(<by_query)"

# Statements at random: samples that are told apart, sums of them in the order that SQLite asks for, and a copy without any of it.
awk -v seed=$(($(date +%s) / 86400)) 'function pick(n) { return int(rand() * n) }
	BEGIN {
		srand(seed); n = split("event pid tid comm cpu symbol dso level inlined function", column, " ")
		nr = split("IS NULL;IS NOT NULL;= (SELECT max(X) FROM sums);< (SELECT max(X) FROM sums);IN (SELECT X FROM sums LIMIT 3)", test, ";")
		for (i = 0; i < 80; i++) {
			keys = ""; order = ""
			for (k = pick(3); k >= 0; k--) {
				c = column[1 + pick(n)]
				keys = keys (keys ? ", " : "") c; order = order (order ? ", " : "") c (pick(2) ? " DESC" : "")
			}
			c = column[1 + pick(n)]; where = c " " test[1 + pick(nr)]; gsub(/X/, c, where)
			a = "SELECT " keys ", count(*) FROM samples WHERE " where " GROUP BY " keys
			b = "SELECT " keys ", count(*) FROM samples WHERE time IS NOT NULL AND " where " GROUP BY " keys
			m = "SELECT " keys ", count(*) FROM copy WHERE " where " GROUP BY " keys
			s = "SELECT " keys ", sum(samples) FROM sums WHERE " where " GROUP BY " keys
			o = "SELECT " keys " FROM samples WHERE " where " ORDER BY " order " LIMIT 50"
			q = "SELECT " keys " FROM copy WHERE " where " ORDER BY " order " LIMIT 50"
			print "WITH copy AS MATERIALIZED (SELECT * FROM samples) SELECT " i " AS n, (SELECT count(*) FROM (" a \
				")) > 0 AS some, (SELECT count(*) FROM (SELECT * FROM (" a " EXCEPT " b "))), (SELECT count(*) FROM (" b \
				" EXCEPT " s ")), (SELECT count(*) FROM (" s " EXCEPT " m ")), (SELECT count(*) FROM (" m " EXCEPT " a \
				")), (SELECT count(*) FROM (SELECT * FROM (" o ") EXCEPT SELECT * FROM (" q ")));"
		}
	}' >random.sql
"$PREC" record -q -g -e page-faults -c 1 -o small.data -- sh -c 'ls -l / | sort >/dev/null' 2>/dev/null
ask --csv -i small.data -f random.sql >random.out
expect "statements that agree" "80" "$(grep -c ',0,0,0,0,0' random.out)"
[ "$(grep -c '^[0-9]*,1,' random.out)" -gt 20 ] || fail "next to all statements are empty"

# Stacks: each sample's text is that of folded stacks; frames and functions say the same.
"$PREC" export -q -i real.data --format=folded -e cpu-clock 2>/dev/null | sed 's/^[^;]*;//' | sort >folded
ask -i real.data "SELECT stack_text(stack) || ' ' || sum(period) AS line FROM sums WHERE event = 'cpu-clock' GROUP BY comm, stack" |
	tail -n +3 | sort >stacks
cmp folded stacks || fail "stacks differ from folded ones: $(diff folded stacks | head -5)"
expect "frames of stacks" "0" "$(rows -i real.data 'SELECT count(*) FROM stacks s WHERE depth <> (SELECT count(*) FROM frames f WHERE f.stack = s.id)')"
expect "the innermost frame" "0" \
	"$(rows -i real.data 'SELECT count(*) FROM stacks s JOIN frames f ON f.stack = s.id AND f.level = 0 WHERE f.symbol IS NOT s.symbol')"
expect "functions in stacks" "0" "$(rows -i real.data "SELECT count(*) FROM sums WHERE symbol IS NOT NULL AND stack AND NOT stack_has(stack, symbol)")"

# The queries that come along.
for recipe in top top-by-thread lines by-second stackcollapse callers page-faults processes; do
	ask -i real.data "@$recipe" >out
	[ "$(wc -l <out)" -gt 2 ] || fail "@$recipe found nothing: $(<out)"
done
ask -l >list
[ "$(wc -l <list)" -ge 25 ] || fail "there are $(wc -l <list) queries"

# Recordings of other perfs: as many samples of each event as script prints.
if with_corpus; then
	for file in "$PREC_CORPUS"/*/*.data "$PREC_CORPUS"/quipper/*; do
		[ -f "$file" ] && [ "$(stat -c %s "$file")" -lt 400000 ] || continue
		any_status "$PREC" script -q -i "$file" -F event 2>/dev/null | awk '{ n[$1]++ } END { for (e in n) print e n[e] }' | sort >want
		any_status "$PREC" query -q --csv -i "$file" 'SELECT event, sum(samples) FROM sums GROUP BY event' 2>/dev/null |
			tail -n +2 | tr -d '"\r' | sed 's/,\([0-9]*\)$/:\1/' | sort >got
		[ -s want ] && { cmp -s want got || fail "$file: script has $(<want), query $(<got)"; }
		nr=$((${nr:-0} + 1))
	done
	[ "${nr:-0}" -gt 5 ] || fail "only ${nr:-0} recordings of the corpus were read"
fi

need_tracepoints
"$PREC" record -q -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -e sched:sched_switch -o calls.data -- \
	sh -c 'for i in 1 2 3 4 5; do cat /nowhere; done' >/dev/null 2>&1 || true
"$PREC" script -q -i calls.data -F comm,event,trace 2>/dev/null >calls
expect "calls that failed, by command" "$(awk '/sys_exit/ && $NF < 0 { n[$1]++ } END { for (c in n) print c "," n[c] }' calls | sort)" \
	"$(rows -i calls.data @failed-syscalls | sort)"
expect "system calls by number" "$(awk '/sys_enter/ { sub(/.*NR /, ""); n[$1]++ } END { for (c in n) print c "," n[c] }' calls | sort)" \
	"$(rows -i calls.data @syscall-counts | cut -d, -f1,3 | sort)"
# perf's scripts, where this perf has its interpreters.
scripts=/usr/lib/perf-core/scripts
if with_perf && perf script -i calls.data -s $scripts/perl/failed-syscalls.pl >perl.out 2>/dev/null; then
	expect "as failed-syscalls.pl" "$(awk 'NF == 2 && $2 ~ /^[0-9]+$/ { print $1 "," $2 }' perl.out | sort)" "$(rows -i calls.data @failed-syscalls | sort)"
fi
if with_perf && perf script -i calls.data -s $scripts/python/syscall-counts.py >python.out 2>/dev/null; then
	expect "as syscall-counts.py" "$(awk 'NF == 2 && $1 ~ /^[0-9]+$/ { print $1 "," $2 }' python.out | sort)" "$(rows -i calls.data @syscall-counts | cut -d, -f1,3 | sort)"
fi
# Percentiles are those of Python's statistics, and of no values there is none.
numbers=$(awk 'BEGIN { for (i = 0; i < 57; i++) printf "%s(%d)", i ? "," : "", i * i * 7919 % 1000 - 300 }')
expect 'a percentile of nothing' , "$(rows -i calls.data "SELECT percentile(tid, 50), median(tid) FROM samples WHERE comm = 'nobody'" | tail -1)"
expect 'a median' 3.500000 "$(rows -i calls.data 'SELECT median(column1) FROM (VALUES (1), (NULL), (9), (5), (2))')"
if command -v python3 >/dev/null; then
	expect 'percentiles' "$(python3 -c "import statistics as s
q = s.quantiles([$(tr -d '()' <<<"$numbers")], n=100, method='inclusive')
print(','.join('%f' % q[p - 1] for p in (1, 25, 50, 99)))")" \
		"$(rows -i calls.data "SELECT percentile(n, 1), percentile(n, 25), median(n), percentile(n, 99) FROM (SELECT column1 n FROM (VALUES $numbers))")"
fi
# Names of system calls are those of the kernel's header, which may be older than the kernel.
if [ "$(uname -m)" = x86_64 ] && echo '#include <asm/unistd_64.h>' | cc -E -dM - >header 2>/dev/null; then
	sed -nE 's/^#define __NR_([a-z0-9_]+) ([0-9]+)$/\2,\1/p' header | sort >want
	[ "$(wc -l <want)" -gt 300 ] || fail "the header has few system calls: $(head -3 want)"
	rows -i calls.data "SELECT column1, syscall_name(column1) FROM (VALUES $(sed 's/,.*/)/; s/^/(/' want | paste -sd,))" | sort >got
	expect_same 'names of system calls' want got
	expect 'names of no system calls' 1 "$(rows -i calls.data "SELECT coalesce(syscall_name(400), syscall_name(-1), syscall_name('1'),
		syscall_name(1 << 40), 1) AS name")"
else
	part_skipped "names of system calls: no header of x86_64's"
fi
[ "$(rows -i calls.data @syscall-times | wc -l)" -gt 3 ] || fail "no durations of calls"
# By stack: a program's own clock is around each of its calls, so that they took less, and slept as long as was asked at least.
cat >sleeps.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
static unsigned long slept[2];
static __attribute__((noinline)) void nap(int which, long ns)
{
	struct timespec t = { .tv_nsec = ns }, from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	syscall(SYS_nanosleep, &t, NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	slept[which] += (to.tv_sec - from.tv_sec) * 1000000000ul + to.tv_nsec - from.tv_nsec;
}
__attribute__((noinline)) void short_naps(void)
{
	for (int i = 0; i < 10; i++) nap(0, 1000000);
	__asm__ volatile("");
}
__attribute__((noinline)) void long_naps(void)
{
	for (int i = 0; i < 3; i++) nap(1, 20000000);
	__asm__ volatile("");
}
int main(void)
{
	short_naps();
	long_naps();
	printf("short_naps 10 10000000 %lu\nlong_naps 3 60000000 %lu\n", slept[0], slept[1]);
	return 0;
}
END
"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -o sleeps sleeps.c
"$PREC" record -q -g -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -o sleeps.data ./sleeps >slept
while read -r name calls least most; do
	sum=$("$PREC" query --json -i sleeps.data @syscall-times-by-stack 2>/dev/null |
		jq -r --arg name "$name" '[.[] | select(.stack | split(";") | index($name))] | "\(map(.calls) | add) \(map(.ns) | add)"')
	expect "calls in $name" "$calls" "${sum% *}"
	[ "${sum#* }" -ge "$least" ] && [ "${sum#* }" -le "$most" ] ||
		fail "calls in $name took ${sum#* } ns, and $least at least and $most at most by the program's clock"
done <slept
[ "$(rows -i calls.data @task-analyzer | wc -l)" -gt 0 ] || fail "nobody ran"
"$PREC" record -q --off-cpu -o waits.data -- \
	sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; for i in 1 2 3; do sleep 0.02; done' >/dev/null 2>&1
expect "waits" "$("$PREC" report -q -i waits.data --stdio -e offcpu-time -s comm,tid,state -F sample,period -t ' ' 2>/dev/null | grep -v '^#' |
	awk '{ n += $1; p += $2 } END { printf "%d,%d", n, p }')" "$(rows -i waits.data 'SELECT count(*), sum(duration) FROM waits')"
# The events of which waits are made are not those that report shows, and are no samples of a second.
expect "events that are shown" "cpu-clock+offcpu-time" "$(rows -i waits.data "SELECT group_concat(name, '+') FROM events WHERE shown AND samples")"
expect "samples by second" "$("$PREC" script -i waits.data -F event 2>/dev/null | grep -c cpu-clock)" \
	"$(rows -i waits.data @by-second | awk -F, '{ n += $2 } END { print n }')"
# Who counts samples of several events hears of it, on a terminal.
for sql in 'SELECT count(*) FROM samples' "SELECT count(*) FROM samples WHERE event = 'cpu-clock'"; do
	script -qec "$PREC query -i waits.data \"$sql\"" /dev/null </dev/null | grep -c 'the samples are of [0-9]* events (.*offcpu-time' || true
done >hints
expect "hints" "1 0" "$(xargs <hints)"
# That samples are of events of which waits are made is said everywhere, with their number.
"$PREC" query --csv -i waits.data "SELECT tid, count(*) FROM samples GROUP BY tid" >out 2>hint
expect "the samples that waits are made of" "$(rows -i waits.data 'SELECT sum(samples) FROM events WHERE NOT shown')" \
	"$(sed -n 's/^prec: \([0-9]*\) of the [0-9]* samples recorded are of events that waits are made of.*/\1/p' hint)"
hinted=$(sed -n 's/.*: WHERE \(event IN (SELECT name FROM events WHERE shown)\) leaves them out.*/\1/p' hint)
expect "the events without them" "cpu-clock offcpu-time" "$(rows -i waits.data "SELECT DISTINCT event FROM samples WHERE $hinted ORDER BY 1" | xargs)"
"$PREC" query --csv -i waits.data "SELECT count(*) FROM samples WHERE $hinted" >out 2>hint
! grep 'waits are made of' hint || fail 'a hint for a statement that names events'

# Other engines read what it writes.
need_tables "the rest passed"
"$PREC" query -q -i real.data --parquet -o real.parquet 'SELECT comm, symbol, samples, period FROM sums' || fail "no Parquet file"
expect "sums by DuckDB" "$(rows -i real.data 'SELECT sum(samples), sum(period), count(DISTINCT symbol) FROM sums' | tr , '|')" \
	"$(duckdb "SELECT sum(samples), sum(period), count(DISTINCT symbol) FROM 'real.parquet'")"
"$PREC" query -q -i real.data --parquet -o equal.parquet 'SELECT tid, samples AS tid FROM sums' || fail "no Parquet file of equal names"
expect "equal names by DuckDB" "$(rows -i real.data 'SELECT sum(tid), sum(samples) FROM sums' | tr , '|')" \
	"$(duckdb "SELECT sum(tid), sum(tid_2) FROM 'equal.parquet'")"
# A stream: by ClickHouse, and by DuckDB where its build for WebAssembly is there, which has a reader of Arrow.
"$PREC" query -q -i real.data --arrow -o real.arrow 'SELECT comm, symbol, samples, period FROM sums' || fail "no Arrow stream"
sums='sum(samples), sum(period), count(DISTINCT symbol)'
expect "sums of a stream by ClickHouse" "$(rows -i real.data "SELECT $sums FROM sums")" "$(chdb "SELECT $sums FROM file('real.arrow', ArrowStream)")"
if [ -d "$PREC_NODE_MODULES/@duckdb/duckdb-wasm" ]; then
	cat >arrow.cjs <<'JS'
const wasm = process.env.PREC_NODE_MODULES + "/@duckdb/duckdb-wasm/dist/";
const duckdb = require(wasm + "duckdb-node-blocking.cjs");
(async () => {
	const module = name => ({ mainModule: wasm + name, mainWorker: "" });
	const db = await duckdb.createDuckDB({ mvp: module("duckdb-mvp.wasm"), eh: module("duckdb-eh.wasm") }, new duckdb.VoidLogger(),
		duckdb.NODE_RUNTIME);
	await db.instantiate(() => {});
	const connection = db.connect();
	connection.insertArrowFromIPCStream(new Uint8Array(require("fs").readFileSync(process.argv[2])), { name: "t", create: true });
	for (const row of connection.query(process.argv[3]).toArray())
		console.log(Object.values(row.toJSON()).map(String).join(","));
})().catch(e => { console.error(String(e)); process.exit(1); });
JS
	expect "sums of a stream by DuckDB" "$(rows -i real.data "SELECT $sums FROM sums")" \
		"$("$PREC_NODE_MODULES/node/bin/node" arrow.cjs real.arrow "SELECT sum(samples) AS a, sum(period) AS b, count(DISTINCT symbol) AS c FROM t")"
else
	part_skipped "a stream by DuckDB: no @duckdb/duckdb-wasm in PREC_NODE_MODULES (npm)"
fi
# A column's type takes the values of its first 1,000 rows, whichever is first; what it does not take is counted.
ask -i in.data --parquet -o types.parquet "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1200)
	SELECT CASE WHEN n > 5 THEN n END AS whole, CASE WHEN n > 900 THEN n / 2.0 ELSE n END AS real, CASE n WHEN 1 THEN 7 ELSE 'x' END AS text FROM r"
expect "types" "BIGINT|DOUBLE|VARCHAR|720585|563010|1195" "$(duckdb "SELECT typeof(any_value(whole)), typeof(any_value(real)), typeof(any_value(text)),
	sum(whole), sum(real)::BIGINT, count(whole) FROM 'types.parquet' WHERE whole IS NOT NULL" | tr -d ' ')"
"$PREC" query -i in.data --parquet -o misfits.parquet "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1200)
	SELECT CASE WHEN n > 1100 THEN n + 0.5 ELSE n END AS a, CASE WHEN n > 1000 THEN 'x' ELSE n END AS b FROM r" 2>err
grep -q '300 values are missing or rounded' err || fail "misfits: $(<err)"

# Apache's own reader finds in a stream the columns, rows, nulls and sums that SQL gives; of several batches, of none, of any bytes.
if [ -d "$PREC_NODE_MODULES/apache-arrow" ]; then
	arrow() {	# SQL: "NAME:TYPE/SUM/NULLS" of each column, a text's sum that of its length in UTF-16, and the number of rows
		"$PREC" query -q -i real.data --arrow "$1" >out.arrow || fail "no stream: $1"
		"$PREC_NODE_MODULES/node/bin/node" --input-type=module -e '
			const { tableFromIPC } = await import(process.env.PREC_NODE_MODULES + "/apache-arrow/Arrow.node.mjs");
			const table = tableFromIPC((await import("fs")).readFileSync("out.arrow"));
			console.log([...table.schema.fields.map(field => {
				let sum = 0, nulls = 0;
				for (const v of table.getChild(field.name))
					v === null ? nulls++ : sum += typeof v === "string" ? v.length : Number(v);
				return `${field.name}:${field.type}/${sum}/${nulls}`;
			}), table.numRows].join(" "));'
	}
	expect 'an Arrow stream' "$(rows -i real.data 'SELECT sum(tid), sum(period), sum(length(symbol)), sum(symbol IS NULL), sum(period * 0.5), count(*) FROM samples' |
		awk -F, '{ half = sprintf("%.1f", $5); sub(/[.]0$/, "", half)
			printf "tid:Int64/%s/0 period:Int64/%s/0 symbol:Utf8/%s/%s half:Float64/%s/0 %s\n", $1, $2, $3, $4, half, $6 }')" \
		"$(arrow 'SELECT tid, period, symbol, period * 0.5 AS half FROM samples')"
	expect 'of several batches' 'i:Int64/20000100000/0 half:Float64/6666733333.5/66666 text:Utf8/2304771/28571 200000' "$(arrow "WITH RECURSIVE r(i) AS
		(SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 200000) SELECT i, CASE WHEN i % 3 THEN i * 0.5 END AS half,
		CASE WHEN i % 7 THEN printf('%d of them', i) END AS text FROM r")"
	expect 'of no rows' 'a:Utf8/0/0 0' "$(arrow 'SELECT 1 AS a WHERE 0')"
	expect 'of bytes that are no text' 'a:Utf8/2/0 null:Utf8/0/1 1' "$(arrow "SELECT CAST(x'ff41' AS TEXT) AS a, NULL AS \"null\"")"
	expect_status 1 "$PREC" query -q -i real.data --arrow -o two.arrow 'SELECT 1; SELECT 2' 2>err
	[ ! -e two.arrow ] || fail 'a stream of two results'
else
	part_skipped 'Arrow: no apache-arrow in PREC_NODE_MODULES (npm)'
fi
