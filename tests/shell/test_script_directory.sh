#!/bin/bash
# Directories that perf recorded with --threads read as perf reads them; a part that is cut or missing is told of.
# Runs: alone, as the kernel leaves the mark of another recorder's build ids on maps, at which perf 6.1 aborts.
. "$(dirname "$0")/lib/prec.sh"
need_perf
need_events all
for options in '' -z; do
	rm -rf dir
	# shellcheck disable=SC2086
	"$PERF" record $options --threads -a -e cpu-clock -c 200000 -o dir "$(workload spin)" -1 300 >/dev/null 2>err </dev/null ||
		skip 'this perf knows no --threads'
	"$PREC" script -i dir -F comm,pid,tid,cpu,time,event,ip | tr -s ' ' | sort >got
	# perf 6.1 aborts at some compressed directories of its own.
	"$PERF" script -i dir -F comm,pid,tid,cpu,time,event,ip >text 2>/dev/null </dev/null ||
		"${PREC_PERF:-false}" script -i dir -F comm,pid,tid,cpu,time,event,ip >text 2>/dev/null </dev/null || continue
	tr -s ' ' <text | sort >want
	[ -s want ] || fail 'perf shows nothing'
	expect_same "perf record --threads $options" want got
	expect 'counted' "$(wc -l <want)" "$("$PREC" report -i dir --stats | awk '/SAMPLE events/ { print $3; exit }')"
done
"$PREC" script -i dir -j1 >one
"$PREC" script -i dir -j3 >three
expect_same 'any number of workers' one three
"$PREC" report -i dir --header-only | grep -q 'directory data version : 1' || fail 'no version'
# The last byte of a part.
rm -rf dir
"$PREC" record -q --threads=0/0 -C 0 -e cpu-clock -o dir "$(workload spin)" -1 100 >/dev/null
samples=$("$PREC" script -i dir | wc -l)
truncate -s -1 dir/data.0
expect_status 2 "$PREC" script -i dir >text 2>err
[ "$(wc -l <text)" -ge $((samples - 1)) ] || fail "$(wc -l <text) of $samples samples of a cut part"
expect_finding cut-record err "offset 0x[0-9a-f]* of 'dir/data.0'"
rm dir/data.0
mkfifo dir/data.0
status=0
timeout 60 "$PREC" script -i dir >text 2>err || status=$?
expect 'the status with a fifo for a part' 1 $status
grep -q "cannot open 'dir/data.0'" err || fail "a fifo for a part: $(<err)"
mv dir/data alone
rm -r dir
"$PREC" script -i alone >text 2>err
expect_finding missing-parts err
expect 'samples without their part' 0 "$(wc -l <text)"
