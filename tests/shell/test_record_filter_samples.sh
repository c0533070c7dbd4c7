#!/bin/bash
# A filter keeps the samples for which its expression holds, of those that the same event has without it, and counts the others.
. "$(dirname "$0")/lib/prec.sh"
need_root
FAULTS=$(workload faults)
"$PREC" record -e page-faults --filter 'pid != 0' -o data true 2>err || { cat err; skip "no BPF programs here"; }

# Each expression of prec beside the same in the shell's words, of what script prints.
cat >table <<'EOS'
pid == PID : pid == PID
pid != PID : pid != PID
pid == PID && tid == PID : pid == PID && tid == PID
pid == PID || uid == 1000 : pid == PID
pid == PID, uid == 1000 : 0
uid == 0, gid == 0 : 1
uid < 1, gid >= 1 : 0
cpu == 0 : cpu == 0
cpu > 0 : cpu > 0
cpu >= 1 || pid == PID : cpu >= 1 || pid == PID
period == 1 : 1
period > 1000 : 0
period >= 1 && (pid == PID || cpu == 0) : pid == PID || cpu == 0
addr & 0x1000 : addr & 0x1000
addr & 0x1000, addr & 0x2000 : (addr & 0x1000) && (addr & 0x2000)
addr >= MIDDLE : addr >= MIDDLE
addr < MIDDLE && pid == PID : addr < MIDDLE && pid == PID
ip >= IP : ip >= IP
ip < IP, addr > 4K || tid == PID : ip < IP && (addr > 4096 || tid == PID)
(pid == PID && (addr & 0x1000 || ip >= IP)) || (pid != PID && cpu == 0) : (pid == PID && (addr & 0x1000 || ip >= IP)) || (pid != PID && cpu == 0)
EOS
expect 'twenty expressions' 20 "$(wc -l <table)"

# A shell and two children of it, and the event once without a filter. The shell waits until the recorder is there.
cat >three <<EOS
$FAULTS 200 >/dev/null &
$FAULTS 100 >/dev/null
wait
EOS
samples() {
	"$PREC" script -i "$1" -F pid,tid,cpu,event,ip,addr 2>/dev/null | tr '[]:/' '    ' |
		awk '{ print $1, $2, $3 + 0, $4, "0x" $5, "0x" $6 }'
}
"$PREC" record -e page-faults/name=all/u -c 1 -d --sample-cpu -o data sh three 2>err
# What is in the middle of addresses and places.
middle() { samples data | awk -v n="$1" '{ print $n }' | sort | awk '{ all[NR] = $1 } END { print all[int(NR / 2)] }'; }
addr=$(middle 5) ip=$(middle 6)

# The unfiltered event is another one of the same faults: Linux gives samples of two of one kind the same id.
mkfifo go
nr=0
while IFS= read -r line <&3; do
	nr=$((nr + 1))
	{ read -r _ <go; exec sh three; } 3<&- &
	pid=$!
	line=${line//PID/$pid} line=${line//MIDDLE/$addr} line=${line//IP/$ip}
	"$PREC" record -c 1 -d --sample-cpu -e page-faults/name=all/u -e major-faults/name=major/u -e minor-faults/name=kept/u --filter "${line%% : *}" -p $pid \
		-o data -- sh -c "echo >go; while kill -0 $pid 2>/dev/null; do sleep 0.02; done" 2>err 3<&-
	samples data >both
	# A page that the kernel had dropped is a major fault, which the filtered event does not count.
	awk '{ fault = $1 FS $2 FS $5 FS $6 }
		NR == FNR { major[fault] += $4 == "major"; next }
		$4 == "all" && major[fault]-- <= 0' both both >unfiltered
	[ "$(wc -l <unfiltered)" -gt 300 ] || { cat err; fail 'too few faults'; }
	: >want
	dropped=0
	while read -r sample_pid tid cpu event at place; do
		words=${line##* : }
		words=${words//pid/$sample_pid} words=${words//tid/$tid} words=${words//cpu/$cpu}
		words=${words//addr/$at} words=${words//ip/$place}
		if ((words)); then
			echo "$sample_pid $tid $cpu kept $at $place" >>want
		else
			dropped=$((dropped + 1))
		fi
	done <unfiltered
	grep -w kept both >got || true
	# Faults of two CPUs at one time are in no order.
	sort -o want want
	sort -o got got
	expect_same "${line%% : *}" want got
	expect "dropped by ${line%% : *}" "$dropped" "$(sed -n 's/.*prec record: \([0-9]*\) samples were dropped by filters.*/\1/p' err)"
done 3<table
expect 'expressions' 20 "$nr"
"$PREC" report -i data >out 2>err
[ "$dropped" = 0 ] || expect 'dropped, as report has it' "# Samples dropped by filters: $dropped" "$(grep 'dropped by' out)"
! grep -q '\[lost-samples\]' err || { cat err; fail 'what is dropped on purpose is no loss'; }
if with_newperf 'what perf says of dropped samples'; then
	expect 'dropped, as perf has it' "$dropped" \
		"$("$PREC_PERF" report -i data --stats 2>/dev/null | awk '/LOST_SAMPLES .BPF/ { n += $NF } END { print n }')"
fi

# A clock of a fixed period: the samples of one CPU.
"$PREC" record -e cpu-clock -c 1000000 --filter 'cpu == 0 && period == 1000000' -a -o data "$(workload shares)" 1 >out 2>err
expect 'CPUs' 0 "$("$PREC" script -i data -F cpu 2>err | tr -d '[] ' | sort -u | sed 's/^0*//; s/^$/0/')"
"$PREC" record -e cpu-clock -c 1000000 --filter 'period != 1000000' -o data "$(workload shares)" 1 >out 2>err
expect 'no other period' 0 "$("$PREC" script -i data 2>/dev/null | wc -l)"

# What cannot be.
expect_status 129 "$PREC" record -e page-faults --filter 'pid = 1' -o data true 2>err
grep -q "an operator (== != < <= > >= &) is expected at '= 1', in 'pid = 1'" err || { cat err; fail 'a wrong filter'; }
expect_status 129 "$PREC" record -e page-faults --filter 'time > 1' -o data true 2>err
expect_status 129 "$PREC" record -e page-faults,sched:sched_switch --filter 'pid == 1' -o data true 2>err
need setpriv
chmod 777 .
cp "$PREC" prec
expect_status 1 setpriv --reuid 65534 --regid 65534 --clear-groups ./prec record -e page-faults:u --filter 'pid == 1' -o x true 2>err
grep -q 'bpf(2): Operation not permitted.*needs root, or CAP_BPF and CAP_PERFMON.*without it: record all samples' err ||
	{ cat err; fail 'without rights'; }
