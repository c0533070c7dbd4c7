#!/bin/bash
# SIGINT and SIGTERM end a recording with a finished file, and the command with it.
. "$(dirname "$0")/lib/prec.sh"
need_events
for signal in INT TERM HUP; do
	for command in "$(workload spin)" ''; do
		target=() want=0 child=
		if [ "$command" ]; then
			target=("$command" -1 0) want=143
		else
			sleep 100 & target=(-p $!)
		fi
		rm -f data
		# As a shell starts it in the foreground: a background job would ignore SIGINT.
		env --default-signal=INT "$PREC" record -o data -e cpu-clock:u "${target[@]}" >out 2>err & prec=$!
		await 60 test -s data
		if [ "$command" ]; then
			await 60 grep -q ready out
			child=$(pgrep -P $prec -x spin)
			await 60 has_run "$child" 50
		fi
		kill -$signal $prec
		status=0
		wait $prec || status=$?
		[ $status = $want ] || { cat err; fail "SIG$signal, '${target[*]}': status $status, want $want"; }
		grep -q 'Captured and wrote' err || fail "SIG$signal: no verdict"
		expect_status 0 "$PREC" script -i data >/dev/null
		[ -z "$command" ] || [ "$("$PREC" script -i data | wc -l)" -gt 10 ] || fail "SIG$signal: samples are missing"
		[ -z "$child" ] || [ ! -e "/proc/$child" ] || fail 'the command still runs'
	done
done

# SIGUSR2, which nobody asked for, as fast as can be and to the very end: the status is the command's.
keeps_usr2() {
	[ $((0x$(awk '$1 == "SigBlk:" { print $2 }' /proc/$1/status) & 1 << 11)) != 0 ]
}
for _ in 1 2 3; do
	status=0
	rm -f told
	exec "$PREC" record -q -o data -e cpu-clock:u sh -c 'until [ -e told ]; do sleep 0.02; done; exit 3' & prec=$!
	await 60 keeps_usr2 $prec
	kill -USR2 $prec
	touch told
	while kill -USR2 $prec && [ -e /proc/$prec/exe ]; do :; done 2>/dev/null
	wait $prec || status=$?
	expect 'the status after signals to the end' 3 $status
done

# The recipe of the manual for scripts, with an event that every machine has; a signal that comes as early as can be ends nothing.
sed -n "/^trap '' USR2/,/^\.EE/{/^\.EE/d;p}" "$SRC/man/prec-record.1" | sed 's/\\-/-/g' >recipe
grep -q '^prec record -S -e intel_pt// -a' recipe || { cat recipe; fail 'no recipe'; }
sed 's|^prec record -S -e intel_pt// -a|"$PREC" record -q -N --overwrite --switch-output=signal -e cpu-clock|; s|\(& recorder=$!\)|\1; kill -USR2 $!|' \
	recipe >recipe.sh
bash recipe.sh >out 2>&1 || { cat out recipe.sh; fail 'the recipe'; }
[ "$(ls -d trace.* | wc -l)" -ge 2 ] || { ls; cat out; fail 'the recipe writes a file at the signal, and one at the end'; }
