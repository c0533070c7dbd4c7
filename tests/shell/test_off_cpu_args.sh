#!/bin/bash
# Objects of waits have names, and waits for a lock are of the threads that held it, for as long as these say themselves.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
LOCKS=$(workload locks)

"$PREC" record --off-cpu --off-cpu-args -m 4M -e cpu-clock -o data "$LOCKS" >says 2>err || { cat err; fail 'record'; }
"$PREC" report -i data -e offcpu-time -s lock,holder -F period,lock,holder -g none -t, -q >out 2>err
# Some virtual machines do not show each switch: a wait may be missing, or too long.
gaps=$(sed -n 's/^prec: .*: \([0-9]*\) context switch.* missing.*/\1/p' err)
awk -F '[ ,]' -v gaps="${gaps:-0}" '
	FNR == NR && $1 == "longest" { off = gaps * $4; next }
	FNR == NR { least[$1, $2] = $3; most[$1, $2] = $4; next }
	{ tid = $3; sub(/.*\//, "", tid) }
	($2, tid) in least { shown[$2, tid] = $1 }
	END {
		for (i in least) {
			n++
			if (shown[i] + off < least[i] || shown[i] > most[i] + off)
				print i ": " shown[i] + 0 " ns, and it is from " least[i] " to " most[i]
		}
		if (n != 12)
			print n + 0 " pairs of mutex and thread"
	}' SUBSEP=' ' says out >wrong
[ ! -s wrong ] || { cat wrong says out; fail 'who held the locks'; }
# A barrier is no lock.
grep -qE ',start\+0x[0-9a-f]+,released by locks/[0-9]+' out || { cat out; fail 'who ends waits at a barrier'; }

# Without the arguments of system calls no lock is known, which is said where locks are asked for.
! grep 'waits-no-args' err || fail 'the arguments are there'
"$PREC" record -q --off-cpu -e cpu-clock -o plain sleep 0.1
"$PREC" report -i plain -e offcpu-time -s lock >out 2>err
expect_finding waits-no-args err "'?plain'? has no arguments of system calls"
"$PREC" report -i plain -e offcpu-time >out 2>err
! grep 'waits-no-args' err || fail 'it is said where no lock is asked for'

# Nothing is lost by being split, and what is split is told of no more than once.
table() { "$PREC" report -i data -g none -q -t, "$@" 2>err; }
sum() { table -F "$1" "${@:2}" | awk -F, '{ sum += $1 } END { printf "%.0f", sum }'; }
for what in period sch_delay; do
	expect "the sum: $what" "$(sum $what -e offcpu-time -s lock)" "$(sum $what -e offcpu-time -s lock,holder)"
done
expect 'wall time' "$(sum period --wall -s lock,state)" "$(sum period --wall -s lock,state,holder)"
expect 'any number of jobs' "$(table -j1 -e offcpu-time -s lock,holder)" \
	"$(table -j3 -e offcpu-time -s lock,holder)"
"$PREC" report -i data -g none >out 2>err
expect 'the tables' "'cpu-clock' 'offcpu-time'" "$(sed -n "s/^# Samples: .* of event \\('.*'\\)/\\1/p" out | xargs -d '\n')"
"$PREC" script -i data --off-cpu >out 2>err
grep -qE 'state: sleeping reason: futex for: (first|second) ' out || { head out; fail 'script does not name a lock'; }
"$PREC" report -i data -t, -q --latency-hist=lock >out 2>err
expect 'the mutexes' 'first second' "$(grep -oE ',(first|second)$' out | tr -d , | sort -u | xargs)"

# A descriptor, and a child by its pid or any.
"$PREC" record --off-cpu --off-cpu-args -e cpu-clock -o data bash -c 'sleep 0.2 | cat; sleep 0.2 & echo $!; wait $!' >says 2>err
table -e offcpu-time -s comm,reason,lock -F comm,reason,lock >out
grep -qE '^cat *,pipe *,fd 0 pipe:\[[0-9]+\] *$' out || { cat out; fail 'the descriptor of a pipe'; }
grep -qE '^bash *,child *,(any child|pid '"$(<says)"') *$' out || { cat out; fail 'a child'; }

# What descriptors are: the recorder looks while they are waited for. One that is closed by then has its number alone.
DESCRIPTORS=$(workload descriptors)
# waits_named: those of the program are named in "data" as it says, but the one that was closed.
waits_named() {
	"$PREC" report -i data -e offcpu-time --comm descriptors -s lock -F period,lock -g none -t, -q >out 2>err || fail 'report'
	awk -F, 'FNR == NR { wants[$0] = 1; next }
		{ gsub(/^ +| +$/, "", $2) }
		$2 in wants && $1 > 0 { delete wants[$2]; next }
		$2 ~ /^fd 200 / { print "closed, and named: " $2 }
		END { for (name in wants) print "not there: " name }' says out >wrong
	expect 'descriptors' 8 "$(grep -c ^fd says)"
	[ ! -s wrong ] || { cat wrong says out; fail "what descriptors are: $1"; }
}
mkdir root
"$PREC" record --off-cpu --off-cpu-args -m 4M -e cpu-clock -o data "$DESCRIPTORS" "$PWD/root" >says 2>err || { cat err; fail 'record'; }
waits_named 'as root'
"$PREC" report -i data --header-only >out
grep -qE '^# descriptors : [0-9]+ names, 0 left out$' out || { cat out; fail 'the header'; }
"$PREC" archive data --redact -o clean >out 2>&1 || { cat out; fail 'archive --redact'; }
! grep -q "$PWD/root/fifo" clean || fail 'a path in what was redacted'
if type -P perf >/dev/null; then
	perf script -i data -F comm,event >out 2>err || { cat err; fail 'perf cannot read it'; }
	grep -q 'descriptors.*sys_enter' out || { head out; fail 'perf does not show the calls'; }
fi

# Its requirements.
"$PREC" record --off-cpu-args -m 4M -e cpu-clock -o alone sleep 0.01 2>err || { cat err; fail 'without --off-cpu'; }
"$PREC" report -i alone -e offcpu-time -s reason -F reason -g none -q >out
grep -q sleep out || { cat out; fail 'without --off-cpu nothing waits'; }
if command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt -1 ]; then
	top=$(mktemp -d /tmp/prec-args.XXXXXX)
	at_end 'rm -rf "$top"'
	chmod 777 "$top"
	cp "$PREC" "$top/prec"
	(cd "$top" && setpriv --reuid 65534 --regid 65534 --clear-groups ./prec record --off-cpu --off-cpu-args -e cpu-clock true) >out 2>err
	grep -q -- '--off-cpu-args: what waits are for is not known: tracepoints may not be recorded' err || { cat err; fail 'as nobody'; }

	# Who may record tracepoints sees descriptors of his own processes.
	cp "$DESCRIPTORS" "$top/descriptors"
	mkdir -m 777 "$top/dir"
	caps=+perfmon,+dac_read_search
	may=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$caps" --ambient-caps "$caps")
	if "${may[@]}" true 2>/dev/null; then
		(cd "$top" && "${may[@]}" ./prec record --off-cpu --off-cpu-args -m 4M -e cpu-clock ./descriptors "$top/dir") >says 2>err ||
			{ cat err; fail 'as nobody with CAP_PERFMON'; }
		cp "$top/perf.data" data
		waits_named 'as nobody'
	fi
fi
