#!/bin/bash
# The queries that come along print the numbers that perf's scripts print of the same recordings; pairs() those of SQL's windows.
. "$(dirname "$0")/lib/prec.sh"
need python3

# ---- pairs() beside window functions ----

{ printf 'name: begin\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n'
  printf '\tfield:int key;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:u32 n;\toffset:12;\tsize:4;\tsigned:0;\n\nprint fmt: "begin"\n'; } >begin
sed 's/begin/end/; s/ID: 7/ID: 8/' begin >end
cat >head.txt <<'T'
attr sys:begin type=tracepoint config=7 sample=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER ids=1 sample_id_all
attr sys:end type=tracepoint config=8 sample=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER ids=2 sample_id_all
feature tracing=sys:begin,sys:end
T
python3 - >body.txt <<'P'
import random
random.seed(7)
for i in range(4000):
    first = random.random() < 0.55
    print("sample 7/%d t=%d ip=0x400123 period=1 cpu=%d event=sys:%s raw=%s" % (7 + random.randrange(5), 1000 + 3 * i, random.randrange(3),
          "begin" if first else "end", ("0700" if first else "0800") + "0" * 12 + (random.randrange(-3, 4) & 0xffffffff).to_bytes(4, "little").hex() +
          i.to_bytes(4, "little").hex()))
P
cat head.txt body.txt >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" query -i in.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
ask() { "$PREC" query -q "$@" 2>err || fail "query $*: $(<err)"; }
rows() { ask --csv "$@" | tail -n +2 | tr -d '\r"'; }
windows() {	# KEY SECOND-KEY
	rows -i in.data "WITH e AS (SELECT $1 AS k, time, n, 0 AS done FROM sys_begin UNION ALL SELECT $2, time, n, 1 FROM sys_end),
		p AS (SELECT k, time, n, done, lag(done) OVER w AS was, lag(time) OVER w AS begin, lag(n) OVER w AS first
		FROM e WINDOW w AS (PARTITION BY k ORDER BY time)) SELECT begin, time, time - begin, first, n FROM p WHERE done AND was = 0 ORDER BY time"
}
for by in tid cpu key cpu=key key=cpu; do
	windows "${by%=*}" "${by#*=}" >want
	[ "$(wc -l <want)" -gt 300 ] || fail "by $by there are $(wc -l <want) pairs"
	for jobs in 1 3; do
		rows -j$jobs -i in.data "SELECT begin, end, duration, first_1, second_1 FROM pairs('sys_begin', 'sys_end', '$by', 'n', 'n')" >got
		expect_same "pairs by $by" want got
	done
done
expect "by thread without saying so" "$(windows tid tid | wc -l)" "$(rows -i in.data "SELECT count(*) FROM pairs('sys_begin', 'sys_end')")"
# Sorted here or by SQLite: the same rows in the same order.
pairs="pairs('sys_begin', 'sys_end', 'tid', 'key,tid,dso,n', 'key')"
for order in first_1 'first_1 DESC, second_1, first_4' 'first_3, first_2 DESC, duration, begin' 'first_5, end DESC' 'duration DESC, end'; do
	rows -i in.data "SELECT * FROM $pairs ORDER BY $order, end" >got
	rows -i in.data "WITH m AS MATERIALIZED (SELECT * FROM $pairs) SELECT * FROM m ORDER BY $order, end" >want
	expect_same "order by $order" want got
done
expect "grouped" "$(rows -i in.data "SELECT key, tid FROM (SELECT first_1 + 0 AS key, first_2 + 0 AS tid, sum(duration) AS ns FROM $pairs GROUP BY 1, 2 ORDER BY ns, 1, 2)")" \
	"$(rows -i in.data "SELECT key, tid FROM (SELECT first_1 AS key, first_2 AS tid, sum(duration) AS ns FROM $pairs GROUP BY first_1, first_2 ORDER BY ns, 1, 2)")"
expect "filters" "$(rows --tid 8 -i in.data "SELECT count(*) FROM $pairs")" "$(rows -i in.data "SELECT count(*) FROM $pairs WHERE first_2 = 8")"
expect "of two recordings" "$(windows tid tid | wc -l)" "$(rows -i in.data -i in.data "SELECT count(*) FROM b.pairs('sys_begin', 'sys_end')")"
expect "hits" "$(rows -i in.data 'SELECT tid, count(*), sum(key), sum(key * key) FROM sys_begin WHERE time GROUP BY tid ORDER BY tid')" \
	"$(rows -i in.data 'SELECT tid, sum(hits), sum(hits * key), sum(hits * key * key) FROM sys_begin GROUP BY tid ORDER BY tid')"
