#!/bin/bash
# A program of the user's sees each sample and keeps those for which it returns no 0; what its maps count is printed.
# Runs: alone
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/bpf.sh"
need_bpf "$SRC/tests/work/runqlen.bpf.c" runqlen.o
SPIN=$(workload shares)

# Samples that are dropped are nowhere.
"$PREC" record -e cpu-clock -c 1000000 --bpf=runqlen.o:drop -o data "$SPIN" 1 50 >out 2>err
expect 'all are dropped' 0 "$("$PREC" script -i data 2>/dev/null | wc -l)"
expect_finding bpf-dropped err "event 'cpu-clock' kept 0 of [1-9][0-9]+ samples"
expect_kept data err
"$PREC" report -i data >out 2>err
expect_finding bpf-dropped err "event 'cpu-clock' kept 0 of [1-9][0-9]+ samples"
! grep -q 'did not run' err || { cat err; fail 'samples that a program dropped are blamed on what ran'; }
"$PREC" record -e cpu-clock -c 1000000 --bpf=runqlen.o:runqlen -o data "$SPIN" 1 50 >out 2>err
[ "$("$PREC" script -i data 2>/dev/null | wc -l)" -gt 10 ] || fail 'none is kept'

# Lengths of run queues: its histogram beside that of prec's own key, of the same samples. Each is counted once by both; which side of a
# switch it is on may differ.
# same_lengths: in a recording of which nothing was lost. Switches that are lost are missing where most happens: the key has other
# lengths there, and the program counts samples that are not in the recording.
same_lengths() {
	"$PREC" record -a -m 32M -e cpu-clock/period=1000000/ --bpf=runqlen.o:runqlen --bpf-maps \
		-e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task -o data "$SPIN" 6 300 >out 2>err
	"$PREC" report -i data -e cpu-clock/period=1000000/ -s runqlen -F runqlen,sample -t ' ' -q >out 2>err2
	! grep -q 'lost-samples' err2 || return 0
	grep -q '^# Map lengths' err || { cat err; fail 'no map'; }
	awk '/^# Map/ { on = 1 } on && /^ +[0-9]+ +[0-9]+ #/ { print $1, $2 }' err >program
	awk 'NF >= 2 && $1 ~ /^[0-9]+$/ { print $1, $2 }' out | sort -n >key
	awk '{ n += $2 } END { exit !(n > 100) }' program || { cat program err; fail 'the program counted nothing'; }
	awk 'FNR == NR { p[$1] = $2; np += $2; sp += $1 * $2; next } { k[$1] = $2; nk += $2; sk += $1 * $2; if (!($1 in p)) p[$1] = 0 }
		END {
			for (i in p) { d = p[i] / np - k[i] / nk; apart += (d < 0 ? -d : d) / 2 }
			if (apart > 0.05) print 100 * apart " % of the samples have another length"
			if (np != nk) print np " samples, and the key has " nk
			d = sp / np - sk / nk; if (d < 0) d = -d
			if (d > 0.1 * sk / nk + 0.1) print "the mean length is " sp / np ", and by the key " sk / nk
		}' program key >wrong
	[ ! -s wrong ]
}

# As in queues_agree(): of five recordings one has all switches.
for try in 1 2 3 4 5; do
	! same_lengths || break
	cat wrong
	[ $try != 5 ] || { cat program key; fail 'the histograms'; }
done
! grep -q 'lost-samples' err2 || part_skipped 'lengths of run queues: this machine is too busy to record all switches'

# The same by CPU, while 1, 4 and 16 threads run on one.
CROWD=$(workload crowd)
crowd() {	# NR
	"$PREC" record -q -N -a -m 16M --run-queue -F 499 -e cpu-clock --bpf=runqlen.o:runqlen --bpf-maps --json -o data \
		"$CROWD" "$1" "$(one_cpu)" 500 >out 2>err || return
	maps_of err | jq -r '.lengths[] | .key as $key | .values[] | select(.value > 0) | "\(.cpu) \($key) \(.value)"' >program
}
for nr in 1 4 16; do
	queues_agree "$nr threads" cpu-clock 0 crowd $nr
done

