#!/bin/bash
# What record -n counts is what perf stat counts of the same run: hits exactly, clocks within a hundredth; and by CPU where it ran.
# Runs: alone, as its probe is in everybody's list of tracepoints.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_perf
need_tracepoints
[ -w "$TRACEFS/uprobe_events" ] || skip "no uprobe_events"
PLACES=$(workload places) GROUP=prec_counts_$$
removed() {
	! grep -q "$GROUP/step " "$TRACEFS/uprobe_events" || echo "-:$GROUP/step" >>"$TRACEFS/uprobe_events" || return 1
} 2>/dev/null
at_end 'await 60 removed'
echo "p:$GROUP/step $PLACES:0x$(nm "$PLACES" | awk '$3 == "step" { print $1 }')" >>"$TRACEFS/uprobe_events" ||
	skip "no probe can be defined"

# Both are attached to a process that waits, and end with it.
EVENTS=syscalls:sys_enter_mmap,syscalls:sys_enter_write,page-faults,minor-faults,$GROUP:step,task-clock,cpu-clock
mkfifo go
bash -c 'read -r _ <go; for ((i = 0; i < 100000; i++)); do :; done; exec "$@"' _ "$PLACES" 300 >/dev/null &
program=$!
perf stat -x , -o perf.text -e "$EVENTS" -p $program &
stat=$!
"$PREC" record -n -N -e "$EVENTS" -e "u:$PLACES:step" -o data -p $program >out 2>err &
record=$!
# has_events PID...: so many as it is to open, on a CPU or more.
has_events() {
	for _ in "$@"; do
		[ "$(readlink "/proc/$1/fd/"* 2>/dev/null | grep -c perf_event)" -ge 7 ] || return 1
		shift
	done
}
await 30 has_events $stat "$(pgrep -P $record prec || echo $record)"
sleep 0.5	# until they are switched on
echo >go
wait $program $stat
wait $record || { cat err; fail 'record -n'; }

awk -F , '!/^#/ && NF > 3 { print $3, $1 }' perf.text >want
[ "$(wc -l <want)" = 7 ] || { cat perf.text; fail 'perf stat'; }
# counts FILE: name and number of each
counts() {
	awk 'NF == 2 && $1 ~ /^[0-9]+$/ { print $2, $1 } $2 == "msec" && NF == 3 { print $3, $1 }' "$1"
}
counts err >got
"$PREC" report -i data --stdio 2>/dev/null >out
counts out >shown
expect_same 'what report prints again' got shown
expect 'hits of a probe of its own' 300 "$(awk '/^u:/ { print $2 }' got)"
expect "hits of perf's probe" 300 "$(awk -v e="$GROUP:step" '$1 == e { print $2 }' got)"
while read -r name number; do
	mine=$(awk -v e="$name" '$1 == e { print $2 }' got)
	case $name in
	*-clock)	expect_near "$name" "$number" "$mine" 1 ;;
	*)		expect "$name" "$number" "$mine" ;;
	esac
done <want
paste -d ' ' want <(head -7 got)

# On each CPU, in record's words and in report's.
cpu=$(one_cpu)
"$PREC" record -n -N -a -e "u:$PLACES:step" -o data taskset -c "$cpu" "$PLACES" 300 >out 2>err || { cat err; fail 'record -n -a'; }
"$PREC" report -i data --stdio 2>/dev/null >out
for text in err out; do
	expect "hits on all CPUs in $text" 300 "$(awk '$2 ~ /^u:/ { print $1 }' $text)"
	expect "hits on CPU $cpu and on others in $text" '300 0' \
		"$(awk -v cpu="$cpu" '/^CPU/ { if ($2 == cpu) its = $3; else other += $3 } END { print its, other + 0 }' $text)"
done
