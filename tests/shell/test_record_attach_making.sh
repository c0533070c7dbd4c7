#!/bin/bash
# Attaching to a process that makes threads meanwhile: each is followed, or said to be missing.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
mkfifo in out
exec 5<>in 6<>out
for round in 1 2 3; do
	rm -f tids
	"$(workload spawn)" 400 >tids & maker=$!
	await 60 grep -qs ready tids
	exec "$PREC" record -v -e syscalls:sys_enter_getppid -p $maker -o data --control fd:7,8 7<>in 8<>out 2>err & prec=$!
	echo ping >in
	read -r _ <out
	kill -USR1 $maker
	wait $maker
	wait $prec
	"$PREC" script -i data -F tid | tr -d ' ' | sort -u >seen
	grep -v ready tids | sort >all
	comm -23 all seen >missed
	# Where there are any: expect_finding missed-threads err
	! grep -q '\[missed-threads\]' err || expect_kept data err
	sed -nE 's/.*threads? .* may be missing.*: (.*) \[missed-threads\]$/\1/p' err | tr -d ' ' | tr , '\n' | sort >told
	expect "round $round: missed and not told of" '' "$(comm -23 missed told)"
	comm -13 all seen >others
	expect "round $round: threads of nobody" '' "$(cat others)"
	[ "$(wc -l <seen)" -ge 20 ] || fail "round $round: only $(wc -l <seen) threads seen"
	expect "round $round: each once" "$(wc -l <seen)" "$("$PREC" script -i data -F tid | wc -l)"
done