expect "each hit" "4000,4000" "$(rows -i in.data 'SELECT sum(hits), count(*) FROM (SELECT hits, time FROM sys_begin UNION ALL SELECT hits, time FROM sys_end)')"
# Conditions on hits, and their order, are SQLite's own.
for where in 'hits > 1' 'hits >= 2 AND hits < 1000' 'hits = (SELECT max(hits) FROM (SELECT hits, tid FROM sys_begin))' 'hits > 0'; do
	expect "where $where" "$(rows -i in.data "SELECT tid, hits FROM sys_begin WHERE ${where//hits /+hits } ORDER BY tid, +hits")" \
		"$(rows -i in.data "SELECT tid, hits FROM sys_begin WHERE $where ORDER BY tid, hits")"
	[ "$(rows -i in.data "SELECT tid, hits FROM sys_begin WHERE $where" | wc -l)" -gt 0 ] || fail "no hits where $where"
done
expect "the most hits first" "$(rows -i in.data 'SELECT hits FROM (SELECT key, hits FROM sys_begin) ORDER BY +hits DESC')" \
	"$(rows -i in.data 'SELECT hits FROM (SELECT key, hits FROM sys_begin) ORDER BY hits DESC')"
expect "by the event's own name" "$(rows -i in.data "SELECT count(*) FROM pairs('sys_begin', 'sys_end')")" \
	"$(rows -i in.data "SELECT count(*) FROM pairs('sys:begin', 'sys:end')")"
wrong() { expect_status 1 "$PREC" query -q -i in.data "SELECT * FROM $1" 2>err; grep -q "$2" err || fail "$1 says: $(<err)"; expect "one message of $1" 1 "$(wc -l <err)"; }
# Hits that wait for others take room, too.
{ cat head.txt; echo 'repeat 20000'; echo '  sample 7/{i+10} t={i+1000} ip=0x400123 period=1 cpu=0 event=sys:begin raw=07000000000000000000000000000000'; echo end; } >many.txt
"$(helper mkdata/mkdata)" many.txt many.data
expect_status 1 "$PREC" query -q -i many.data --max-memory=1 "SELECT count(*) FROM $pairs" 2>err
grep -q "'pairs' need more than the 1 MiB" err || fail "little room: $(<err)"
wrong "pairs" "'' was not recorded"
wrong "pairs('sys_begin')" "'' was not recorded"
wrong "pairs('sys_begin', 'samples')" "'samples' was not recorded"
wrong "pairs('sys_begin', 'sys_end', 'nothing')" "no column 'nothing'"
wrong "pairs('sys_begin', 'sys_end', 'tid=')" "no column ''"
wrong "pairs('sys_begin', 'sys_end', 'tid', 'n,n,n,n,n,n,n')" "more than 6"
wrong "pairs('sys_begin', 'sys_end', 'tid', 'n', 'level')" "no column 'level'"
wrong "threads t, pairs('sys_begin', t.comm)" 'stand in the statement'
wrong "pairs(NULL, 1, 2, 3)" "'' was not recorded"
wrong "pairs(1, 2, 3, 4, 5, 6)" 'too many arguments'

# ---- perf's scripts ----

need_tracepoints
scripts=/usr/lib/perf-core/scripts
with_perf && [ -d "$scripts" ] || { part_skipped "no perf with scripts"; exit 0; }
# record FILE OPTIONS: by prec, which perf reads. Another recorder may make this kernel write build ids that perf cannot read.
record() { "$PREC" record -q -B -N -o "$@" >/dev/null 2>&1; }
# by_perf FILE SCRIPT [ARGUMENTS]: its output; false: this perf has no such interpreter, or cannot run it.
by_perf() { perf script -i "$1" -s "$2" "${@:3}" >by_perf 2>by_perf.err; }
compared=0
same() {	# NAME: of what by_perf made "want", and a query "got"
	sort want >want.sorted
	sort got >got.sorted
	[ -s want ] || fail "perf's $1 prints nothing: $(head -3 by_perf)"
	expect_same "$1" want.sorted got.sorted
	compared=$((compared + 1))
}

calls=$(helper work/manycalls)
record calls.data -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit "$calls" 300 || fail "no system calls recorded"
if by_perf calls.data $scripts/python/syscall-counts.py; then
	awk 'NF == 2 && $1 ~ /^[0-9]+$/ { print $1 "," $2 }' by_perf >want
	rows -i calls.data @syscall-counts | cut -d, -f1,3 >got
	same syscall-counts.py
	by_perf calls.data $scripts/python/syscall-counts-by-pid.py
	awk '/^[^ ].*\[[0-9]+\]$/ { name = $0; sub(/ \[.*/, "", name); pid = $NF; gsub(/[^0-9]/, "", pid) }
		/^  [0-9]/ { print name "," pid "," $1 "," $2 }' by_perf >want
	rows -i calls.data @syscall-counts-by-pid | cut -d, -f1-3,5 >got
	same syscall-counts-by-pid.py
	by_perf calls.data $scripts/python/failed-syscalls-by-pid.py
	awk '/^[^ ].*\[[0-9]+\]$/ { name = $0; sub(/ \[.*/, "", name); pid = $NF; gsub(/[^0-9]/, "", pid) }
		/^  syscall: / { call = $2 } /^    err = / { print name "," pid "," call "," $NF }' by_perf | sort >want
	rows -i calls.data @failed-syscalls-by-pid | cut -d, -f1-3,6 >got
	same failed-syscalls-by-pid.py
else
	part_skipped "Python's scripts: $(tail -1 by_perf.err)"
fi
if by_perf calls.data $scripts/perl/failed-syscalls.pl; then
	awk 'NF == 2 && $2 ~ /^[0-9]+$/ { print $1 "," $2 }' by_perf >want
	rows -i calls.data @failed-syscalls >got
	same failed-syscalls.pl
fi
if record rw.data -e syscalls:sys_enter_read -e syscalls:sys_exit_read -e syscalls:sys_enter_write -e syscalls:sys_exit_write "$calls" 300 &&
   by_perf rw.data $scripts/perl/rw-by-pid.pl; then
	awk '/^read counts/ { what = "read" } /^write counts/ { what = "write" } /^failed/ { what = "" }
		what && $1 ~ /^[0-9]+$/ { print $2 "," $1 "," what "," $3 "," $4 (what == "read" ? "," $5 : "") }' by_perf >want
	rows -i rw.data @rw-by-pid | awk -F, '{ print $1 "," $2 "," $3 "," $4 "," $5 ($3 == "read" ? "," $6 : "") }' >got
	same rw-by-pid.pl
	awk '/^failed reads/ { what = "read" } /^failed writes/ { what = "write" } / counts / { what = "" }
		what && $1 ~ /^[0-9]+$/ { n[$2 "," $1 "," what] += $4 } END { for (k in n) print k "," n[k] }' by_perf >want
	rows -i rw.data @rw-by-pid | awk -F, '$7 { print $1 "," $2 "," $3 "," $7 }' >got
	same "failures of rw-by-pid.pl"
	by_perf rw.data $scripts/perl/rw-by-file.pl manycalls
	awk '/^file read/ { what = "read" } /^file write/ { what = "write" } /^unhandled/ { exit }
		what && $1 ~ /^[0-9]+$/ { print "manycalls," what "," $1 "," $2 "," $3 }' by_perf >want
	rows -i rw.data @rw-by-file | grep '^manycalls,' >got
	same rw-by-file.pl
fi
if record futex.data -e syscalls:sys_enter_futex -e syscalls:sys_exit_futex "$calls" 300 && by_perf futex.data $scripts/python/futex-contention.py; then
	sed -nE 's/(.*)\[([0-9]+)\] lock ([0-9a-f]+) contended ([0-9]+) times, ([0-9]+) avg ns \[max: ([0-9]+) ns, min ([0-9]+) ns\]/\1,\2,\3,0,\4,\5,\6,\7/p' by_perf >want
	rows -i futex.data @futex-contention | awk -F, '$4 == 0' >got
	# perf's average is one of averages, rounded each time.
	python3 - <<'P' || fail "futex-contention.py: $(diff want got | head -4)"
want, got = ({tuple(line.split(",")[:4]): [int(n) for n in line.split(",")[4:]] for line in open(name)} for name in ("want", "got"))
assert want.keys() == got.keys() and want
for key, (waits, average, longest, shortest) in want.items():
    assert [waits, longest, shortest] == [got[key][0], got[key][2], got[key][3]], key
P
	compared=$((compared + 1))
fi
# The field "success" is gone since Linux 4.17: with it the script takes the CPU from where nothing is.
sed 's/\$prio, \$success, \$target_cpu/$prio, $target_cpu/' $scripts/perl/wakeup-latency.pl >wakeup-latency.pl
if record sched.data -e sched:sched_switch -e sched:sched_wakeup "$calls" 300 && by_perf sched.data ./wakeup-latency.pl; then
	awk -F': ' '/^total/ { n = $2 } /^avg/ { a = $2 } /^min/ { s = $2 } /^max/ { l = $2 } END { print n "," a "," s "," l }' by_perf >want
	rows -i sched.data @wakeup-latency | awk -F, '{ printf "%d,%d,%d,%d\n", $1, $2, $3, $4 }' >got
	same wakeup-latency.pl
fi
if record chain.data -g -e page-faults -c 1 "$calls" 300 && by_perf chain.data $scripts/python/stackcollapse.py; then
	# Inlined functions are frames of their own for both; perf names what has no symbol otherwise.
	awk '{ print $NF }' by_perf | awk '{ n += $1 } END { print n }' >want
	rows -i chain.data @stackcollapse | awk '{ n += $NF } END { print n }' >got
	same stackcollapse.py
fi
[ "$compared" -gt 0 ] || part_skipped "perf runs none of its scripts"
echo "compared with $compared outputs of perf's scripts"
