#!/bin/bash
# Killed with SIGKILL, a recording of tracepoints keeps their formats: the fields of all that was written are printed.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
SYSCALLS=$(workload syscalls)

# killed OPTION...: the recorder, when some of it is in the file, which is data.
killed() {
	rm -rf data*
	exec "$PREC" record -q -m 64 -e raw_syscalls:sys_enter -o data "$@" "$SYSCALLS" 1000000000 >/dev/null 2>&1 & local prec=$!
	await 60 eval '[ "$(stat -c %s data 2>/dev/null || echo 0)" -gt 100000 ]'
	local command
	command=$(pgrep -P $prec)
	kill -KILL $prec "$command"
	ended $prec
}

for options in '' -z; do
	# shellcheck disable=SC2086
	killed $options
	expect_status 2 "$PREC" script -i data -F event,trace >lines 2>err
	[ "$(grep -c 'sys_enter: *NR [0-9]* (' lines)" -gt 100 ] || { head -3 lines; fail "'$options': $(wc -l <lines) lines"; }
done

# What was ended in order has nothing of that among its records, whichever file of several it is.
"$PREC" record -q -m 64 -e raw_syscalls:sys_enter --switch-output=200K -o whole "$SYSCALLS" 30000 >/dev/null
[ "$(find . -name 'whole.2*' | wc -l)" -ge 3 ] || fail "files: $(ls)"
for f in whole.2*; do
	expect_status 0 "$PREC" script -i "$f" -F event,trace >lines
	! grep -v 'sys_enter: *NR [0-9]* (' lines || fail "$f: lines without fields"
	expect "$f: TRACING_DATA" '' "$("$PREC" report -i "$f" --stats | grep TRACING_DATA || true)"
done
perf_agrees whole.2*
