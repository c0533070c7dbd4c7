#!/bin/bash
# Go's pprof takes what prec exports, and its numbers by function are report's; inlined functions, recursion, two events too.
. "$(dirname "$0")/lib/prec.sh"
need go
export HOME=$WORK PPROF_TMPDIR=$WORK GOFLAGS=-mod=mod GOTOOLCHAIN=local

pprof() {
	go tool pprof -symbolize=none -nodecount=100000 -nodefraction=0 -edgefraction=0 "$@" 2>pprof.err || fail "pprof $*: $(<pprof.err)"
}

# Recursion, direct and mutual, in a recording whose numbers are known: a() calls a(), b() and c() call each other.
cat >in.txt <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
attr page-faults:u config=2 exclude_kernel exclude_hv sample=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all
feature hostname=vm arch=x86_64 osrelease=6.18.0 nrcpus=2
comm 100/100 "a b;'c" exec t=1000000000
mmap2 100/100 0x400000+0x1000@0x1000 r-xp "/nowhere/a b" dev=8:1 ino=77 t=1000001000
sample 100/100 t=1000004000 ip=0x400123 cpu=0 period=250000 chain=user,0x400123,0x400123,0x400123,0x400456
sample 100/100 t=1000006000 ip=0x400222 cpu=1 period=500000 chain=user,0x400222,0x400333,0x400222,0x400333,0x400456
sample 100/100 t=1000007000 ip=0x400222 period=3 chain=user,0x400222,0x400456 event=page-faults:u
T
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o in.pb.gz
pprof -raw in.pb.gz >raw
grep -q '^cpu-clock:samples/count cpu-clock/nanoseconds\[dflt\] page-faults:u:samples/count page-faults:u/count$' raw ||
	fail "sample types: $(sed -n '/^Samples/{n;p}' raw)"
grep -q "thread:\[a b;'c\]" raw || fail "no label of the thread: $(grep thread raw)"
grep -q 'cpu:\[0 number\]' raw || fail "CPU 0 is not there: $(grep cpu: raw)"
grep -q ' /nowhere/a b ' raw || fail "no mapping"
pprof -top -sample_index=cpu-clock -unit=ns in.pb.gz | awk '$1 ~ /ns$/ { print $NF, $1, $4 }' | sort >top
expect "own and all time; recursion counts once" "$(printf '%s\n' '0x1123 250000ns 250000ns' '0x1222 500000ns 500000ns')" "$(<top)"
pprof -top -sample_index=page-faults:u in.pb.gz >faults
grep -Eq '^ +3 +100% ' faults || fail "page faults: $(<faults)"

# One sample, and none.
grep -v -e t=100000[67] in.txt >one.txt
"$(helper mkdata/mkdata)" one.txt one.data
"$PREC" export -q -i one.data -o one.pb.gz
expect "one sample" 1 "$(pprof -raw one.pb.gz | grep -c 'thread:')"
grep -v '^sample' in.txt >none.txt
"$(helper mkdata/mkdata)" none.txt none.data
"$PREC" export -q -i none.data -o none.pb.gz 2>/dev/null

need_events
"$PREC" record -q -g -o rec.data "$(workload demo)" >/dev/null 2>&1 || skip "cannot record"
"$PREC" export -q -i rec.data --no-inline -o rec.pb.gz
"$PREC" export -q -i rec.data --no-inline -j1 -o rec1.pb.gz
cmp rec.pb.gz rec1.pb.gz || fail "it differs with the number of threads"
"$PREC" report -q -i rec.data --stdio --no-children -g none -s sym -F period,sym -t '|' 2>/dev/null |
	grep -v '^#' | sed -nE 's/^ *([0-9]+) *\|\[.\] (.*[^ ]) *$/\2 \1/p' | sort >report.txt
pprof -top -unit=ns -sample_index=cpu rec.pb.gz | awk '$1 ~ /^[0-9.]+ns$/ { v = $1; sub("ns", "", v); for (i = 1; i <= 5; i++) $i = ""
	sub(/^ +/, ""); if (v > 0) printf "%s %.0f\n", $0, v }' | sort >pprof.txt
expect_same "own time by function" report.txt pprof.txt

# Inlined functions are lines of one location, the innermost first.
"$PREC" export -q -i rec.data -o inline.pb.gz
pprof -traces inline.pb.gz >traces
"$PREC" report -i rec.data --stdio -G 2>/dev/null | grep -q 'clock_ns (inlined)' && ! grep -q clock_ns traces && fail "no inlined function in pprof"
expect "all time" "$(awk '{ s += $NF } END { printf "%.0f", s }' report.txt)" \
	"$(pprof -raw inline.pb.gz | awk '/^ +[0-9]+ +[0-9]+: / { sub(":", "", $2); s += $2 } END { printf "%.0f", s }')"
