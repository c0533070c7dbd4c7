#!/bin/bash
# Of K processes that spin on one CPU, K - 1 wait for it in at least 95 % of its samples; report and script agree.
# Runs: alone, or a virtual machine must do, which takes longer.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_root
need_tracepoints
need_events all
CROWD=$(workload crowd)
SCHED=sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task
ALLOWED=$(taskset -pc $$)
CPU=${ALLOWED##*[ ,-]} OTHER=$(sed 's/.*: //; s/[,-].*//' <<<"$ALLOWED")

# record_crowd K CPU OTHER: on all CPUs, into K.data; the recorder itself is on another one.
record_crowd() {
	taskset -c "$3" "$PREC" record -q -m 4M -o "$1.data" -a -e "cpu-clock/freq=497/,$SCHED" -- "$CROWD" "$1" "$2" 600 >"$1.out"
}

# lengths K [OPTIONS]: "length samples" of the samples in which one of the crowd ran.
lengths() {
	local k=$1
	shift
	"$PREC" report -i "$k.data" -q -c spinner -s runqlen -F sample,runqlen -t ' ' "$@" 2>/dev/null |
		awk '!NF { exit } { print $2, $1 }'
}

# Somebody else's time on the CPU in thousandths: others that run there also wait there.
others() {
	"$PREC" script -i "$1.data" -C "$CPU" -F event,comm 2>/dev/null |
		awk '/cpu-clock/ { n++; if ($1 != "spinner" && $1 != "crowd") o++ } END { print int(1000 * o / n) }'
}

for k in 1 4; do
	for _ in 1 2 3; do
		record_crowd $k "$CPU" "$OTHER"
		[ "$(others $k)" -gt 10 ] || break
	done
	if [ "$(others $k)" -gt 10 ]; then
		busy=yes
	fi
done
# A machine of its own has nobody else.
if [ "${busy:-}" ]; then
	need_vm x86_64
	CPU=1
	in_vm <<EOS
$(declare -p CROWD SCHED; declare -f record_crowd)
record_crowd 1 1 0
record_crowd 4 1 0
EOS
fi

for k in 1 4; do
	lengths $k -C "$CPU" >found
	awk -v k=$k '{ n += $2; if ($1 == k - 1) right += $2 }
		END { printf "%d spinners: %d of %d samples with %d waiting (%.1f %%)\n", k, right, n, k - 1, 100 * right / n
		      exit !(n > 50 && right >= 0.95 * n) }' found || fail "$k spinners: $(cat found)"
done

# What report sums up is what script prints, sample by sample, on all CPUs and for all events.
plain() {
	sed 's/ cpu-clock[^ ]* / cpu-clock /' | sort
}
"$PREC" script -i 4.data -F event,cpu,runqlen 2>/dev/null | tr -d '[]:' | awk '{ n[$3 " " $1 + 0 " " $2]++ }
	END { for (k in n) print "", k, n[k] }' | plain >want
"$PREC" report -i 4.data -s cpu,runqlen -F cpu,runqlen,sample -t ' ' 2>/dev/null | tr -d "':" |
	awk '/ of event / { e = $NF } /^[0-9 ]+$/ && NF == 3 { print "", e, $1 + 0, $2, $3 }' | plain >got
expect_same "report and script" want got
expect "any number of threads" "$("$PREC" report -i 4.data -s cpu,runqlen -j1 2>&1)" "$("$PREC" report -i 4.data -s cpu,runqlen -j4 2>&1)"
"$PREC" report -i - -s cpu,runqlen <4.data >piped 2>/dev/null
"$PREC" report -i 4.data -s cpu,runqlen >plain 2>/dev/null
expect_same "from a pipe" plain piped

# What a recording lacks is said, with what to record.
"$PREC" record -q -o few.data -a -e cpu-clock,sched:sched_wakeup -- true
for command in 'report -s runqlen' 'script -F +runqlen'; do
	# shellcheck disable=SC2086
	expect_status 1 "$PREC" $command -i few.data >out 2>err
	grep -q 'record with -a -e sched:sched_switch,sched:sched_wakeup,' err || fail "$command: $(cat err)"
done
"$PREC" record -q -o few.data -a -e sched:sched_switch -- true
"$PREC" report -i few.data -s runqlen >out 2>err
expect_finding sched-no-event err "no event 'sched:sched_wakeup': run queues may have been longer"
"$PREC" record -q -o few.data -a -e "$SCHED" -F 100 -- true 2>/dev/null
"$PREC" report -i few.data -s runqlen >out 2>err
expect_finding sched-partial err
# A recorder that is stopped loses switches: after them lengths are guesses.
exec "$PREC" record -q -m 1 -o gaps.data -a -e "$SCHED" -- sh -c 'touch begun; until [ -e end ]; do sleep 0.01; done' 2>/dev/null & prec=$!
await 60 test -e begun
kill -STOP $prec
until [ "$(awk '/^ctxt/ { print $2 }' /proc/stat)" -gt $((${from:=$(awk '/^ctxt/ { print $2 }' /proc/stat)} + 5000)) ]; do sleep 0.01; done
kill -CONT $prec
touch end
wait $prec
"$PREC" report -i gaps.data -s runqlen >out 2>err
expect_finding sched-gaps err 'at least [0-9]+ context switches'
