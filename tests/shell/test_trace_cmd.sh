#!/bin/bash
# A recording's tracing data is read by trace-cmd, whose libtraceevent prints of each event the same text as script.
. "$(dirname "$0")/lib/prec.sh"
# Installed, its plugins change what perf prints: PREC_TRACE_CMD is a directory into which the packages were unpacked.
[ -x "${PREC_TRACE_CMD:-}/usr/bin/trace-cmd" ] || skip "no PREC_TRACE_CMD (a directory with usr/bin/trace-cmd)"
need_tracepoints

trace_cmd() {
	local libraries
	libraries=$(dirname "$(find "$PREC_TRACE_CMD" -name 'libtracefs.so.1' | head -1)")
	LD_LIBRARY_PATH=$libraries timeout 60 "$PREC_TRACE_CMD/usr/bin/trace-cmd" "$@" 2>said || fail "trace-cmd $*: $(tail -3 said)"
}

# Events with addresses of the kernel's functions are left out: script has names for them.
events=$(printf '%s\n' sched:sched_switch sched:sched_wakeup sched:sched_process_{fork,exec,exit,wait} raw_syscalls:sys_{enter,exit} \
	syscalls:sys_{enter,exit}_openat irq:softirq_{entry,exit} signal:signal_{generate,deliver} |
	while IFS=: read -r system name; do
		[ ! -e "$TRACEFS/events/$system/$name" ] || echo "$system:$name"
	done | paste -sd,)
"$PREC" record -q -e "$events" -o in.data sh -c 'trap : USR1; ls /; cat /nowhere; kill -USR1 $$; (exit 3); true' >said 2>&1 || fail "record: $(<said)"
python3 "$SRC/tests/lib/trace_dat.py" in.data in.dat || fail "the tracing data is not in its form"

trace_cmd report -N -t -i in.dat | sed -nE 's/^.*-[0-9]+ +\[000\] +([0-9.]+): +([a-z_0-9]+): +(.*)$/\1 \2 \3/p' | sort >theirs
"$PREC" script -i in.data --ns -F time,event,trace 2>/dev/null | sed -E 's/^ *([0-9.]+): *[a-z_]+:([a-z_0-9]+): *(.*)$/\1 \2 \3/' | sort >ours
[ "$(wc -l <theirs)" -gt 100 ] || fail "trace-cmd shows only $(wc -l <theirs) events: $(<said)"
diff theirs ours >apart || fail "texts of trace-cmd and of script: $(head -6 apart)"

# Each event's fields, as the kernel has them.
trace_cmd report -N --events -i in.dat | sed '/^system: /d' >formats
for event in ${events//,/ }; do
	grep -vE '^$|^print fmt' "$TRACEFS/events/${event/://}/format" >want
	awk -v name="name: ${event#*:}" '/^name: / { on = $0 == name } on && NF && !/^print fmt/' formats >got
	diff want got >apart || fail "format of $event: $(head -4 apart)"
done
echo "$(wc -l <theirs) events of $(awk '{ print $2 }' theirs | sort -u | wc -l) kinds have the same text; $(tr , '\n' <<<"$events" | wc -l) formats"
