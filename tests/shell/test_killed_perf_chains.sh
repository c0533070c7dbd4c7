#!/bin/bash
# A recording of perf record --call-graph dwarf that was killed has whole call chains, though it does not say its architecture.
. "$(dirname "$0")/lib/prec.sh"
need_perf
need_events
spin=$(workload spin)

for perf in $(perfs); do
	rm -f killed.data*
	"$perf" record -q -F 500 --call-graph dwarf,8192 -o killed.data "$spin" -1 3000 >/dev/null 2>&1 & recorder=$!
	for ((i = 0; i < 200; i++)); do	# until it has written some of it
		[ "$(stat -c %s killed.data 2>/dev/null || echo 0)" -lt 300000 ] || break
		sleep 0.05
	done
	workload=$(pgrep -P $recorder -f "$spin" | head -1) || true
	kill -KILL $recorder
	wait $recorder 2>/dev/null || true
	[ ! "$workload" ] || kill "$workload" 2>/dev/null || true
	any_status "$PREC" report --header-only -i killed.data >header 2>err
	! grep -q '^# arch' header || fail "$perf: it says its architecture"
	any_status "$PREC" script -i killed.data -F ip,sym >text 2>err
	awk -v RS= '{ all++; if (/ main/) whole++ } END { print all + 0, whole + 0 }' text >chains
	read -r all whole <chains
	[ "$all" -ge 10 ] || fail "$perf: only $all samples: $(<err)"
	[ $((whole * 100)) -ge $((all * 95)) ] || fail "$perf: only $whole of $all chains reach main(): $(<err)"
	echo "$perf: $whole of $all chains reach main()"
done
