#!/bin/bash
# Ctrl-C while the events are opened ends command and recording quietly, with the status of an interrupt.
. "$(dirname "$0")/lib/prec.sh"
need strace
need_events
# Stopped at the first event that is opened for the command, which is there by then and waits.
calls=clone,clone3,fork,vfork,perf_event_open
strace -o calls -e trace=$calls "$PREC" record -q -e cpu-clock:u -o data true || fail "not recorded"
first=$(awk '/^(clone|clone3|fork|vfork)\(/ { forked = 1 } /^perf_event_open/ { n++; if (forked) { print n; exit } }' calls)
[ "$first" ] || skip "strace does not show the fork"
for who in both command; do
	rm -f data calls
	# As strace() does, which would be a process more between.
	ASAN_OPTIONS=detect_leaks=0 command strace -o calls -e trace=perf_event_open -e inject=perf_event_open:signal=STOP:when="$first" \
		env --default-signal=INT "$PREC" record -q -e cpu-clock:u -o data touch ran 2>err & tracer=$!
	await 60 grep -qs 'stopped by SIGSTOP' calls
	prec=$(pgrep -P $tracer)
	command=$(pgrep -P "$prec")
	kill -INT "$command"
	[ $who = command ] || kill -INT "$prec"
	kill -CONT "$prec"
	status=0
	wait $tracer || status=$?
	expect "status, $who" 130 $status
	! grep -v 'ended by signal 2' err || fail "not quiet: $(cat err)"
	[ ! -e ran ] || fail "the command ran"
done
