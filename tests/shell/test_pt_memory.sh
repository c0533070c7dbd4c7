#!/bin/bash
# A report of a trace takes no more memory the longer the trace is: neither its bytes nor its calls are kept.
# Runs: slow
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/calls.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
! sanitized || skip "a sanitizer keeps memory of its own"
need python3
peak=$(workload peak) rounds=200
called_program called -DROUNDS=$rounds
pt_traces t 100000000 psb=4096 -- ./called
elf_maps called >t.maps

# long TIMES: the log of instructions, in which all rounds but the last ran so many times more often.
long() {
	python3 - "$1" $rounds <<'EOS'
import collections, struct, sys
more, rounds = int(sys.argv[1]), int(sys.argv[2])
log = [int(l, 16) for l in open('t.1.exp')]
often = {a for a, n in collections.Counter(log).items() if n == rounds}
head = next(a for a in log if a in often)
at = [i for i, a in enumerate(log) if a == head]
pack = lambda l: struct.pack('<%dQ' % len(l), *l)
out = sys.stdout.buffer
out.write(pack(log[:at[0]]))
for i in range(more):
	out.write(pack(log[at[0]:at[-1]]))
out.write(pack(log[at[-1]:]))
EOS
}
for run in short:20 long:320; do
	name=${run%:*}
	long "${run#*:}" | "$(helper trace/ptlong)" -o "$name" -m t.maps -s psb=4096,cyc >"$name.exp"
	rm "$name.exp"
	cp t.maps "$name.maps"
	PT_BUILD_ID=$(build_id_of called) PT_SWITCH=none pt_recording "$name" 1 0xe603 -1 100 1048576
done

# least FILE ARGUMENTS...: the least of three peaks, in KiB.
least() {
	for _ in 1 2 3; do
		"$peak" kib "$PREC" report --stdio -i "$@" >out 2>err || fail "report -i $*: status $?: $(<err)"
		cat kib
	done | sort -n | head -1
}
# Sixteen times as many calls: each kept with 8 bytes would be more.
short=$(least short.1.data --durations) long=$(least long.1.data --durations)
calls=$("$PREC" report -i long.1.data --durations -q -t '|' | awk -F'|' '{ n += $1 } END { print n }')
[ "$calls" -gt 1000000 ] || fail "only $calls calls"
[ $((long - short)) -lt $((calls * 8 / 1024)) ] || fail "durations of the short trace take $short KiB, of the long one $long KiB"

# The long trace again and again, as if it had been recorded so: less memory than half of what the file has.
{
	cat made.txt
	size=$(stat -c %s long.1.pt)
	pt_portion long.1.pt 0 "$size" -1 100 >one
	pad=$(((size + 7) / 8 * 8))
	for ((k = 1; k < 30; k++)); do
		sed -e "s/^aux \(.*\) off=0 \(.*\) t=[0-9]*/aux \1 off=$((k * pad)) \2 t=$((910000000 + k))/" \
			-e "s/^raw type=71 \(.\{16\}\).\{16\}/raw type=71 \1$(le 16 $((k * pad)))/" one
	done
} >more.txt
"$(helper mkdata/mkdata)" more.txt more.data
once=$(least long.1.data --itrace=i1000000i) often=$(least more.data --itrace=i1000000i)
more=$((($(stat -c %s more.data) - $(stat -c %s long.1.data)) / 1024))
[ $((often - once)) -lt $((more / 2)) ] || fail "$once KiB, and $often KiB of a file of $more KiB more"
