#!/bin/bash
# Killed at any moment, in any way of writing, a recording leaves files that read, and a reader that says so.
. "$(dirname "$0")/lib/prec.sh"
need_events
while read -r options; do
	for ms in 5 30 80 200; do
		rm -f data*
		# shellcheck disable=SC2086
		"$PREC" record -q -m 4 -e cpu-clock:u -c 10000 $options -o data "$(workload spin)" -1 3000 >/dev/null & prec=$!
		sleep 0.$(printf %03d $ms)
		kill -KILL $prec
		{ wait $prec || true; } 2>/dev/null
		pkill -KILL -P $prec 2>/dev/null || true
		for f in data*; do
			[ -s "$f" ] || continue
			status=0
			"$PREC" script -i "$f" >text 2>err || status=$?
			case $f in
			data)	[ $status = 2 ] || [ $status = 0 ];;
			*)	[ $status = 0 ];;
			esac || { cat err; fail "'$options', killed after $ms ms: $f reads with status $status"; }
			# Before anything was recorded there is nothing to miss.
			[ "$f" != data ] || [ "$(stat -c %s data)" -lt 500 ] || grep -q 'never finished' err || { cat err; fail "$f is cut"; }
		done
	done
done <<MODES
-z
-z19
--switch-output=100K
--overwrite
MODES
