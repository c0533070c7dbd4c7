#!/bin/bash
# Runs: alone. Starting and stopping costs milliseconds, not the second that perf takes.
. "$(dirname "$0")/lib/prec.sh"
need_events
best() {	# COMMAND...: the best of five runs, in us
	local best=100000000 from took
	for _ in 1 2 3 4 5; do
		from=${EPOCHREALTIME/./}
		"$@" >/dev/null
		took=$((${EPOCHREALTIME/./} - from))
		[ $took -ge $best ] || best=$took
	done
	echo $best
}
# 20 times what it takes on an idle machine, and the more the longer this machine takes for the program alone.
took=$(best "$PREC" record -q -e cpu-clock:u -o data true)
limit=$((150000 + 20 * $(best "$PREC" --version)))
[[ $BUILD != *-san && $BUILD != *-tsan ]] || limit=$((limit * 10))
[ "$took" -lt $limit ] || fail "record true takes $took us"
