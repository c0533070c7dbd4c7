#!/bin/bash
# Where samples are lost the finding names what would have kept them: it does, and nothing is lost then.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events
need chrt
need taskset
CPU=$(one_cpu)
SPIN=$(workload spin)
as=()

# stopped MS OPTIONS...: a program is recorded; its recorder, which never waits for a CPU, is stopped for MS of the program's time.
stopped() {
	local ms=$1 program
	rm -f out data
	shift
	exec chrt -f 1 "${as[@]}" "$PREC" record -N -o data -e cpu-clock:u "$@" chrt -o 0 taskset -c "$CPU" "$SPIN" -1 0 2>err >out &
	recorder=$!
	await 60 grep -qs ready out
	program=$(pgrep -P $recorder)
	kill -STOP $recorder
	await 60 has_run "$program" $(($(had_ms "$program") + ms))
	kill -CONT $recorder
	await 60 has_run "$program" $(($(had_ms "$program") + 50))
	kill "$program"
	ended $recorder
}
remedy() { sed -nE 's/^ +they would have been kept by (.*)$/\1/p' err; }
lost() { sed -nE 's/^prec: (warning: )?([0-9]+) .*samples? w.* lost while recording.*/\2/p' err; }
helps() {	# WHAT
	expect "lost, with $1" '' "$(lost)"
	expect "remedy, with $1" '' "$(remedy)"
}

# ---- rings of the default size, whatever else there is ----

stopped 150 -c 100000 -m 4K --call-graph dwarf,65528 -r 0
[[ $(remedy) =~ ^'larger rings than of 4 KiB (record -m '([0-9]+)K')' ]] || fail "the smallest rings: $(<err)"
[ "${BASH_REMATCH[1]}" -ge 512 ] || fail "not the default size: $(<err)"

# ---- smaller copies of stacks ----

stopped 150 -c 1000000 -m 4M --call-graph dwarf,65528
[[ $(remedy) = 'copies of stacks of 8192 bytes '* ]] || fail "large stacks: $(<err)"
stopped 150 -c 1000000 -m 4M --call-graph dwarf,8192
helps 'smaller copies'

# ---- larger rings ----

stopped 150 -c 100000 -m 16K
expect_kept data err
"$PREC" verify data >out 2>&1 || true
expect 'the remedy, in the recording' "$(remedy)" "$(sed -nE 's/.*they would have been kept by (.*)$/\1/p' out)"
[[ $(remedy) =~ ^'larger rings than of 16 KiB (record -m '([0-9]+K)')' ]] || fail "small rings: $(<err)"
stopped 150 -c 100000 -m "${BASH_REMATCH[1]}"
helps "-m ${BASH_REMATCH[1]}"

# ---- a lower rate, where others than root may have no larger rings ----

if command -v setpriv >/dev/null && [ "$(</proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp sh -c 'ulimit -l 0; exec "$@"' -)
	chmod 777 .
	stopped 1500 -c 20000 -m 4M
	[[ $(remedy) = 'a lower rate (record -F, -c), or larger rings'* ]] || fail "few locked pages: $(<err)"
	stopped 400 -c 400000 -m 4M
	helps 'a lower rate'
	as=()
else
	part_skipped 'a lower rate: no setpriv, or nobody may not record'
fi
