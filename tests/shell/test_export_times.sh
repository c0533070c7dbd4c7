#!/bin/bash
# When threads were on a CPU, and losses, throttling and cut traces, are where viewers in time show them.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/page.sh"
need jq
MKDATA=$(helper mkdata/mkdata)

made() { cat >in.txt; "$MKDATA" in.txt in.data; }
# markers [OPTIONS]: "TID KIND CPU BEGIN END VALUE" of each marker, in ns since the first sample.
markers() {
	"$PREC" export -q -i in.data --format=firefox "$@" | gzip -dc | jq -r '.shared.stringArray as $s | .threads[] | .tid as $tid | .markers |
		range(.length) as $i | [$tid, $s[.name[$i]], .data[$i].cpu, (.startTime[$i] * 1e6 | round),
		(if .endTime[$i] == null then null else .endTime[$i] * 1e6 | round end), .data[$i].value] |
		map(if . == null then "-" else tostring end) | join(" ")'
}

# Thread 101 was there before: it ran from the first sample on. 102 ends without leaving, 103 runs to the end, what 104 did is lost.
# Of 105 to 107 a switch is missing, as others came to the CPU: when 105 left, and came back; when 106 left; when 107 came.
made <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all ids=1 context_switch
comm 100/101 "old" t=0
comm 100/104 "lost" t=0
sample 100/101 t=1000 ip=0x100 mode=user period=5 cpu=0
switch in 100/104 t=1050 cpu=3
switch out 100/101 t=1100 cpu=0
fork 100/102 parent=100/101 t=1200
comm 100/102 "new" t=1210
switch in 100/102 t=1250 cpu=1
exit 100/102 t=1400 cpu=1
switch in 100/103 t=1500 cpu=2
switch out 100/104 t=1550 cpu=1
switch in 0/0 t=1500 cpu=0
fork 100/105 parent=100/101 t=1200
fork 100/106 parent=100/101 t=1200
switch in 100/105 t=1250 cpu=4
switch in 100/106 t=1300 cpu=4
switch out 100/106 t=1350 cpu=4
switch out 100/105 t=1500 cpu=4
switch in 100/106 t=1550 cpu=5
switch in 0/0 t=1560 cpu=5
switch out 100/107 t=1570 cpu=5
lost id=1 n=30 t=1600 cpu=1
lost_samples n=4 t=1610 cpu=0
throttle t=1620 id=1 cpu=0
unthrottle t=1650 id=1 cpu=0
aux 100/101 off=0 size=4096 flags=1 t=1700 cpu=0
aux 100/101 off=4096 size=64 flags=0 t=1710 cpu=0
sample 100/101 t=2000 ip=0x100 mode=user period=5 cpu=0
IN
markers >got
grep -v '^recording' got | sort >threads
expect "time on a CPU" "101 on CPU 0 0 100 -
102 on CPU 1 250 400 -
103 on CPU 2 500 1000 -
106 on CPU 4 300 350 -" "$(grep 'on CPU' threads)"
grep -q '^101 trace truncated 0 700 - 4096$' got || fail "no mark where the trace was truncated: $(cat got)"
expect "of a whole CPU" "recording lost 1 600 - 30
recording lost samples 0 610 - 4" "$(grep '^recording lost' got)"
expect "throttling" "throttled 620
unthrottled 650" "$(sed -nE 's/^[^ ]+ (.*throttled) 0 ([0-9]+) - 1$/\1 \2/p' got)"
expect "kinds" "lost
lost samples
on CPU
throttled
trace truncated
unthrottled" "$("$PREC" export -q -i in.data --format=firefox | gzip -dc | jq -r '.meta.markerSchema[].name')"
expect "of one thread, with what is of none" "101 on CPU 0 0 100 -" "$(markers --tid 101 | grep 'on CPU')"
expect "of one name" "102 on CPU 1 250 400 -" "$(markers -c new | grep 'on CPU')"
expect "of one CPU" "recording lost 1 600 - 30" "$(markers -C 1 | grep lost)"
expect "of a stretch of time" "" "$(markers --time 0,0.000001120 | sed '/on CPU/d')"
expect "for any number of threads" "$(markers -j1)" "$(markers -j4)"
if command -v chromium >/dev/null; then
	"$PREC" export -q -i in.data -o in.html
	expect "what the page says of bars and marks" "on CPU: 4 intervals; lost: 1 mark (30); lost samples: 1 mark (4); throttled: 1 mark; unthrottled: 1 mark; trace truncated: 1 mark (4096)" \
		"$(dom in.html view=timeline | sed -nE 's/.*id="happenings"[^>]*>([^<]*)<.*/\1/p')"
	dom in.html 'view=timeline&lanes=cpus' >/dev/null
else
	part_skipped "what the page says: no chromium"
fi

