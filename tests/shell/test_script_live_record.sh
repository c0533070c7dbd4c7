#!/bin/bash
# What is being recorded is printed before the recording ends.
. "$(dirname "$0")/lib/prec.sh"
need_events
# The program ends when its samples were seen.
cat >until_seen <<'S'
until [ -e seen ]; do "$1" 10; done
S
see() {
	local line nr=0
	while IFS= read -r line; do
		echo "$line"
		nr=$((nr + 1))
		[ $nr != 10 ] || : >seen
	done >text
}
for options in '' '--no-buffering -g -z'; do
	rm -f seen
	timeout 200 "$PREC" record -q $options -e cpu-clock:u -c 100000 -o - sh until_seen "$(workload forks)" 2>err |
		"$PREC" script -i - 2>err.script | see
	expect "the status of each, with '$options'" "0 0 0" "${PIPESTATUS[*]}"
	[ -e seen ] || fail "nothing was seen: $(cat err err.script)"
done