# Of a hash the keys are those that there are. The other maps of the object are printed, too.
"$PREC" record -a -m 8M -e cpu-clock -c 5000000 --bpf=runqlen.o:places --bpf-maps -o data "$SPIN" 2 200 >out 2>err || { cat err; fail 'a hash'; }
awk '/^# Map/ { on = $3 == "by_place" } on && /^ +[0-9]+ +[0-9]+ #/ { print $1 - 1000, $2 }' err | sort -n >program
"$PREC" script -i data -F cpu 2>err2 | awk '/^\[/ { n[substr($1, 2, 3) + 0]++ } END { for (cpu in n) print cpu, n[cpu] }' | sort -n >key
[ -s key ] || { cat err err2; fail 'no samples beside a hash'; }
grep -q lost-samples err2 || expect 'a hash' "$(<key)" "$(<program)"

# Global variables are set by name before the program is loaded, and printed as its BTF describes them.
"$PREC" record -a -m 8M -e cpu-clock -c 5000000 --bpf=runqlen.o:counts --bpf-set keeps=true --bpf-set place=SECOND --bpf-set lowest=-77 \
	--bpf-maps -o data "$SPIN" 2 200 >out 2>err || { cat err; fail 'variables'; }
"$PREC" script -i data -F cpu 2>err2 | awk '/^\[/ { n[substr($1, 2, 3) + 0]++ } END { for (cpu in n) print cpu, 2, n[cpu] }' | sort -n >key
awk -F '[][ ]+' '/^by_cpu.*slots/ { cpu = $2 } /^ +[0-9]+ +[0-9]+ #/ { print cpu, $2, $3 } /^#/ { cpu = "no variable" }' err |
	grep -v no | sort -n >program
[ -s key ] || { cat err err2; fail 'no samples beside variables'; }
grep -q lost-samples err2 || expect 'a variable by CPU' "$(<key)" "$(<program)"
for line in 'keeps (true|1)' 'place SECOND' 'lowest -77' 'by_cpu\[[0-9]+\].last ".*"' 'by_cpu\[[0-9]+\].lowest -77'; do
	grep -qE "^$line\$" err || { cat err; fail "no line of $line"; }
done
"$PREC" record -a -m 8M -e cpu-clock -c 5000000 --bpf=runqlen.o:counts --bpf-set keeps=1 --bpf-maps=50ms -o data "$SPIN" 2 300 >out 2>err
awk '/^# Time [0-9.]+ s$/ { n++; on = 1 } /^by_cpu.*slots/ { shown += on; on = 0 } END { exit !(n > 1 && shown > 1) }' err ||
	{ cat err; fail 'maps while it records'; }
for wrong in keep=1:keeps keeps=2:true place=THIRD:enum lowest=4294967296:signed by_cpu=1:integers =1:NAME; do
	expect_status 1 "$PREC" record -e cpu-clock --bpf=runqlen.o:counts --bpf-set "${wrong%:*}" -o data true 2>err
	grep -q "option '--bpf-set': .*${wrong#*:}" err || { cat err; fail "--bpf-set $wrong"; }
done
expect_status 129 "$PREC" record -e cpu-clock --bpf-set keeps=1 -o data true 2>err

# On a tracepoint it sees each hit, also where it keeps but some; a key that is a struct stands on one line.
"$PREC" record -e syscalls:sys_enter_write --bpf=runqlen.o:half --bpf-maps -o data dd if=/dev/zero of=/dev/null bs=1 count=101 \
	status=none >out 2>err || { cat err; fail 'a tracepoint'; }
expect 'hits that are kept' 50 "$("$PREC" script -i data -F event | wc -l)"
grep -A2 '^# Map hits' err >program
expect 'hits and kept ones' '101 50' "$(sed -nE 's/^\[.*\]\.(hits|kept) //p' program | xargs)"
expect_status 1 "$PREC" record -e syscalls:sys_enter_write --bpf=runqlen.o:runqlen -o data true 2>err
grep -q 'is of section "perf_event", and event .* takes those of SEC("tracepoint")' err || { cat err; fail 'of another kind'; }

# What a program writes itself stands in the recording: here, for each sample, how many there were on the CPU, and which CPU.
"$PREC" record -a -m 4M -e cpu-clock -c 5000000 --bpf=runqlen.o:tell -o data "$SPIN" 2 100 >out 2>err || { cat err; fail 'a program that writes'; }
"$PREC" script -i data -F event,cpu,bpf-output >out 2>err
awk '
	function byte(n) { return index("0123456789abcdef", substr($n, 1, 1)) * 16 - 16 + index("0123456789abcdef", substr($n, 2, 1)) - 1 }
	{ cpu = substr($1, 2, 3) + 0 }
	/cpu-clock:/ { kept[cpu]++; at = cpu }
	/bpf-output:/ { at = cpu }
	/BPF output: 0000:/ { written[at]++; if (byte(4) + 256 * byte(5) != written[at]) print "on CPU " at " " byte(4) ", not " written[at] }
	/^ +0008:/ { if (byte(2) != at) print "on CPU " at ", and it says " byte(2) }
	END {
		for (cpu in kept) {
			n += kept[cpu]
			if (kept[cpu] != written[cpu]) print kept[cpu] " samples, " written[cpu] + 0 " records on CPU " cpu
		}
		if (n < 10) print n + 0 " samples"
	}' out >wrong
