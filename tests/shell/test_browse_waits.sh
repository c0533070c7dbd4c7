#!/bin/bash
# In the browser's timeline a wait counts in each column by its part there; what is beside the waits is named, with its key.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
at_end 'end_terminal'
need_browser

# Thread 7 waits from 2 to 11 s, thread 8 up to 1 s and from 4 to 6 s.
cat >text <<'EOS'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER,CALLCHAIN period=1 sample_id_all context_switch ids=1
comm 7/7 "seven" t=1
fork 7/8 parent=7/7 t=1000
switch in 7/8 t=1000000000 cpu=1
switch out 7/7 t=2000000000 cpu=0
switch out 7/8 t=4000000000 cpu=1
switch in 7/8 t=6000000000 cpu=1
switch in 7/7 t=11000000000 cpu=0
sample 7/7 t=12000000000 ip=0x100 mode=user cpu=0
EOS
# The same, with a sample in each quarter of a second on a CPU.
{
	grep -v ^sample text
	for part in 7:0:8:0 7:11000000000:4:0 8:1000000000:12:1 8:6000000000:24:1; do
		IFS=: read -r tid from nr cpu <<<"$part"
		printf 'repeat %s\nsample 7/%s t={i*250000000+%s} ip=0x100 mode=user cpu=%s\nend\n' "$nr" "$tid" $((from + 125000000)) "$cpu"
	done
} >sampled
"$(helper mkdata/mkdata)" text in.data
"$(helper mkdata/mkdata)" sampled sampled.data

start_terminal 80x24
browse report -i in.data -e offcpu-time
pressed 'functions 1/.*  Tab cpu-clock '
pressed Tab 'functions 1/.*  Tab offcpu-time '
pressed Tab 'functions 1/.*  Tab cpu-clock '
pressed T 'timeline 1/'
pressed PPage '^0\.0*-'
# "9.0-9.5 s: 0.50 s": the column's middle in ms, and how many threads wait there.
waiting() {
	screen | awk '/^ *[0-9.]+-[0-9.]+ s: / {
		split($1, range, "-")
		printf "%.0f %.1f\n", (range[1] + range[2]) / 2 * 1000, $3 * ($4 == "ms" ? 0.001 : 1) / (range[2] - range[1])
	}'
}
for _ in $(seq 10); do
	shown=$(waiting)
	read -r ms threads <<<"$shown"
	case $((ms / 1000)) in
	1) want=0.0 ;;
	4 | 5) want=2.0 ;;
	*) want=1.0 ;;
	esac
	expect "threads that wait at $ms ms" $want "$threads"
	keys Right Right
	await 20 eval '[ "$(waiting)" != "$shown" ]'
done
pressed f 'functions 1/'
keys q
left

# Wall time has the same waits: no column has more than its two threads. A range of time has the
# parts of waits that are in it, as on the command line.
browse report -i sampled.data --wall
pressed 'functions 1/'
pressed T 'timeline 1/'
pressed PPage '^0\.0*-'
for _ in $(seq 10); do
	shown=$(waiting)
	read -r ms threads <<<"$shown"
	awk -v n="$threads" -v ms="$ms" 'BEGIN { exit !(ms > 11900 || n <= 2.05) }' || fail "threads at $ms ms: $threads"
	[ "$ms" -lt 8000 ] || [ "$ms" -gt 11000 ] || awk -v n="$threads" 'BEGIN { exit !(n > 0.95) }' || fail "at $ms ms: $threads"
	keys Right Right
	await 20 eval '[ "$(waiting)" != "$shown" ]'
done
# A range of time has the parts of waits that are in it, as the command that prints the same.
keys PPage PPage
pressed PPage '^0\.0*-'
for _ in $(seq 9); do keys Right Right; done
pressed Enter 'functions [0-9]/'
command=$(command_shown)
want=$(printed "${command/--children/--no-children -q -F sample,period}" | awk 'NF { n += $1; ns += $2 } END { printf "%d samples, %.2f s", n, ns / 1e9 }')
shows "wall-time: $want of wall time" || fail "$command has $want: $(screen)"
keys q
left
