#!/bin/bash
# A user's rights decide how waits are recorded, as nobody at three settings of the kernel and as root, with a message.
# Runs: alone
. "$(dirname "$0")/lib/prec.sh"
need_root
need setpriv
need_tracepoints
WAITS=$(workload waits)
top=$(mktemp -d /tmp/prec-rights.XXXXXX)
at_end 'rm -rf "$top"'
chmod 777 "$top"
cp "$PREC" "$WAITS" "$top/"
cd "$top"
become=(setpriv --reuid 65534 --regid 65534 --clear-groups)
! "${become[@]}" test -r /sys/kernel/tracing/events || skip "tracefs is everybody's"
knob=/proc/sys/kernel/perf_event_paranoid
had=$(<$knob)
at_end 'echo "$had" >$knob'

# record SAYS: as nobody; what it says.
record() {
	local says=$1
	rm -f data
	"${become[@]}" ./prec record --off-cpu -k mono -e cpu-clock -o data ./waits pipe >out 2>err ||
		{ cat err; fail "$says"; }
	grep -qF -- "$says" err || { cat err; fail "not said: $says"; }
}

# waits STACKS WAKERS: there is a wait of 0.6 s for a pipe; with its reason, and who ended it.
waits() {
	"$PREC" script -i data --off-cpu --ns -F tid,event,synth >out 2>err || { cat err; fail 'script'; }
	awk '$1 ~ /^[0-9]+$/ && match($0, / off: [0-9]+/) && substr($0, RSTART + 6, RLENGTH - 6) > 500000000' out >long
	[ -s long ] || { cat out; fail "$1$2: no wait is as long as the program waits"; }
	expect "the reason is known" "$1" "$(grep -q 'reason: pipe' long && echo reason)"
	expect "the waker is known" "$2" "$(grep 'reason: pipe' long | grep -q 'woken by: waits/' && echo waker)"
}

set_to() { echo "$1" 2>/dev/null >$knob || skip "cannot set kernel.perf_event_paranoid"; }
set_to 2
record "context switches without call chains: stacks are those of the last sample before, the kernel may not be watched (kernel.perf_event_paranoid is 2)"
waits '' ''
for paranoid in 1 0; do
	set_to $paranoid
	record "context switches with call chains; not who woke a thread, nor how long it waited for a CPU: tracepoints may not be recorded (kernel.perf_event_paranoid is $paranoid)"
	waits reason ''
done
set_to "$had"
rm -f data
"$PREC" record --off-cpu -k mono -e cpu-clock -o data ./waits pipe >out 2>err
grep -q 'context switches and wake-ups with call chains$' err || { cat err; fail 'root'; }
waits reason waker