[ ! -s wrong ] || { cat wrong; head -20 out; fail 'what the program wrote'; }

# The same through a ring buffer, out of which too large ones are left. Its samples are of no thread, and later than the others.
"$PREC" record -a -m 4M -e cpu-clock -c 5000000 --bpf=runqlen.o:ring --bpf-maps -o data "$SPIN" 2 600 >out 2>err ||
	{ cat err; fail 'a program that writes to a ring buffer'; }
! grep -q '^# Map messages' err || { cat err; fail 'a ring buffer is printed as a map'; }
expect_finding bpf-large err '[0-9]+ records? of BPF programs'
expect_kept data err
large=$(sed -nE 's/^prec: .*[^0-9]([0-9]+) records? of BPF programs.*/\1/p' err)
"$PREC" script -i data -F event,cpu,bpf-output >out 2>err
awk -v large="$large" '
	function byte(n) { return index("0123456789abcdef", substr($n, 1, 1)) * 16 - 16 + index("0123456789abcdef", substr($n, 2, 1)) - 1 }
	/cpu-clock:/ { kept[substr($1, 2, 3) + 0]++ }
	/BPF output: 0000:/ { number = byte(4) + 256 * byte(5) }
	/^ +0008:/ { if (number != ++written[byte(2)]) print "on CPU " byte(2) " " number ", not " written[byte(2)] }
	END {
		for (cpu in kept) {
			n += kept[cpu]
			want += int(kept[cpu] / 50)
			if (kept[cpu] != written[cpu]) print kept[cpu] " samples, " written[cpu] + 0 " records of CPU " cpu
		}
		if (n < 100) print n + 0 " samples"
		if (want != large) print want " large records, and " large " are told of"
	}' out >wrong
[ ! -s wrong ] || { cat wrong; head -20 out; fail 'what the program wrote to a ring buffer'; }
! grep -q 'bpf-full' err || { cat err; fail 'a ring buffer that has room'; }
expect 'no sample is out of order' '' "$(grep -o 'out of order.*' err)"

# What did not fit was not written; that there was such is told.
"$PREC" record -e cpu-clock -c 5000000 --bpf=runqlen.o:flood -o data "$SPIN" 2 100 >out 2>err || { cat err; fail 'a flood'; }
expect_finding bpf-full err '\(messages\) was full [0-9]+ times?'
expect_kept data err

# What cannot be.
expect_status 1 "$PREC" record -e cpu-clock --bpf=runqlen.o -o data true 2>err
grep -q "has more than one program: name one of runqlen (perf_event), drop (perf_event/drop)" err || { cat err; fail 'which program'; }
expect_status 1 "$PREC" record -e cpu-clock --bpf=runqlen.o:broken -o data true 2>err
grep -qE "does not take program 'broken' of 'runqlen.o' of event 'cpu-clock': R[0-9] invalid mem access.*without it: record" err ||
	{ cat err; fail 'a broken program'; }
expect_status 1 "$PREC" record -e cpu-clock --bpf=runqlen.o:large -o data true 2>err
grep -qiE "does not take program 'large' of 'runqlen.o' of event 'cpu-clock': .*too (large|complex).*without it: record" err ||
	{ cat err; fail 'a program that is too large'; }
expect_status 1 "$PREC" record -e cpu-clock --bpf=runqlen.o:other -o data true 2>err
grep -q 'is of section "xdp", and event .cpu-clock. takes those of SEC("perf_event")' err || { cat err; fail 'a program of another type'; }
echo 'no object' >text.o
expect_status 1 "$PREC" record -e cpu-clock --bpf=text.o -o data true 2>err
grep -q "cannot read 'text.o' as a BPF object" err || { cat err; fail 'no object'; }
expect_status 129 "$PREC" record -e cpu-clock --filter 'cpu == 0' --bpf=runqlen.o:drop -o data true 2>err