# More intervals than are kept: the shortest gaps are closed, and a finding says so.
awk 'BEGIN {
	print "attr ev type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER sample_id_all ids=1 context_switch"
	print "sample 7/7 t=1000 ip=0x100 mode=user cpu=0"
	for (i = 0; i < 202000; i++) {
		t = 10000 + i * 1000
		print "switch in 7/7 cpu=0 t=" t
		print "switch out 7/7 cpu=0 t=" t + (i % 50 ? 100 : 800)
	}
}' >in.txt
"$MKDATA" in.txt in.data
"$PREC" export -i in.data -o in.json.gz 2>err
expect_finding times-joined err "less than 200 ns apart"
expect "intervals that are left" 197960 "$(gzip -dc in.json.gz | jq '[.threads[].markers.length] | add')"
expect "intervals of a part" 910 "$(markers --time 0.0001,0.001009 2>/dev/null | wc -l)"

# The time on a CPU is what the kernel charges, by switches or by sched_switch. What a virtual machine's host steals is not charged,
# and of some threads a kernel tells no switch: that of those before them is then not known.
stolen() { awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" { print $9 / hz }' /proc/stat; }
on_cpu() { gzip -dc "$1" | jq '[.threads[] | select(.name | startswith("charged")) | .markers | range(.length) as $i | select(.phase[$i] == 1) | (.endTime[$i] - .startTime[$i])] | add / 1000'; }
# from_switches FILE: "SECONDS UNKNOWN", of the thread that is named charged at the end: between samples of sched_switch that tell of its coming and
# leaving; and before it left where it is not told that it came.
from_switches() {
	"$PREC" script -i "$1" --ns -F tid,cpu,time,event,comm,trace 2>/dev/null | awk '
		{ match($0, / +-?[0-9]+ +\[[0-9]+\] +[0-9.]+: /); head = substr($0, RSTART, RLENGTH); split(head, h); cpu = h[2]; t = h[3] + 0 }
		NR == 1 { start = t }
		/^ *charged +[0-9]/ { tid = h[1] }
		/sched:sched_switch:/ { match($0, /next_pid=[0-9]+/); n++
			out[n] = h[1]; in_[n] = substr($0, RSTART + 9, RLENGTH - 9); at[n] = t; on[n] = cpu }
		END {
			for (i = 1; i <= n; i++) {
				if (out[i] == tid && came && where == on[i] && last[on[i]] == tid) sum += at[i] - came
				else if (out[i] == tid) unknown += at[i] - (on[i] in time ? time[on[i]] : start)
				if (out[i] == tid) came = 0
				if (in_[i] == tid) { came = at[i]; where = on[i] }
				last[on[i]] = in_[i]; time[on[i]] = at[i]
			}
			printf "%.6f %.6f\n", sum, unknown
		}'
}
# as_charged WHAT SECONDS UNKNOWN: what was charged, within 2 % for interrupts.
as_charged() {
	awk -v g="$2" -v w="$(<charged.out)" -v u="$3" -v s="$(stolen)" -v before="$STOLEN" 'BEGIN {
		exit !(g >= 0.98 * w - u && g <= 1.02 * w + s - before + 0.02) }' || fail "$1: $2, not $(<charged.out) ($3 not known, stolen $STOLEN to $(stolen))"
}
need_events
STOLEN=$(stolen)
"$PREC" record -q -o real.data --switch-events "$(workload charged)" 1 >charged.out
"$PREC" export -q -i real.data -o real.json.gz
as_charged "seconds on a CPU by switches" "$(on_cpu real.json.gz)" 0
need_tracepoints
STOLEN=$(stolen)
"$PREC" record -q -o sched.data -a -e sched:sched_switch,cpu-clock -- "$(workload charged)" 1 >charged.out
"$PREC" export -q -i sched.data -o sched.json.gz
read -r told unknown < <(from_switches sched.data)
expect_near "seconds that sched_switch tells" "$told" "$(on_cpu sched.json.gz)" 0.001
as_charged "seconds on a CPU by sched_switch" "$told" "$unknown"

# What is recorded of a command begins with its exec, though others' samples are older: before it the thread may not have run.
made <<'IN'
attr waking type=software config=9 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all ids=2
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all ids=1 context_switch comm enable_on_exec
comm 100/100 "prec" t=0
sample 50/50 t=1000 ip=0x100 mode=user period=5 cpu=1 id=2
comm 100/100 "program" t=1600 exec cpu=0
switch out 100/100 t=1700 cpu=0
switch in 100/100 t=1800 cpu=1
comm 100/100 "next" t=1850 exec cpu=1
switch out 100/100 t=1900 cpu=1
IN
expect "from its exec on" "100 on CPU 0 600 700 -
100 on CPU 1 800 900 -" "$(markers | grep 'on CPU')"
