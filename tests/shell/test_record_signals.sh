#!/bin/bash
# SIGINT and SIGTERM end a recording with a finished file, and the command with it.
. "$(dirname "$0")/lib/prec.sh"
need_events
for signal in INT TERM HUP; do
	for command in "$(workload spin)" ''; do
		target=() want=0
		if [ "$command" ]; then
			target=("$command" -1 0) want=143
		else
			sleep 100 & target=(-p $!)
		fi
		# As a shell starts it in the foreground: a background job would ignore SIGINT.
		env --default-signal=INT "$PREC" record -o data -e cpu-clock:u "${target[@]}" >out 2>err & prec=$!
		await 10 test -s data
		[ -z "$command" ] || await 10 grep -q ready out
		sleep 0.1
		kill -$signal $prec
		status=0
		wait $prec || status=$?
		[ $status = $want ] || { cat err; fail "SIG$signal, '${target[*]}': status $status, want $want"; }
		grep -q 'Captured and wrote' err || fail "SIG$signal: no verdict"
		expect_status 0 "$PREC" script -i data >/dev/null
		[ -z "$command" ] || [ "$("$PREC" script -i data | wc -l)" -gt 10 ] || fail "SIG$signal: samples are missing"
		[ -z "$command" ] || ! pgrep -P $prec >/dev/null || fail 'the command still runs'
	done
done
