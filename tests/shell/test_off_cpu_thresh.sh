#!/bin/bash
# Waits below a threshold are summed up while recording: threads' times stay what they are, the file becomes small, and perf reads it.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
PINGPONG=$(workload pingpong)

# times [OPTIONS]: each thread's parts of wall time.
times() { "$PREC" report -i data --wall -s tid,state -F period,tid,state -g none -t, -q "$@" 2>err; }

# balance NAME FROM: on, ready and off are all of each thread's life, to 0.1 %, and the process's wall time is as it says.
balance() {
	"$PREC" script -i data --ns --show-task-events --show-switch-events -F tid,time,event 2>err >records
	times | awk -v name="$1" -F, '
		function number(s) { sub(/:$/, "", s); split(s, part, "."); return part[1] * 1000000000 + part[2] }
		FILENAME == "records" {
			split($0, word, " ")
			if (match($0, /PERF_RECORD_FORK\([0-9]+:[0-9]+\)/)) {
				tid = substr($0, RSTART, RLENGTH - 1); sub(/.*:/, "", tid); from[tid] = to[tid] = number(word[2])
			} else if (match($0, /PERF_RECORD_EXIT\([0-9]+:[0-9]+\)/)) {
				tid = substr($0, RSTART, RLENGTH - 1); sub(/.*:/, "", tid); to[tid] = number(word[2])
			} else if (/PERF_RECORD_SWITCH/ && word[1] in from)
				to[word[1]] = number(word[2])
			next
		}
		NF == 3 { all[$2 + 0] += $1 }
		END {
			for (tid in from)
				if (from[tid] && to[tid] > from[tid]) {
					n++
					d = all[tid] - (to[tid] - from[tid])
					if (d > 0.001 * (to[tid] - from[tid]) || -d > 0.001 * (to[tid] - from[tid]))
						printf "%s: thread %d: %.0f ns in all, its records say %.0f\n", name, tid, all[tid], to[tid] - from[tid]
				}
			if (!n) print name ": no threads"
		}' records - >wrong
	[ ! -s wrong ] || { cat wrong err; fail "$1"; }
}

# count: waits of the program, those that are in sums included.
count() {
	"$PREC" script -i data --off-cpu -F event,synth --pid "$(<pid)" 2>err |
		awk '/offcpu-time:/ { n += match($0, / waits: [0-9]+/) ? substr($0, RSTART + 8, RLENGTH - 8) : 1 } END { print n + 0 }'
}

# Some virtual machines do not show each switch.
for opts in '' -a; do
	# shellcheck disable=SC2086
	"$PREC" record --off-cpu --off-cpu-thresh=20 $opts -m 8M -k mono -e cpu-clock -o data sh -c "echo \$\$ >pid; exec '$PINGPONG' 5000" >out 2>says || { cat says; fail "record $opts"; }
	[ -n "$opts" ] || balance "record $opts"
	# The program's own count has what was before its rounds and after them, but that is little.
	switches=$(awk '{ print $2 }' out)
	awk -v n="$(count)" -v switches="$switches" 'BEGIN { exit !(n > 0.99 * switches && n < 1.01 * switches + 50) }' ||
		fail "record $opts: $(count) waits, and the program says $switches switches"
	expect_finding waits-sums err 'were shorter than a threshold'
	# None of those that are single is short, but for those with which a thread begins.
	"$PREC" script -i data --off-cpu --ns -F tid,event,synth --pid "$(<pid)" 2>err | awk '
		/offcpu-time:/ && !/ waits: / && !/until the end/ && match($0, / off: [0-9]+/) && substr($0, RSTART + 6, RLENGTH - 6) < 20000000 { n[$1]++ }
		END { for (tid in n) if (n[tid] > 3) print "thread " tid ": " n[tid] " short waits are written" }' >wrong
	[ ! -s wrong ] || { cat wrong; fail "record $opts"; }
done

# Reasons and states of sums are those of single waits.
"$PREC" record --off-cpu --off-cpu-thresh=20 -m 8M -e cpu-clock -o data "$PINGPONG" 5000 >out 2>says
"$PREC" report -i data -e offcpu-time -s comm,reason,state -F comm,reason,state -g none -t, -q >out 2>err
grep -qE '^pingpong *,pipe *,sleeping *$' out || { cat out; fail 'reason and state of sums'; }
expect 'any number of jobs' "$("$PREC" report -i data -j1 -e offcpu-time -s sym,state -g none -q 2>/dev/null)" \
	"$("$PREC" report -i data -j4 -e offcpu-time -s sym,state -g none -q 2>/dev/null)"
small=$(stat -c %s data)

# Below the threshold is below it; at 0 each is written.
"$PREC" record --off-cpu --off-cpu-thresh=0 -m 8M -e cpu-clock -o data "$PINGPONG" 5000 >out 2>says
"$PREC" report -i data -e offcpu-time -q >out 2>err
! grep -q waits-sums err || fail 'a threshold of 0 sums nothing up'
[ $((small * 5)) -lt "$(stat -c %s data)" ] || fail "the file has $small bytes, and with each wait $(stat -c %s data)"

# perf reads it, sums and all.
"$PREC" record --off-cpu --off-cpu-thresh=20 -m 8M -e cpu-clock -o data "$PINGPONG" 5000 >out 2>says
for perf in $(perfs); do
	"$perf" script -i data -F comm,event,period >theirs 2>err || { cat err; fail "$perf script"; }
	"$PREC" script -i data -F comm,event,period >ours 2>err
	expect "$perf: sums" "$(awk '/offcpu-time/ { n++; s += $2 } END { print n, s }' ours)" \
		"$(awk '/offcpu-time/ { n++; s += $2 } END { print n, s }' theirs)"
	! grep -qiE 'out of order|timestamp below' err || { cat err; fail "$perf: order"; }
done

# A recorder that is killed leaves what it has written: sums are there after a second or two.
exec "$PREC" record --off-cpu --off-cpu-thresh=1000 -m 8M -e cpu-clock -o killed.data "$PINGPONG" 10000000 100 >said 2>says & prec=$!
sums_are_there() {
	any_status "$PREC" script -i killed.data --off-cpu -c pingpong -F event,synth >out 2>err
	grep -q ' waits: ' out
}
await 60 sums_are_there
kill -KILL $prec
ended $prec
any_status "$PREC" script -i killed.data -c pingpong -F pid >pids 2>err
kill "$(sed -n '1s/ //gp;1q' pids)" 2>err || true
any_status "$PREC" report -i killed.data -e offcpu-time -s comm,state -F comm,state -g none -t, -q >out 2>err
grep -qE '^pingpong *,sleeping *$' out || { cat out err; fail 'what a killed recorder left'; }

# Options that exclude it.
refused() {
	expect_status 129 "$PREC" record --off-cpu-thresh=5 "${@:2}" -o none true >out 2>err
	grep -q -- "$1" err || { cat err; fail "refused: ${*:2}"; }
}
refused 'add --off-cpu'
refused 'leave out --threads' --off-cpu --threads
refused '--overwrite keeps them' --off-cpu --overwrite
refused 'use --call-graph fp' --off-cpu --call-graph dwarf
expect_status 129 "$PREC" record --off-cpu --off-cpu-thresh=soon true >out 2>err
