#!/bin/bash
# The program pprof takes what prec exports, and its numbers by function, thread and caller are report's.
. "$(dirname "$0")/lib/prec.sh"
need go
export PPROF_TMPDIR=$PWD HOME=$PWD
pprof() { go tool pprof -unit=ns -nodecount=1000000 -nodefraction=0 -edgefraction=0 "$@" 2>/dev/null; }

# Two events with different units, names that are awkward, recursion, a place without a symbol.
cat >in.txt <<'IN'
attr cycles type=hardware config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=2
feature arch=x86_64
comm 7/7 "two words"
comm 7/8 "q\"uote"
mmap2 7/7 0x10000+0x10000@0 r-xp "/no/such/prog"
mmap2 7/7 0x20000+0x10000@0 r-xp "/no/such/a;b.so"
sample 7/7 id=1 t=1 ip=0x10003 mode=user period=60 cpu=0 chain=user,0x10003,0x20001,0x10003,0x20001
sample 7/8 id=1 t=2 ip=0x20004 mode=user period=25 cpu=1 chain=user,0x20004,0x10002
sample 7/8 id=1 t=3 ip=0x50003 mode=user period=5 cpu=0 chain=user,0x50003
sample 7/7 id=2 t=5 ip=0x20004 mode=user period=3000000 cpu=0
IN
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o two.pb.gz
pprof -top -sample_index=cycles_event two.pb.gz >top
expect "flat and with callees" "60 85 [prog] 25 85 [a;b.so] 5 5 [unknown]" \
	"$(awk 'on { sub(/ns$/, "", $1); sub(/ns$/, "", $4); printf "%s%s %s %s", n++ ? " " : "", $1, $4, $6 } $1 == "flat" { on = 1 }' top)"
pprof -raw two.pb.gz >raw
expect "types" "cycles_sample/count cycles_event/count[dflt] cpu-clock_sample/count cpu-clock_event/nanoseconds" \
	"$(grep -A1 '^Samples:' raw | tail -1 | sed 's/ *$//')"
grep -q 'thread:\[two words\]' raw || fail "no label: $(head -30 raw)"
grep -q 'cpu:\[1 count\] pid:\[7 count\] tid:\[8 count\]' raw || fail "no numbers: $(head -30 raw)"
"$PREC" export -q -i in.data -e cpu-clock -o one.pb.gz
expect "one event" "samples/count cpu/nanoseconds[dflt]" "$(pprof -raw one.pb.gz | grep -A1 '^Samples:' | tail -1 | sed 's/ *$//')"
"$PREC" export -q -i in.data -e cpu-clock --samples -o one.pb.gz
expect "samples" "samples/count[dflt] cpu/nanoseconds" "$(pprof -raw one.pb.gz | grep -A1 '^Samples:' | tail -1 | sed 's/ *$//')"

need_events
"$PREC" record -q -g -o rec.data "$(workload demo)" >/dev/null 2>&1 || skip "cannot record"
for jobs in 1 8; do
	"$PREC" export -q -i rec.data -j$jobs -o rec.$jobs.pb.gz
done
expect_same "-j8 as -j1" rec.1.pb.gz rec.8.pb.gz
total() { "$PREC" report -i rec.data --stdio -g none 2>/dev/null | awk '/^# Event count/ { print $NF; exit }'; }
expect "sum" "$(total)" "$(pprof -top rec.1.pb.gz | sed -nE 's/.* of ([0-9]+)ns total.*/\1/p')"

# Own time, and with what was called, by function: of names that report has.
"$PREC" export -q -i rec.data --no-inline -o plain.pb.gz
pprof -top plain.pb.gz | awk 'on { n = $6; for (i = 7; i <= NF; i++) n = n " " $i; sub(/ns/, "", $1); print n, $1 + 0 } $1 == "flat" { on = 1 }' |
	grep -vE ' 0$|^\[' | sort >got
"$PREC" report -i rec.data -q --stdio --no-children -g none -s sym -F period,sym -t '|' 2>/dev/null |
	sed -nE 's/^ *([0-9]+) *\|\[.\] ([^0].*[^ ]) *$/\2 \1/p' | sort >want
expect_same "own time by function" want got
pprof -top plain.pb.gz | awk 'on { n = $6; for (i = 7; i <= NF; i++) n = n " " $i; sub(/ns/, "", $4); printf "%s %.2f\n", n, $4 * 100 / total }
	$1 == "flat" { on = 1 } / of [0-9]+ns total/ { total = $0; sub(/ns total.*/, "", total); sub(/.* /, "", total) }' |
	grep -E '^(blur|worker_main|start_thread|sharpen|histogram) ' | sort >got
"$PREC" report -i rec.data -q --stdio --no-inline -g none -s sym -F overhead_children,sym -t '|' 2>/dev/null |
	sed -nE 's/^ *([0-9.]+)% *\|\[.\] (.*[^ ]) *$/\2 \1/p' | grep -E '^(blur|worker_main|start_thread|sharpen|histogram) ' | sort >want
expect_same "with what was called" want got

# Inlined functions are between their callers and what they call.
pprof -peek '^render$' rec.1.pb.gz >peek
awk '/\| *render$/ { on = 1 } on && /blur/ { found = 1 } END { exit !found }' peek || fail "no blur below render: $(cat peek)"
pprof -traces rec.1.pb.gz | grep -q '(inline)' || fail "nothing is inlined"
